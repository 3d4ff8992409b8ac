import { expect, test, vi } from 'vitest';

test('an address fits its pattern and nothing else', async () => {
  vi.stubGlobal('window', { addEventListener: () => {} });
  const { match } = await import('./router.tsx');
  expect(match('/feeds/:id', '/feeds/fd_1')).toEqual({ id: 'fd_1' });
  expect(match('/runs/:session/:run', '/runs/ss_1/r%2F1')).toEqual({ session: 'ss_1', run: 'r/1' });
  expect(match('/feeds/:id', '/feeds')).toBeUndefined();
  expect(match('/feeds/:id', '/feeds/%E0')).toBeUndefined();
});
