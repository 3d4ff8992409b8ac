// Server-sent events, read with fetch. The browser's own EventSource drops events whose type it was
// not told in advance, and cannot say why it was refused; the page needs both.

import { request } from './client.ts';

export interface Message {
  id: string;
  event: string;
  data: string;
}

// Cuts what arrives into messages. A comment, such as the hub's beat, is none.
export class Splitter {
  private rest = '';
  private id = '';
  private event = '';
  private data: string[] = [];

  push(text: string): Message[] {
    const found: Message[] = [];
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (this.data.length > 0 || this.id) {
          found.push({ id: this.id, event: this.event, data: this.data.join('\n') });
        }
        this.id = this.event = '';
        this.data = [];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
      if (name === 'id') this.id = value;
      if (name === 'event') this.event = value;
      if (name === 'data') this.data.push(value);
    }
    return found;
  }
}

export interface Listener {
  opened: () => void;
  heard: () => void;
  messages: (messages: Message[]) => void;
}

// Returns when the stream ends; throws when it cannot be had or breaks.
export async function listen(after: string, to: Listener, signal: AbortSignal) {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (after) headers['last-event-id'] = after;
  const response = await request('/api/events/stream', { method: 'GET', headers, signal });
  to.opened();
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const splitter = new Splitter();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    to.heard();
    const messages = splitter.push(value);
    if (messages.length > 0) to.messages(messages);
  }
}
