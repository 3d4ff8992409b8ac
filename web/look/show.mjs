// The pictures of the documentation: a hub on which something happens that could happen.

import { mkdirSync, statSync, writeFileSync } from 'node:fs';

import { complain, open, root } from './browser.mjs';
import { asker, startHub } from './hub.mjs';
import { agents, locks, rounds, waiters } from './play.mjs';

const folder = `${root}docs/pictures`;
const bytes_max = 150 * 1000;
const long_s = 300; // What is under way stays so while pictures are taken.

async function makeAgents(hub, ask) {
  const play = `${hub.folder}/play.json`;
  const parts = rounds.flat().map((part) => ({ seconds: long_s, ...part }));
  writeFileSync(play, JSON.stringify(parts));
  const command = [process.execPath, new URL('actor.mjs', import.meta.url).pathname, play];
  const made = {};
  for (const agent of agents) {
    made[agent.name] = await ask('POST', '/api/keys', { ...agent, type: 'command', command });
  }
  // The demo agent of a new hub has no part here.
  const all = (await ask('GET', '/api/agents')).data;
  for (const one of all) {
    if (!made[one.name]) await ask('DELETE', `/api/agents/${one.id}`);
  }
  return made;
}

// Each round begins when the one before it is answered.
async function play(page, url, ask) {
  const feed = await ask('POST', '/api/feeds', { name: 'app' });
  await ask('POST', '/api/feeds', { name: 'infrastructure' });
  const posts = {};
  for (const parts of rounds) {
    for (const { title, to, cue: content } of parts) {
      if (to) await ask('POST', `/api/posts/${posts[to]}/comments`, { content });
      if (!title) continue;
      posts[title] = (await ask('POST', `/api/feeds/${feed.id}/posts`, { title, content })).id;
    }
    for (const { title = '', to = title, answer } of parts) {
      if (!answer || !to) continue;
      await page.goto(`${url}/posts/${posts[to]}`);
      const end = answer.trim().split(/[\n`|]+/).at(-1).split(',').at(-1).trim();
      await page.getByText(end).last().waitFor();
    }
  }
  return posts;
}

async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = statSync(path);
  if (size > bytes_max) complain(`${path} has ${size} bytes, more than ${bytes_max}`);
  console.log(`${path}: ${Math.round(size / 1000)} KB`);
}

async function takeAll(page, url, made, posts) {
  await page.goto(`${url}/posts/${posts[rounds[0][0].title]}`);
  await page.getByText('212').waitFor();
  await page.getByRole('button', { name: 'To the newest' }).click();
  // So long that one sees it in the fleet.
  await page.getByText(/^1\d s$/).first().waitFor();
  await take(page, 'thread');

  await page.goto(`${url}/fleet`);
  await page.getByText('4 running').waitFor();
  for (let i = 0; i < 7; ++i) await page.keyboard.press('+');
  await take(page, 'fleet');

  await page.goto(`${url}/agents/${made.builder.id}`);
  await page.getByText('release', { exact: true }).waitFor();
  await page.getByText('$0.24').waitFor();
  await take(page, 'agent');

  await page.goto(`${url}/leases`);
  await page.getByText('1 waits for it').click();
  await page.mouse.move(0, 0);
  await take(page, 'leases');
}

export async function show(browser) {
  mkdirSync(folder, { recursive: true });
  const hub = await startHub(['--open-loopback']);
  const look = { scheme: 'light', width: 1280, language: 'en' };
  const page = await open(browser, hub.url, look);
  const leaving = new AbortController();
  try {
    const ask = asker(hub.url);
    const made = await makeAgents(hub, ask);
    const posts = await play(page, hub.url, ask);
    for (const lock of locks) await ask('POST', '/api/leases', lock);
    for (const waiter of waiters) {
      const body = JSON.stringify({ ...waiter, wait_ms: long_s * 1000 });
      const headers = { 'content-type': 'application/json' };
      const asked = { method: 'POST', headers, body, signal: leaving.signal };
      await fetch(`${hub.url}/api/leases`, asked);
    }
    await takeAll(page, hub.url, made, posts);
  } finally {
    leaving.abort();
    await page.context().close();
    await hub.stop();
  }
}
