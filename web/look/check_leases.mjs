// What the page promises about locks, and about what is read late.

import assert from 'node:assert/strict';

import { begin, isLive, until } from './check_runs.mjs';
import { asker, startHub } from './hub.mjs';

const session = '00000000-0000-4000-8000-000000000001';
const take = (ask, name) =>
  ask('POST', '/api/leases', { names: [name], session, host: 'far', silence_ms: 600_000 });
const give = (ask, name) =>
  ask('DELETE', `/api/leases?name=${encodeURIComponent(name)}&session=${session}`);
const row = (page, name) => page.getByRole('listitem').filter({ hasText: name });

// Locks come and go all the time, and the hub takes its time to tell of them.
async function busy({ page, url, ask }) {
  await take(ask, 'busy/steady');
  let asked = 0;
  await page.route('**/api/leases', async (route) => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue().catch(() => {});
  });
  let isOver = false;
  const churn = (async () => {
    while (!isOver) {
      await take(ask, 'busy/brief');
      await give(ask, 'busy/brief');
    }
  })();
  const begun = Date.now();
  try {
    await page.goto(`${url}/leases`);
    await row(page, 'busy/steady').waitFor();
    for (let i = 0; i < 3; ++i) {
      await take(ask, `busy/later-${i}`);
      await row(page, `busy/later-${i}`).waitFor();
    }
  } finally {
    isOver = true;
    await churn;
  }
  const seconds = (Date.now() - begun) / 1_000;
  assert.ok(asked <= 2 + seconds, `${asked} requests in ${seconds} s`);
  await row(page, 'busy/brief').waitFor({ state: 'detached' });
  await page.unroute('**/api/leases');
}

// Holds back what matches until it is let go.
async function hold(page, what) {
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route(what, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  return letGo;
}

// A lock that is taken after the list was asked for and before the stream is there is in the list.
async function late({ page, url, ask }) {
  const letGo = await hold(page, '**/api/events/stream');
  let answered = 0;
  page.on('response', (reply) => {
    if (new URL(reply.url()).pathname === '/api/leases') answered += 1;
  });
  await page.goto(`${url}/leases`);
  await page.getByRole('heading', { name: 'Leases', level: 1 }).waitFor();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await take(ask, 'late/lock');
  letGo();
  await isLive(page);
  await row(page, 'late/lock').waitFor();
  assert.ok(answered <= 2, `${answered} answers`);
}

// The log does not reach back to where the page was: all is read again, locks as well.
async function gone({ page }) {
  const hub = await startHub(['--open-loopback']);
  const ask = asker(hub.url);
  try {
    let stream = 'there';
    await page.route('**/api/events/stream', (route) => {
      if (stream === 'there') return route.continue();
      if (stream === 'away') return route.abort();
      stream = 'there';
      const body = 'event: notice\ndata: {"event":"notice","code":"gone"}\n\n';
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.goto(`${hub.url}/leases`);
    await page.getByText('Nothing is locked', { exact: true }).waitFor();
    await isLive(page);
    stream = 'away';
    await hub.stop({ keep: true });
    await page.getByText(/reconnecting|cut off/).first().waitFor();
    const again = await startHub(['--open-loopback'], hub);
    hub.stop = again.stop;
    await take(ask, 'gone/lock');
    stream = 'gone';
    await row(page, 'gone/lock').waitFor();
  } finally {
    await hub.stop();
  }
}

// What waits is in the fleet though whose it is was read last.
async function fleet({ page }) {
  const hub = await startHub(['--open-loopback']);
  const ask = asker(hub.url);
  try {
    const { session } = await begin(ask, 'failing', ['fail 3 no compiler']);
    const list = () => ask('GET', `/api/sessions/${session}/runs`);
    await until(list, ({ data }) => data[0].status === 'ended');
    const letGo = await hold(page, /\/api\/sessions\?/);
    const items = page.waitForResponse((reply) => reply.url().includes(`${session}/pending`));
    await page.goto(`${hub.url}/fleet`);
    await items;
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    letGo();
    await page.getByText('1 waiting').waitFor();
    await page.goto('about:blank');
  } finally {
    await hub.stop();
  }
}

export const leases = {
  'locks are shown while others come and go, with a request a second': { act: busy },
  'a lock is shown that was taken before the page had heard of it': { act: late },
  'locks are read again when the log does not reach back': { act: gone, expected: /ERR_|Failed to/ },
  'what waits is in the fleet, however late it is known whose it is': { act: fleet },
};
