// A dialog, and a question before something that cannot be undone. Radix keeps the focus inside,
// closes it with Escape and names it for screen readers.

import * as Radix from '@radix-ui/react-dialog';
import { useState } from 'react';
import type { ReactNode } from 'react';

import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';
import { ErrorBox } from './boxes.tsx';
import { Button } from './button.tsx';
import { Veil } from './veil.tsx';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: string;
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, about, wide, children }: DialogProps) {
  const t = useText(partsText);
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Radix.Portal>
        <Veil />
        <Radix.Content
          {...(about ? {} : { 'aria-describedby': undefined })}
          className={
            'border-line bg-raised fixed top-[12vh] left-1/2 z-50 max-h-[80vh] -translate-x-1/2 ' +
            'overflow-y-auto rounded-lg border p-4 shadow-[0_12px_40px_var(--shadow)] ' +
            `w-[calc(100vw-2rem)] ${wide ? 'max-w-2xl' : 'max-w-md'}`
          }
        >
          <div className="flex items-start gap-2">
            <Radix.Title className="user-text min-w-0 grow text-lg font-semibold">
              {title}
            </Radix.Title>
            <Button look="quiet" icon="close" aria-label={t.close} onClick={onClose} />
          </div>
          {about && (
            <Radix.Description className="text-soft user-text mt-1 text-sm">
              {about}
            </Radix.Description>
          )}
          <div className="mt-3">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface QuestionProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about: string;
  // The verb itself, "Delete": the answer says what happens.
  yes: string;
  act: () => Promise<unknown>;
  children?: ReactNode;
}

export function Question({ open, onClose, title, about, ...rest }: QuestionProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} about={about}>
      <Answer onClose={onClose} {...rest} />
    </Dialog>
  );
}

// It is there while the dialog is: what went wrong with one question is not said of the next.
function Answer(props: Pick<QuestionProps, 'onClose' | 'yes' | 'act' | 'children'>) {
  const { onClose, yes, act, children } = props;
  const t = useText(partsText);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const go = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {children}
      {error !== undefined && <ErrorBox error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button look="danger" disabled={busy} onClick={() => void go()}>
          {yes}
        </Button>
      </div>
    </>
  );
}
