// What stands where there is nothing to show: nothing yet, still loading, or something went wrong.

import type { ReactNode } from 'react';

import { ApiError } from '../api/client.ts';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

// An empty place says what to do first.
// `alone`: there is nothing else on the page, so its title is that of the page.
export function Empty(props: { title: string; alone?: boolean; children?: ReactNode }) {
  const Title = props.alone ? 'h1' : 'p';
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      <Title className="text-lg font-medium">{props.title}</Title>
      {props.children && (
        <div className="text-soft flex flex-col items-center gap-3">{props.children}</div>
      )}
    </div>
  );
}

export function Loading() {
  const t = useText(partsText);
  return (
    <p role="status" className="text-faint px-4 py-6 text-sm">
      {t.loading}
    </p>
  );
}

// What the hub says is a sentence for people already; what went wrong below it is not.
export function useErrorWords() {
  const t = useText(partsText);
  return (error: unknown) => {
    if (error instanceof ApiError) return error.status === 0 ? t.unreachable : error.message;
    return error instanceof Error ? error.message : String(error);
  };
}

export function ErrorBox(props: { error: unknown; again?: () => void }) {
  const t = useText(partsText);
  const words = useErrorWords();
  return (
    <div
      role="alert"
      className={
        'border-bad bg-bad-wash text-bad my-2 flex items-start gap-2 rounded-md border ' +
        'px-3 py-2 text-sm'
      }
    >
      <span className="mt-0.5">
        <Icon name="warning" />
      </span>
      <p className="user-text min-w-0 grow">
        <strong className="font-medium">{t.went_wrong}:</strong> {words(props.error)}
      </p>
      {props.again && (
        <Button look="quiet" onClick={props.again}>
          {t.try_again}
        </Button>
      )}
    </div>
  );
}
