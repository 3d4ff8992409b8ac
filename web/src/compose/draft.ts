// What was written and not sent, by place, for as long as the tab lives.

import { useEffect, useState } from 'react';

export function useDraft(name: string, first = '') {
  const place = `tyer.draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? first);
  useEffect(() => {
    try {
      if (text && text !== first) sessionStorage.setItem(place, text);
      else sessionStorage.removeItem(place);
    } catch {
      // No room: then it is not kept over a reload, and nothing else is lost.
    }
  }, [place, text, first]);
  return [text, setText] as const;
}
