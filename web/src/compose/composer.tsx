// Where texts are written: Markdown with a preview, files by button, drop and paste, and
// `@` completion.

import { useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import type { DragEvent, KeyboardEvent, ReactNode, Ref } from 'react';

import { ErrorBox } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { composeText } from '../text/compose.ts';
import { useText } from '../text/text.ts';
import { drafts, useDraft } from './draft.ts';
import { MentionMenu } from './mention_menu.tsx';
import { useFiles } from './use_files.ts';
import { useMentions } from './use_mentions.ts';

export interface ComposerHandle {
  focus: () => void;
}

interface ComposerProps {
  name: string; // Of the draft.
  label: string;
  placeholder: string;
  send: string;
  first?: string;
  menu?: 'above' | 'below';
  rows?: number;
  handle?: Ref<ComposerHandle>;
  above?: ReactNode; // A title, for instance.
  onSend: (text: string) => Promise<void>;
  onCancel?: { words: string; act: () => void };
}

const bytes_max = 100 * 1024;

// Long because everything that a text field does comes together here; what it does is elsewhere.
export function Composer(props: ComposerProps) {
  const t = useText(composeText);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(props.name, props.first);
  const { text, set: setText } = draft;
  const [preview, setPreview] = useState(false);
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>();
  const menu = useMentions(area, text, setText);
  const files = useFiles(draft, area, setError);
  const { send, isBusy, bytes } = useSending(props, text, setError);
  const isTooLong = bytes > bytes_max;
  const canSend = text.trim() !== '' && !isTooLong && !isBusy && !files.isBusy;
  const isOpen = menu.offers.length > 0;
  useHeight(area, text, preview);
  useImperativeHandle(props.handle, () => ({
    focus: () => {
      setPreview(false);
      requestAnimationFrame(() => area.current?.focus());
    },
  }));

  const submit = async () => {
    if (canSend && (await send())) setPreview(false);
  };
  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // While a Korean syllable is being composed, Enter belongs to it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
    else if (menu.keyDown(event)) event.stopPropagation();
    else if (event.key === 'Escape') event.currentTarget.blur();
    else return;
    event.preventDefault();
  };
  const dragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const receive = (event: { preventDefault: () => void }, given: FileList) => {
    setOver(false);
    if (given.length === 0) return;
    event.preventDefault();
    files.attach([...given]);
  };

  return (
    <div
      className={
        'bg-raised relative rounded-lg border ' + (over ? 'border-accent' : 'border-line-strong')
      }
      onDragOver={dragOver}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => receive(event, event.dataTransfer.files)}
    >
      {props.above}
      {preview ? (
        <div className="max-h-[40vh] min-h-16 overflow-y-auto px-3 py-2">
          {text.trim() ? <Markdown text={text} /> : <p className="text-faint">{t.empty_preview}</p>}
        </div>
      ) : (
        <textarea
          ref={area}
          dir="auto"
          aria-label={props.label}
          placeholder={over ? t.drop : props.placeholder}
          value={text}
          rows={props.rows ?? 2}
          aria-autocomplete="list"
          aria-controls={isOpen ? id : undefined}
          aria-activedescendant={isOpen ? `${id}-${menu.chosen}` : undefined}
          className="block w-full resize-none bg-transparent px-3 py-2 text-base outline-none!"
          onChange={(event) => {
            setText(event.target.value);
            menu.typed(event.target.selectionStart);
          }}
          onSelect={(event) => menu.setCaret(event.currentTarget.selectionStart)}
          onBlur={() => menu.setCaret(-1)}
          onKeyDown={keyDown}
          onPaste={(event) => receive(event, event.clipboardData.files)}
        />
      )}
      {isOpen && (
        <MentionMenu
          id={id}
          offers={menu.offers}
          active={menu.chosen}
          side={props.menu ?? 'below'}
          onTake={(offer) => menu.take(offer)}
        />
      )}
      {isTooLong && <p className="text-bad px-3 text-sm">{t.too_long(Math.ceil(bytes / 1024))}</p>}
      {error !== undefined && (
        <div className="px-2">
          <ErrorBox error={error} />
        </div>
      )}
      <div className="flex items-center gap-1 p-1.5">
        <Attach onFiles={files.attach} />
        <Button look="quiet" aria-pressed={preview} onClick={() => setPreview(!preview)}>
          {preview ? t.write : t.preview}
        </Button>
        <span
          title={t.hint}
          className="text-faint invisible min-w-0 grow truncate pr-2 text-right text-xs sm:visible"
        >
          {t.send_keys}
        </span>
        {props.onCancel && <Button onClick={props.onCancel.act}>{props.onCancel.words}</Button>}
        <Button look="main" disabled={!canSend} onClick={() => void submit()}>
          {props.send}
        </Button>
      </div>
    </div>
  );
}

// What was sent is gone from the field; what was not stays in it.
function useSending(
  props: ComposerProps,
  text: string,
  setError: (error: unknown) => void,
) {
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await props.onSend(text);
      drafts.write(props.name, undefined);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { send, isBusy, bytes: new TextEncoder().encode(text).length };
}

// As high as its text, within bounds.
function useHeight(
  area: { readonly current: HTMLTextAreaElement | null },
  text: string,
  preview: boolean,
) {
  useEffect(() => {
    const box = area.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight + 2, window.innerHeight * 0.4)}px`;
  }, [area, text, preview]);
}

function Attach({ onFiles }: { onFiles: (files: File[]) => void }) {
  const t = useText(composeText);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        look="quiet"
        icon="attach"
        aria-label={t.attach}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}
