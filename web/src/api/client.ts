// The only place that calls the hub. `call` knows every route by its name in openapi.json.

import type { Routes } from './routes.ts';

type Part<K extends keyof Routes, M extends string> = M extends keyof Routes[K]
  ? undefined extends Routes[K][M]
    ? { [N in M]?: Routes[K][M] }
    : { [N in M]: Routes[K][M] }
  : object;

export type Ask<K extends keyof Routes> = Part<K, 'path'> & Part<K, 'query'> & Part<K, 'body'>;
export type Reply<K extends keyof Routes> = Routes[K]['reply'];

// What the hub said went wrong. `status` 0: it was not reached at all.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// A login is two secrets. The cookie no script can read, but the browser gives it to every port of
// this host; this one only pages of this very address can read. The hub tells it once, when somebody
// logs in, and knows nobody who comes without both. It is worth nothing once the login has ended.
const kept_as = 'tyer.csrf_token';
let onLoggedOut = () => {};

export function keepLogin(token: string) {
  localStorage.setItem(kept_as, token);
}

// Called when the hub does not know us any more, whoever asked.
export function whenLoggedOut(act: () => void) {
  onLoggedOut = act;
}

export function addressOf(route: string, ask: { path?: object; query?: object }) {
  const path = route
    .slice(route.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String((ask.path as Record<string, unknown>)[name])),
    );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

async function errorOf(response: Response) {
  let code = 'unknown';
  let message = `${response.status} ${response.statusText}`;
  try {
    const said = (await response.json()) as { error?: { code?: string; message?: string } };
    code = said.error?.code ?? code;
    message = said.error?.message ?? message;
  } catch {
    // Not from the hub: a proxy, perhaps. The status is all there is.
  }
  return new ApiError(response.status, code, message);
}

export async function request(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  // Another tab may have logged in meanwhile.
  const token = localStorage.getItem(kept_as);
  if (token) headers.set('x-csrf-token', token);
  let response: Response;
  try {
    response = await fetch(address, { ...init, headers, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'the hub cannot be reached; is it running?');
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  // A wrong password is 401 too, and no reason to leave the page that asks for it.
  const isLogin = /^\/api\/auth\/(login|link)$/.test(address);
  if (response.status === 401 && !isLogin) onLoggedOut();
  throw error;
}

export async function call<K extends keyof Routes>(
  route: K,
  ...[ask, signal]: object extends Ask<K>
    ? [ask?: Ask<K>, signal?: AbortSignal]
    : [ask: Ask<K>, signal?: AbortSignal]
): Promise<Reply<K>> {
  const asked = (ask ?? {}) as { path?: object; query?: object; body?: object };
  const method = route.slice(0, route.indexOf(' '));
  const init: RequestInit = { method, signal: signal ?? null };
  if (asked.body) {
    init.body = JSON.stringify(asked.body);
    init.headers = { 'content-type': 'application/json' };
  }
  const response = await request(addressOf(route, asked), init);
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as Reply<K>;
}

// The body of an upload is the file itself.
export async function upload(file: Blob, name: string): Promise<Reply<'POST /api/uploads'>> {
  const response = await request(addressOf('POST /api/uploads', { query: { name } }), {
    method: 'POST',
    body: file,
    headers: { 'content-type': file.type || 'application/octet-stream' },
  });
  return response.json();
}
