const overrides = /[\u202d\u202e]/g;

// Letters that turn a text around, so that `gnp.exe` reads `exe.png`, are shown instead of obeyed.
// Languages that are written from the right need none of them.
export function straight(text: string): string {
  return text.replace(overrides, '\ufffd');
}
