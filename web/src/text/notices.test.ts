import { expect, test } from 'vitest';

import { inKorean } from './notices.ts';

const again = '; the next message here has it tried again';
const later = '. 여기에 다음 메시지가 오면 다시 시도합니다.';

test.each([
  [`the run ended without an answer${again}`, `실행이 답 없이 끝났습니다${later}`],
  [`the run was stopped${again}`, `실행이 중지되었습니다${later}`],
  [`the run failed (credentials): no login${again}`, `실행이 실패했습니다 (인증 없음): no login${later}`],
  [`the run failed: exit code 3; see its log${again}`, `실행이 실패했습니다: exit code 3; see its log${later}`],
  [
    'skipped: woken 3 times without an answer; it can be tried again',
    '건너뜀: 3번 깨웠지만 답이 없었습니다. 다시 시도할 수 있습니다.',
  ],
  [
    'skipped: woken 3 times without an answer; at last the run failed: no disk; it can be tried again',
    '건너뜀: 3번 깨웠지만 답이 없었습니다; 마지막: 실행이 실패했습니다: no disk. 다시 시도할 수 있습니다.',
  ],
  ['done, but Bash was denied', '완료했지만 Bash 사용이 거부되었습니다'],
  [
    '@demo/여섯번째: session limit reached, handled by the default session',
    '@demo/여섯번째: 세션 한도에 도달해 기본 세션이 처리합니다',
  ],
  [
    'agents have mentioned agents 4 times here within 5 min: the chain stops, nobody was woken',
    '5분 안에 에이전트끼리 여기서 4번 서로 불렀습니다. 여기서 멈추며, 아무도 깨우지 않았습니다.',
  ],
  [
    'budget reached: 2 of 2 runs of the agent today (runs_per_day)',
    '예산에 도달했습니다: 오늘 에이전트의 실행 2 중 2 (runs_per_day)',
  ],
  ['there is no agent @slwo; did you mean @slow?', '@slwo라는 에이전트가 없습니다. @slow을(를) 뜻했나요?'],
  [
    'nobody serves @slow now; it answers when a worker does',
    '지금 @slow을(를) 맡은 작업자가 없습니다. 작업자가 생기면 답합니다.',
  ],
  ['what nobody has heard of', 'what nobody has heard of'],
])('%s', (said, words) => {
  expect(inKorean(said)).toBe(words);
});

// Whoever changes a sentence of the hub finds here that the page knows it by its words.
test.each([
  'the run ended without an answer',
  'the run was stopped',
  'the run failed',
  '; the next message here has it tried again',
  'woken {} times without an answer',
  '; at last ',
  '; it can be tried again',
  'done, but ',
  'session limit reached',
  'not a possible session name',
  ', handled by the default session',
  'agents have mentioned agents {} times here within {}: the chain stops, nobody was woken',
  'budget reached: {} of {} {} today ({})',
])('the hub says "%s"', (words) => {
  const sources = import.meta.glob<string>('../../../src/feed/*.cc', {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const said = Object.entries(sources).filter(([path]) => !path.endsWith('_test.cc'));
  expect(said.some(([, text]) => text.includes(words))).toBe(true);
});
