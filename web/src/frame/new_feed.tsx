import { useState } from 'react';
import type { FormEvent } from 'react';

import { call } from '../api/client.ts';
import { take } from '../log/fold.ts';
import { store } from '../log/hooks.ts';
import { ErrorBox } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { feedText } from '../text/feed.ts';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';

export function NewFeed({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useText(feedText);
  return (
    <Dialog open={open} onClose={onClose} title={t.new_feed} about={t.new_feed_about}>
      <Form onClose={onClose} />
    </Dialog>
  );
}

// It is there while the dialog is: a name that was given up is not offered again.
function Form({ onClose }: { onClose: () => void }) {
  const t = useText(feedText);
  const p = useText(partsText);
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const feed = await call('POST /api/feeds', { body: { name: name.trim() } });
      take(store, 'feed', feed);
      onClose();
      navigate(paths.feed(feed.id));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form onSubmit={(event) => void make(event)}>
      <Field
        label={t.feed_name}
        value={name}
        maxLength={100}
        required
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      {error !== undefined && <ErrorBox error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{p.cancel}</Button>
        <Button look="main" type="submit" disabled={!name.trim()}>
          {t.make_feed}
        </Button>
      </div>
    </form>
  );
}
