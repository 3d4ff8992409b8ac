// Where a link in a text may lead. All else is shown as the text that it is.

export type SafeLink =
  | { kind: 'out'; url: string } // Elsewhere: a new tab that knows nothing of us.
  | { kind: 'page'; url: string } // A view of this page.
  | { kind: 'file'; url: string }; // An upload of this hub.

const schemes = new Set(['http:', 'https:', 'mailto:']);
// The only base against which a relative address is understood; no text can name it.
const base = 'http://page.invalid';

// As the hub reads it, which decodes a path once.
function isOfApi(path: string) {
  try {
    return /^\/api(\/|$)/.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

export function safeLink(raw: string): SafeLink | undefined {
  let url: URL;
  try {
    url = new URL(raw, base);
  } catch {
    return undefined;
  }
  if (!schemes.has(url.protocol)) return undefined;
  if (url.username || url.password) return undefined; // https://bank.example@evil.example
  if (url.origin !== base) return { kind: 'out', url: url.href };
  const here = url.pathname + url.search + url.hash;
  // A relative address only if it was written as one: `/…`, never `page` or `//host`.
  if (!raw.startsWith('/')) return undefined;
  // A browser reads again what it comes to: `/.//host` comes to `//host`, which is another host.
  if (new URL(here, base).href !== url.href) return undefined;
  if (/^\/api\/uploads\/up_[a-z0-9]+\/[^/]+$/.test(url.pathname))
    return { kind: 'file', url: here };
  return isOfApi(url.pathname) ? undefined : { kind: 'page', url: here };
}

// Only what this hub keeps is fetched by looking at a text; a picture elsewhere is a link.
export function safeImage(raw: string): string | undefined {
  const link = safeLink(raw);
  return link?.kind === 'file' ? link.url : undefined;
}
