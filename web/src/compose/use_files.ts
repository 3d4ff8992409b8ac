// Files that are put into a text while it is written.

import { useRef, useState } from 'react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';

import { composeText } from '../text/compose.ts';
import { useText } from '../text/text.ts';
import { insertMarks, markFor, replaceMark, sendFile, upload_bytes_max } from './uploads.ts';
import type { Mark } from './uploads.ts';

export function useFiles(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
  onError: (error: unknown) => void,
) {
  const t = useText(composeText);
  const [under_way, setUnderWay] = useState(0);
  const latest = useRef(text);
  latest.current = text;

  // Drawn at once, because only then the caret can be put where it belongs.
  const replace = (mark: Mark, by: string) => {
    const box = area.current;
    const caret = box?.selectionStart ?? 0;
    const edit = replaceMark({ text: latest.current, caret }, mark, by);
    latest.current = edit.text;
    flushSync(() => setText(edit.text));
    box?.setSelectionRange(edit.caret, edit.caret);
  };
  const send = async (mark: Mark) => {
    try {
      replace(mark, await sendFile(mark));
    } catch (failure) {
      replace(mark, '');
      onError(failure);
    } finally {
      setUnderWay((n) => n - 1);
    }
  };
  const attach = (files: readonly File[]) => {
    const tooBig = files.find((file) => file.size > upload_bytes_max);
    if (tooBig) onError(new Error(t.too_big(tooBig.name)));
    const marks = files
      .filter((file) => file.size <= upload_bytes_max)
      .map((file) => markFor(file, t.uploading(file.name)));
    if (marks.length === 0) return;
    const caret = area.current?.selectionStart ?? text.length;
    setText(insertMarks(latest.current, caret, marks));
    setUnderWay((n) => n + marks.length);
    for (const mark of marks) void send(mark);
  };
  return { attach, isBusy: under_way > 0 };
}
