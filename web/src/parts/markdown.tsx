// A text that somebody wrote. A long one is shown in part until asked for.

import { memo, useMemo, useState } from 'react';

import { store, useSubjects } from '../log/hooks.ts';
import { parse, shortened } from '../markdown/parse.ts';
import { renderAll } from '../markdown/render.tsx';
import type { World } from '../markdown/render.tsx';
import { partsText } from '../text/parts.ts';
import { useText } from '../text/text.ts';
import { Button } from './button.tsx';

function sizeWords(chars: number) {
  return chars < 1_000 ? `${chars}` : `${Math.round(chars / 1_000)} k`;
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const t = useText(partsText);
  const agents = useSubjects('agent');
  const [all, setAll] = useState(false);
  const beginning = useMemo(() => shortened(text), [text]);
  const tree = useMemo(() => parse(all ? text : beginning.text), [all, text, beginning]);
  const shown = useMemo(() => {
    const ids = new Map(agents.map((agent) => [agent.name.toLowerCase(), agent.id]));
    const world: World = {
      names: [...ids.keys()].toSorted((a, b) => b.length - a.length),
      idOf: (name) => ids.get(name) ?? store.get('agent', name)?.id,
      tooDeep: t.too_deep,
      image: t.image,
      done: t.done,
      todo: t.todo,
    };
    return renderAll(tree, world);
  }, [tree, agents, t]);
  return (
    <div dir="auto" className="user-text min-w-0 text-base leading-relaxed">
      {shown}
      {beginning.isShort && !all && (
        <Button look="plain" className="mt-2" onClick={() => setAll(true)}>
          {t.show_all(sizeWords(text.length))}
        </Button>
      )}
    </div>
  );
});
