// What the page promises about how agents are doing: it is what the hub says, as it changes, and
// not what an old run was like.

import assert from 'node:assert/strict';

import { begin, goTo, isLive, until } from './check_runs.mjs';

const row = (page, name) =>
  page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: name });
const says = (page, name, status) => row(page, name).getByText(status, { exact: true }).waitFor();

// It is refused what it is asked with this word, and answers all else.
const refuses =
  `grep -q refuse-this && echo '{"error":"no such login","status":"credentials"}' || echo '{"result":"ok"}'`;

async function states({ page, url, ask }) {
  await page.goto(`${url}/agents`);
  await isLive(page);
  await page.getByRole('list', { name: 'Agents' }).waitFor();
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  const write = (content) => ask('POST', `/api/feeds/${feed}/posts`, { content });

  await ask('POST', '/api/keys', { name: 'apart', type: 'command' });
  await says(page, 'apart', 'on its own');

  const limited = await ask('POST', '/api/keys', { name: 'limited', type: 'demo', runs_per_day: 1 });
  await says(page, 'limited', 'online');
  await write('@limited hello');
  // Without another message, which would be refused.
  await says(page, 'limited', 'budget used up');
  await row(page, 'limited').getByTitle('budget reached: 1 of 1 runs of the agent').waitFor();
  await ask('PATCH', `/api/agents/${limited.id}`, { runs_per_day: 0 });
  await says(page, 'limited', 'online');

  const command = ['/bin/sh', '-c', refuses];
  const refused = await ask('POST', '/api/keys', { name: 'refused', type: 'command', command });
  const run = async () =>
    (await ask('GET', `/api/sessions/${refused.default_session}/runs`)).data[0];
  const asked = await write('@refused refuse-this');
  await says(page, 'refused', 'no credentials');
  const old = await until(run, (one) => one?.verdict === 'credentials');
  // So that it is not tried again once the next one is well.
  await ask('DELETE', `/api/posts/${asked.id}`);
  await write('@refused hello');
  await until(run, (one) => one.id !== old.id && one.status === 'ended');
  await says(page, 'refused', 'online');

  // What was is told, and changes nothing that is.
  await goTo(page, 'Runs');
  await page.locator(`a[href$="${old.id}"]`).first().click();
  await page.getByText('no such login').first().waitFor();
  await goTo(page, 'Agents');
  await says(page, 'refused', 'online');
}

// What is heard of a run before it was read is no reason to think that its session rests.
async function early({ page, url, ask }) {
  const lines = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((i) => [`say ${i}`, 'sleep 1.1']);
  const begun = await begin(ask, 'early', [...lines, 'hang']);
  const count = async () =>
    (await ask('GET', `/api/events?key=shift/${begun.session}/${begun.run}&limit=200`)).data.length;
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route(/\/api\/runs\?status=running/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}/agents`);
  await isLive(page);
  await says(page, 'early', 'running');
  const before = await count();
  await until(count, (now) => now > before + 1);
  const read = page.waitForResponse(/\/api\/runs\?status=running/);
  letGo();
  await read;
  await says(page, 'early', 'running');
  await until(count, (now) => now > before + 3);
  await says(page, 'early', 'running');
}

// A story that cannot be read whole is told as what it is, not as a run that goes on.
async function half({ page, url, ask }) {
  const begun = await begin(ask, 'halved', ['say hello', 'fail 3 no compiler']);
  const list = () => ask('GET', `/api/sessions/${begun.session}/runs`);
  await until(list, ({ data }) => data[0].status === 'ended');
  const stories = /\/api\/events\?.*key=shift/;
  await page.route(stories, (route) => {
    const to = new URL(route.request().url());
    if (to.searchParams.has('cursor')) return route.abort();
    to.searchParams.set('limit', '1');
    return route.continue({ url: to.href });
  });
  await page.goto(url + begun.path);
  await page.getByRole('alert').waitFor();
  assert.equal(await page.locator('main').getByText('running', { exact: true }).count(), 0);
  await page.unroute(stories);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('main').getByText('failed', { exact: true }).waitFor();
  await page.getByRole('log').getByText('hello').waitFor();
}

export const agents = {
  'how an agent is doing is what the hub says, as it changes': { act: states },
  'a session that works is shown at work, however late its run is read': { act: early },
  'a run of which half was read is not shown as one that goes on': {
    act: half,
    expected: /Failed to load resource/,
  },
};
