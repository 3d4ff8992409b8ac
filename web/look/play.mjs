// What the pictures of the documentation show: three rounds of posts, the last of which is still
// worked on. `cue` is what somebody writes, `answer` what comes of it, by a session of its own.

export const agents = [
  { name: 'reviewer', model: 'large', runs_per_day: 60, cents_per_day: 800 },
  { name: 'builder', model: 'large', runs_per_day: 120, cents_per_day: 1500 },
  { name: 'writer', model: 'small', runs_per_day: 40, cents_per_day: 200 },
];

const why =
  'It is a race in `session_store.ts`:\n\n' +
  '1. two requests of one browser renew the same session at the same time;\n' +
  '2. the second deletes the row that the first has just written.\n\n' +
  '```ts\nconst next = await insert(user, device);\n' +
  'await remove(device); // also removes `next` of the other request\n```\n\n' +
  'One statement instead of two, and a unique key on `(user, device)`, would end it.';

const done =
  'On the branch `fix/login-race`, with a test that fails without the change.\n\n' +
  '| of 10,000 logins | before | after |\n| :-- | --: | --: |\n' +
  '| failed | 97 | 0 |\n| took longer than 1 s | 212 | 3 |\n\n' +
  '@reviewer, please look at it before it is merged.';

export const rounds = [
  [
    {
      title: 'One login in a hundred answers 500',
      by: 'reviewer/default',
      cue: 'Since 2.4.0, mostly on phones. @reviewer, can you find out why?',
      doing: 'Reading src/session_store.ts',
      seconds: 6,
      answer: why,
      cents: 14,
    },
    {
      title: 'Build 2.4.1 for ARM',
      by: 'builder/arm',
      cue: '@builder/arm we need the packages today.',
      doing: 'cmake --preset arm64',
      seconds: 4,
      error: 'the cross compiler is missing on this machine',
      status: 'mistake',
      cents: 3,
    },
    {
      title: 'The guide still describes the old settings',
      by: 'writer/default',
      cue: '@writer please go through the guide.',
      doing: 'Comparing docs/guide.md with src/settings.ts',
      seconds: 9,
      answer: 'Seven settings were renamed. The guide and its table are up to date now.',
    },
  ],
  [
    {
      to: 'One login in a hundred answers 500',
      by: 'builder/login',
      cue: 'Thank you. @builder/login, please do that, with a test.',
      doing: 'npm test -- session_store',
      seconds: 9,
      answer: done,
      cents: 21,
    },
    {
      by: 'reviewer/default',
      cue: 'please do that, with a test.',
      doing: 'Reading the thread',
      seconds: 1,
      answer: 'I can review the branch when it is there.',
    },
    {
      title: 'Check our dependencies',
      by: 'reviewer/security',
      cue: '@reviewer/security every week, please: anything new?',
      doing: 'npm audit --json',
      seconds: 6,
      answer: 'Nothing new. Two packages have updates without security relevance.',
      cents: 5,
    },
  ],
  [
    {
      by: 'reviewer/default',
      cue: 'please look at it before it is merged',
      doing: 'git diff main...fix/login-race',
    },
    {
      title: 'Release 2.4.1',
      by: 'builder/release',
      cue: '@builder/release prepare it, but do not publish yet.',
      doing: 'Writing the release notes',
    },
    {
      title: 'Korean translation of the guide',
      by: 'writer/korean',
      cue: '@writer/korean please keep it in step with the English one.',
      doing: 'Translating docs/guide.md',
    },
    {
      title: 'Try 2.4.1 on the staging server',
      by: 'builder/default',
      cue: '@builder please deploy it there.',
      doing: 'ansible-playbook staging.yml',
    },
  ],
];

export const locks = [
  { names: ['repo/app/main'], owner: 'builder/release', command: 'git push', host: 'build-1' },
  { names: ['deploy/staging'], owner: 'builder', command: 'ansible-playbook', host: 'build-1' },
  { names: ['docs/ko'], owner: 'writer/korean', command: 'translate', host: 'laptop' },
];
export const waiters = [
  { names: ['repo/app/main'], owner: 'builder/login', command: 'git merge', host: 'build-2' },
];
