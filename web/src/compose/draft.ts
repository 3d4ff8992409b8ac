// What was written and not sent, by place, for as long as the tab lives.

import { useState } from 'react';

export function useDraft(name: string, first = '') {
  const place = `tyer.draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? first);
  // At once and not once it is drawn: who has sent it may be on another page by then, and would
  // find it here again.
  const set = (next: string) => {
    setText(next);
    try {
      if (next && next !== first) sessionStorage.setItem(place, next);
      else sessionStorage.removeItem(place);
    } catch {
      // No room: then it is not kept over a reload, and nothing else is lost.
    }
  };
  return [text, set] as const;
}
