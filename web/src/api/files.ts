// Files of the hub. What a browser asks for by itself, for a picture or a download, does not carry
// what says who asks: so files are fetched, and shown or saved from memory.

import { request } from './client.ts';

// What a browser shows and never runs.
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

async function read(address: string): Promise<Blob> {
  return (await request(address, { method: 'GET' })).blob();
}

async function readPicture(address: string): Promise<string> {
  const blob = await read(address);
  if (!pictures.has(blob.type)) throw new Error(`${address} is no picture`);
  return URL.createObjectURL(blob);
}

const taken = new Map<string, { users: number; url: Promise<string> }>();

// Where the page has the picture at `address`, until it is dropped. It is there once, however often
// it is shown.
export function takePicture(address: string): { url: Promise<string>; drop: () => void } {
  const one = taken.get(address) ?? { users: 0, url: readPicture(address) };
  taken.set(address, one);
  one.users += 1;
  const drop = () => {
    one.users -= 1;
    if (one.users > 0) return;
    taken.delete(address);
    one.url.then(URL.revokeObjectURL, () => {});
  };
  return { url: one.url, drop };
}

export async function saveFile(address: string) {
  const url = URL.createObjectURL(await read(address));
  const link = document.createElement('a');
  link.href = url;
  link.download = decodeURIComponent(address.slice(address.lastIndexOf('/') + 1));
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
