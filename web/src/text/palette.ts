import { texts } from './text.ts';

export const paletteText = texts(
  {
    title: 'Search or jump',
    placeholder: 'Where to, or what to look for?',
    search_for: (words: string) => `Search for “${words}”`,
    feed: 'feed',
    agent: 'agent',
    session: 'session',
    post: 'post',
    page: 'page',
    go: 'Places',
  },
  {
    title: '검색 · 이동',
    placeholder: '어디로 갈까요, 무엇을 찾을까요?',
    search_for: (words: string) => `“${words}” 검색`,
    feed: '피드',
    agent: '에이전트',
    session: '세션',
    post: '글',
    page: '페이지',
    go: '갈 곳',
  },
);
