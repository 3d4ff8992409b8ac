import { texts } from '../text.ts';

export const inboxText = texts(
  {
    title: 'Inbox',
    unread_count: (n: number) => `Unread (${n})`,
    more: (n: number) => `Show more of ${n}`,
    recent: 'Recent',
    working: 'Working now',
    all_read: 'You have read everything',
    empty: 'Nothing has been written yet',
    empty_about:
      'Write to an agent in a feed: a post that says “Hello, @demo” is enough to see one answer.',
    no_feeds: 'Make a feed first',
    no_feeds_about:
      'A feed is a place for posts about one thing: a project, a repository, an idea.',
    mark_all: 'Mark all as read',
    go_to: (feed: string) => `Write in ${feed}`,
    on: (title: string) => `on “${title}”`,
  },
  {
    title: '받은 글',
    unread_count: (n: number) => `읽지 않음 (${n})`,
    more: (n: number) => `${n}개 더 있음`,
    recent: '최근',
    working: '지금 일하는 중',
    all_read: '모두 읽었습니다',
    empty: '아직 아무것도 없습니다',
    empty_about:
      '피드에서 에이전트에게 말을 걸어 보세요. “@demo 안녕”이라는 글 하나면 답을 볼 수 있습니다.',
    no_feeds: '먼저 피드를 만드세요',
    no_feeds_about: '피드는 프로젝트나 저장소, 아이디어처럼 한 가지 주제의 글을 모으는 곳입니다.',
    mark_all: '모두 읽음으로',
    go_to: (feed: string) => `${feed}에 쓰기`,
    on: (title: string) => `“${title}”`,
  },
);
