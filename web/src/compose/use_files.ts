// Files that are put into a text while it is written.

import { useEffect } from 'react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';

import { composeText } from '../text/compose.ts';
import { useText } from '../text/text.ts';
import { drafts, useIsSending } from './draft.ts';
import type { Draft } from './draft.ts';
import { insertMarks, markFor, replaceMark, sendFile, upload_bytes_max } from './uploads.ts';
import type { Mark } from './uploads.ts';

type Area = RefObject<HTMLTextAreaElement | null>;

// Where a text is written now, by its place: not always where a file was put into it.
const areas = new Map<string, Area>();

// Drawn at once, because only then the caret can be put where it belongs.
function replace(draft: Draft, mark: Mark, by: string) {
  const box = areas.get(draft.place)?.current;
  const edit = replaceMark({ text: draft.now(), caret: box?.selectionStart ?? 0 }, mark, by);
  flushSync(() => draft.set(edit.text));
  box?.setSelectionRange(edit.caret, edit.caret);
}

export function useFiles(draft: Draft, area: Area, onError: (error: unknown) => void) {
  const t = useText(composeText);
  const { place } = draft;
  const isBusy = useIsSending(place);
  useEffect(() => {
    areas.set(place, area);
    return () => {
      if (areas.get(place) === area) areas.delete(place);
    };
  }, [place, area]);

  const send = async (mark: Mark) => {
    try {
      replace(draft, mark, await sendFile(mark));
    } catch (failure) {
      replace(draft, mark, '');
      onError(failure);
    } finally {
      drafts.count(place, -1);
    }
  };
  const attach = (files: readonly File[]) => {
    const tooBig = files.find((file) => file.size > upload_bytes_max);
    if (tooBig) onError(new Error(t.too_big(tooBig.name)));
    const marks = files
      .filter((file) => file.size <= upload_bytes_max)
      .map((file) => markFor(file, t.uploading(file.name)));
    if (marks.length === 0) return;
    const text = draft.now();
    const caret = area.current?.selectionStart ?? text.length;
    draft.set(insertMarks(text, caret, marks));
    drafts.count(place, marks.length);
    for (const mark of marks) void send(mark);
  };
  return { attach, isBusy };
}
