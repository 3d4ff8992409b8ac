// Mentions in a text, as the hub finds them: the longest name wins and ends at a boundary. For the
// eye only: who is woken is decided by the hub.

export interface Piece {
  text: string;
  agent?: string; // Its name, if the piece is a mention.
}

const boundary = /[\p{L}\p{N}_-]/u;
const session = /^\/[a-zA-Z0-9가-힣_-]{1,20}/;

// `names`: of the agents, in lower case, the longest first.
export function splitMentions(text: string, names: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let at = text.indexOf('@');
  while (at >= 0) {
    const name = at > 0 && boundary.test(text[at - 1]!) ? undefined : nameAt(text, at + 1, names);
    if (name !== undefined) {
      let end = at + 1 + name.length;
      end += session.exec(text.slice(end, end + 21))?.[0].length ?? 0;
      if (at > from) pieces.push({ text: text.slice(from, at) });
      pieces.push({ text: text.slice(at, end), agent: name });
      from = end;
      at = text.indexOf('@', end);
    } else {
      at = text.indexOf('@', at + 1);
    }
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function nameAt(text: string, at: number, names: readonly string[]) {
  return names.find((name) => {
    const next = text[at + name.length];
    return (
      text.slice(at, at + name.length).toLowerCase() === name &&
      (next === undefined || !boundary.test(next))
    );
  });
}
