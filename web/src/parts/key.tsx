// A key, as everything in the log has one, and the way to its story. `KIND/ID` is shown shortened
// in the middle: ids begin with a time and are alike in front.

import { useState } from 'react';

import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';
import { Button } from './button.tsx';

// What was made in one commit has the same chance at the end, and a number before that.
const end_chars = 9;

export function shortKey(key: string) {
  const short = (id: string) =>
    id.length > end_chars + 8 ? `${id.slice(0, 3)}…${id.slice(-end_chars)}` : id;
  return key.split('/').map(short).join('/');
}

export function Key({ of, full = false }: { of: string; full?: boolean }) {
  const t = useText(partsText);
  return (
    <Link
      to={paths.story(of)}
      title={t.story(of)}
      className="text-faint hover:text-accent user-text font-mono text-xs hover:underline"
    >
      {full ? of : shortKey(of)}
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
