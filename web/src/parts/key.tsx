// A key, as everything in the log has one, and the way to its story. It is shown with names for what
// has one; all of it is said on a second look, and stands on its story.

import { useState } from 'react';

import { useNamedKey } from '../log/hooks.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';
import { Button } from './button.tsx';

export function Key({ of }: { of: string }) {
  const t = useText(partsText);
  const words = useNamedKey(of);
  return (
    <Link
      to={paths.story(of)}
      title={t.story(of)}
      className="text-faint hover:text-accent user-text font-mono text-xs hover:underline"
    >
      <bdi>{words}</bdi>
    </Link>
  );
}

// Copies a text, a secret for instance, and says that it did.
export function Copy({ text, label }: { text: string; label?: string }) {
  const t = useText(partsText);
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2_000);
  };
  return (
    <Button icon={done ? 'check' : 'copy'} onClick={() => void copy()}>
      {done ? t.copied : (label ?? t.copy)}
    </Button>
  );
}
