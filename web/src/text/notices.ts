// What the hub remarks, in Korean. It says it in English sentences, which are the same wherever they
// are read; here they are told apart by how they go. One that is not known is shown as it is.

import { statusText } from './status.ts';
import { useLanguage } from './text.ts';

const units: Record<string, string> = { ms: '밀리초', s: '초', min: '분', h: '시간', d: '일' };

function span(words: string) {
  return words.replace(/(\d+) (ms|s|min|h|d)\b/g, (_, n: string, unit: string) => n + units[unit]);
}

function verdict(name: string) {
  return (statusText.ko as Record<string, string>)[name] ?? name;
}

const because = (why: string | undefined) => (why ? `: ${why}` : '');

type Rule = readonly [how: RegExp, say: (...parts: (string | undefined)[]) => string];

// The longer ones first: they hold others.
const rules: readonly Rule[] = [
  [
    /^skipped: (.+); it can be tried again$/s,
    (told = '') => `건너뜀: ${inKorean(told)}. 다시 시도할 수 있습니다.`,
  ],
  [
    /^(.+); the next message here has it tried again$/s,
    (told = '') => `${inKorean(told)}. 여기에 다음 메시지가 오면 다시 시도합니다.`,
  ],
  [
    /^woken (\d+) times without an answer(?:; at last (.+))?$/s,
    (times, last) => `${times}번 깨웠지만 답이 없었습니다${last ? `; 마지막: ${inKorean(last)}` : ''}`,
  ],
  [/^the run ended without an answer$/, () => '실행이 답 없이 끝났습니다'],
  [/^the run was stopped(?:: (.+))?$/s, (why) => `실행이 중지되었습니다${because(why)}`],
  [
    /^the run failed(?: \((\w+)\))?(?:: (.+))?$/s,
    (how, why) => `실행이 실패했습니다${how ? ` (${verdict(how)})` : ''}${because(why)}`,
  ],
  [/^done, but (.+) was denied$/s, (what) => `완료했지만 ${what} 사용이 거부되었습니다`],
  [/^done, but (.+)$/s, (why) => `완료했지만 문제가 있었습니다: ${why}`],
  [
    /^@(.+): session limit reached, handled by the default session$/s,
    (name) => `@${name}: 세션 한도에 도달해 기본 세션이 처리합니다`,
  ],
  [
    /^@(.+): not a possible session name, handled by the default session$/s,
    (name) => `@${name}: 쓸 수 없는 세션 이름이라 기본 세션이 처리합니다`,
  ],
  [
    /^agents have mentioned agents (\d+) times here within (.+): the chain stops, nobody was woken$/,
    (times, within = '') =>
      `${span(within)} 안에 에이전트끼리 여기서 ${times}번 서로 불렀습니다. 여기서 멈추며, 아무도 깨우지 않았습니다.`,
  ],
  [
    /^budget reached: (\d+) of (\d+) (runs|cents) of the (agent|session) today \((\w+)\)$/,
    (used, most, what, whose, setting) =>
      `예산에 도달했습니다: 오늘 ${whose === 'agent' ? '에이전트' : '세션'}의 ` +
      `${what === 'runs' ? '실행' : '비용(센트)'} ${most} 중 ${used} (${setting})`,
  ],
  [
    /^there is no agent @(.+?)(?:; did you mean @(.+)\?)?$/s,
    (name, near) => `@${name}라는 에이전트가 없습니다${near ? `. @${near}을(를) 뜻했나요?` : ''}`,
  ],
  [
    /^nobody serves @(.+) now; it answers when a worker does$/s,
    (name) => `지금 @${name}을(를) 맡은 작업자가 없습니다. 작업자가 생기면 답합니다.`,
  ],
  [/^its worker left$/, () => '작업자가 떠났습니다'],
  [/^the run was lost$/, () => '실행이 사라졌습니다'],
];

export function inKorean(text: string): string {
  for (const [how, say] of rules) {
    const found = how.exec(text);
    if (found) return say(...found.slice(1));
  }
  return text;
}

// What the hub said, in the language of the page.
export function useNoticeWords() {
  const language = useLanguage();
  return language === 'ko' ? inKorean : (text: string) => text;
}
