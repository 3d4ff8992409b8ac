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
  [
    'it goes on at 2026-11-16T01:00:00Z: it is used too much',
    '2026-11-16T01:00:00Z에 이어서 합니다: it is used too much',
  ],
  [
    `the run failed (timed_out): it was ended after 30 min, its time limit${again}`,
    `실행이 실패했습니다 (시간 초과): 제한 시간 30분이(가) 지나 끝냈습니다${later}`,
  ],
  [`the run was stopped: it was stopped${again}`, `실행이 중지되었습니다${later}`],
  [
    'it ended with exit code 3 and no result: no space left',
    '결과 없이 종료 코드 3(으)로 끝났습니다: no space left',
  ],
  ['held for 2 h 5 min, the limit is 30 min', '2시간 5분 동안 잡고 있으며, 한도는 30분입니다'],
  ['no worker serves it now', '지금 맡은 작업자가 없습니다'],
  [
    'its session default waits for its service until 2026-11-16T01:00:00Z',
    '세션 default이(가) 서비스를 기다립니다: 2026-11-16T01:00:00Z까지',
  ],
  ['what nobody has heard of', 'what nobody has heard of'],
])('%s', (said, words) => {
  expect(inKorean(said)).toBe(words);
});

// Sources of the hub, by their paths.
const sources = Object.entries(
  import.meta.glob<string>('../../../src/{api,backend,core,feed,run,work}/*.cc', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).filter(([path]) => !path.endsWith('_test.cc'));

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
  'it goes on at {}: {}',
  'session limit reached',
  'not a possible session name',
  ', handled by the default session',
  'agents have mentioned agents {} times here within {}: the chain stops, nobody was woken',
  'budget reached: {} of {} {} today ({})',
  'the run was lost',
  'the run has ended',
  'its keeper died',
  'signal {} ended it',
  'it ended with exit code {} and no {}',
  'it was ended at its time limit',
  'it was not allowed to use {}',
  'it asks to be called later',
  'the model service refuses the login: ',
])('the hub says "%s"', (words) => {
  expect(sources.some(([, text]) => text.includes(words))).toBe(true);
});

// What stands in them as the reason of something. To keepers the hub says why nothing begins for
// them; people do not read that.
const reason =
  /(?:^|[^n])(?:\.why|evidence|judgement\.why) =\s*(?:was_left \? )?(?:fmt::format\()?"([^"]+)"/g;

// With what may stand there in place of `{}`.
function filled(words: string) {
  const whose = words.replace('{} today', 'runs of the agent today');
  return ['7', '5 min'].map((value) => whose.replaceAll('{}', value));
}

const said = sources.flatMap(([path, text]) => {
  const reasons = [...text.matchAll(reason)].map((found) => found[1] ?? '');
  return reasons.map((words) => [words, path.replace(/.*\/src\//, '')] as const);
});

test('there are reasons in the sources', () => {
  expect(said.length).toBeGreaterThan(15);
});

// Whoever gives a new reason finds here that the page must learn it.
test.each(said)('"%s" is Korean in a Korean page (%s)', (words) => {
  expect(filled(words).some((one) => /[가-힣]/.test(inKorean(one)))).toBe(true);
});
