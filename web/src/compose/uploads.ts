// Files that are put into a text: a mark stands where one will be, until the hub has it.

import { upload } from '../api/client.ts';
import type { Edit } from './mention.ts';

export const upload_bytes_max = 50 * 1024 * 1024;
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

let count = 0;

export interface Mark {
  file: File;
  text: string;
}

export function markFor(file: File, words: string): Mark {
  count += 1;
  return { file, text: `![${words.replace(/[[\]]/g, '')} ${count}]()` };
}

// A name as it can stand in Markdown between brackets.
function quoted(name: string) {
  return name.replace(/[\\[\]]/g, '\\$&');
}

// On lines of their own behind the one with the caret: they never split what stands there, which
// may be the link of another file.
export function insertMarks(text: string, caret: number, marks: readonly Mark[]) {
  const newline = text.indexOf('\n', caret);
  const at = newline < 0 ? text.length : newline;
  const before = text.slice(0, at);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const lines = marks.map((mark) => mark.text).join('\n');
  return `${before}${gap}${lines}${text.slice(at) || '\n'}`;
}

export async function sendFile({ file }: Mark): Promise<string> {
  const name = file.name || 'pasted.png';
  const kept = await upload(file, name);
  const link = `[${quoted(kept.name)}](${kept.url})`;
  return shown.has(kept.content_type) ? `!${link}` : link;
}

// Where the mark is now: the text around it may have changed while it was sent. The caret stays
// with the letters it was at.
export function replaceMark(now: Edit, mark: Mark, by: string): Edit {
  const at = now.text.indexOf(mark.text);
  if (at < 0) return { text: by ? `${now.text}\n${by}` : now.text, caret: now.caret };
  const end = at + mark.text.length;
  const text = now.text.slice(0, at) + by + now.text.slice(end);
  if (now.caret <= at) return { text, caret: now.caret };
  return { text, caret: at + by.length + Math.max(0, now.caret - end) };
}
