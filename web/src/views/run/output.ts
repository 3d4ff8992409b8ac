// What a run said, cut into what is shown: words, tool calls in a row, and what went wrong.
//
// The worker tells it as lines for people: `> Read src/main.cc` is a tool call, `! …` a failure.

import type { LiveRun, Output } from '../../log/subjects.ts';

export interface ToolCall {
  tool: string;
  about: string;
  failure?: string;
}

export type Block =
  | { is: 'words'; text: string }
  | { is: 'tools'; calls: ToolCall[] }
  | { is: 'trouble'; text: string }
  | { is: 'gap'; bytes: number }
  | { is: 'silence' };

const tool_line = /^> ([\w.:/-]{1,100})(?: (.*))?$/;
// More was said than the worker tells: it says how much, or that it tells no more.
const gap_line = /^! (\d{1,15}) bytes of what it said are left out here$/;
const silence_line = /^! what it says from here on is not told here$/;
const failed_line = /^! ([\w.:/-]{1,100}) failed: (.*)$/;

// `left_out`: bytes that were said before, and are not kept here.
export function blocksOf(outputs: readonly Pick<Output, 'text'>[], left_out = 0): Block[] {
  const blocks: Block[] = left_out > 0 ? [{ is: 'gap', bytes: left_out }] : [];
  const add = (line: string) => {
    const last = blocks.at(-1);
    const tool = tool_line.exec(line);
    const failed = failed_line.exec(line);
    const gap = gap_line.exec(line);
    if (tool) {
      const call = { tool: tool[1] ?? '', about: tool[2] ?? '' };
      if (last?.is === 'tools') last.calls.push(call);
      else blocks.push({ is: 'tools', calls: [call] });
    } else if (failed && last?.is === 'tools') {
      const call = last.calls.findLast((one) => one.tool === failed[1]) ?? last.calls.at(-1);
      if (call) call.failure = failed[2] ?? '';
    } else if (gap) {
      blocks.push({ is: 'gap', bytes: Number(gap[1]) });
    } else if (silence_line.test(line)) {
      blocks.push({ is: 'silence' });
    } else if (line.startsWith('! ')) {
      blocks.push({ is: 'trouble', text: line.slice(2) });
    } else if (last?.is === 'words') {
      last.text += `\n${line}`;
    } else if (line) {
      blocks.push({ is: 'words', text: line });
    }
  };
  for (const { text } of outputs) {
    for (const line of text.replace(/\n$/, '').split('\n')) add(line);
  }
  return blocks;
}

// The newest words, for a list of runs.
export function lastLine(run: LiveRun): string {
  const text = run.outputs?.at(-1)?.text ?? run.output ?? '';
  return (text.trimEnd().split('\n').at(-1) ?? '').replace(/^[>!] /, '');
}
