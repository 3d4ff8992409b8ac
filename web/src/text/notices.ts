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

const because = (why: string | undefined) => (why ? `: ${inKorean(why)}` : '');

type Rule = readonly [how: RegExp, say: (...parts: (string | undefined)[]) => string];

// The longer ones first: they hold others.
const remarks: readonly Rule[] = [
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
  [/^(?:the run|it) ended without an answer$/, () => '실행이 답 없이 끝났습니다'],
  [
    /^the run was stopped(?:: (?:it was stopped|(.+)))?$/s,
    (why) => `실행이 중지되었습니다${because(why)}`,
  ],
  [
    /^the run failed(?: \((\w+)\))?(?:: (.+))?$/s,
    (how, why) => `실행이 실패했습니다${how ? ` (${verdict(how)})` : ''}${because(why)}`,
  ],
  [/^done, but (.+) was denied$/s, (what) => `완료했지만 ${what} 사용이 거부되었습니다`],
  [/^done, but (.+)$/s, (why) => `완료했지만 문제가 있었습니다${because(why)}`],
  [
    /^it goes on at (\S+Z): (.*)$/s,
    (at, why) => `${at}에 이어서 합니다${because(why)}`,
  ],
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
];

// Why a run ended as it did.
const causes: readonly Rule[] = [
  [/^its worker left$/, () => '작업자가 떠났습니다'],
  [/^the run was lost$/, () => '실행이 사라졌습니다'],
  [/^the run has ended$/, () => '실행이 끝났습니다'],
  [/^its lease has ended$/, () => '세션을 맡은 기한이 끝났습니다'],
  [/^its lease was lost$/, () => '세션을 맡은 권한을 잃었습니다'],
  [/^its keeper never heard of it$/, () => '관리 프로세스가 이 실행을 전달받지 못했습니다'],
  [/^its keeper died(?:: (.+))?$/s, (why) => `관리 프로세스가 죽었습니다${because(why)}`],
  [
    /^it was not started, and its keeper is not known to live: (.+)$/s,
    (why) => `시작되지 않았고, 관리 프로세스가 살아 있는지 알 수 없습니다${because(why)}`,
  ],
  [
    /^the process above its keeper was killed$/,
    () => '관리 프로세스를 시작한 프로세스가 강제로 종료되었습니다',
  ],
  [
    /^it was ended after (.+), its time limit$/,
    (limit = '') => `제한 시간 ${span(limit)}이(가) 지나 끝냈습니다`,
  ],
  [/^it was ended at its time limit$/, () => '제한 시간이 되어 끝냈습니다'],
  [/^it said nothing for (.+)$/, (time = '') => `${span(time)} 동안 아무 말도 하지 않았습니다`],
  [/^it wrote more than (\d+) MiB$/, (most) => `출력이 ${most} MiB를 넘었습니다`],
  [/^it was stopped$/, () => '중지되었습니다'],
  [/^it was interrupted$/, () => '중단되었습니다'],
  [/^signal (\d+) ended it(?:: (.+))?$/s, (signal, why) => `신호 ${signal}(으)로 끝났습니다${because(why)}`],
  [
    /^it ended with exit code (\d+)(?: and no (result|reason))?(?:: (.+))?$/s,
    (code, lacks, why) =>
      `${lacks === 'result' ? '결과 없이 ' : lacks ? '이유를 말하지 않고 ' : ''}` +
      `종료 코드 ${code}(으)로 끝났습니다${because(why)}`,
  ],
  [/^it was not allowed to use (.+)$/s, (what) => `${what} 사용이 허용되지 않았습니다`],
  [/^it asks to be called later$/, () => '나중에 다시 부르라고 합니다'],
  [
    /^the model service refuses the login: (.+)$/s,
    (why) => `모델 서비스가 로그인을 거부합니다${because(why)}`,
  ],
];

// How an agent is doing, and how a holder was seen.
const conditions: readonly Rule[] = [
  [/^no worker serves it now$/, () => '지금 맡은 작업자가 없습니다'],
  [
    /^workers do not start it; it looks for its work itself$/,
    () => '작업자가 시작하지 않으며, 스스로 할 일을 찾습니다',
  ],
  [
    /^its session (.+) waits for its service until (.+)$/,
    (session, until) => `세션 ${session}이(가) 서비스를 기다립니다: ${until}까지`,
  ],
  [/^process (\d+) is there$/, (pid) => `프로세스 ${pid}이(가) 있습니다`],
  [/^no process (\d+)$/, (pid) => `프로세스 ${pid}이(가) 없습니다`],
  [/^process (\d+) of another user$/, (pid) => `다른 사용자의 프로세스 ${pid}`],
  [
    /^a process (\d+), perhaps another one$/,
    (pid) => `프로세스 ${pid}이(가) 있지만 다른 것일 수 있습니다`,
  ],
  [
    /^pid (\d+) now belongs to another process$/,
    (pid) => `프로세스 번호 ${pid}은(는) 이제 다른 프로세스의 것입니다`,
  ],
  [/^its process cannot be seen from here$/, () => '여기서는 프로세스가 보이지 않습니다'],
  [/^the machine was restarted since$/, () => '그 뒤에 컴퓨터가 다시 시작되었습니다'],
  [/^no heartbeat for (.+)$/, (time = '') => `${span(time)} 동안 소식이 없습니다`],
  [
    /^held for (.+), the limit is (.+)$/,
    (held = '', most = '') => `${span(held)} 동안 잡고 있으며, 한도는 ${span(most)}입니다`,
  ],
];

const rules = [...remarks, ...causes, ...conditions];

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
