// What the page promises about how agents are doing, and about what an old run was like.

import assert from 'node:assert/strict';

import { begin, isLive, until } from './check_runs.mjs';

const row = (page, name) =>
  page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: name });
const says = (page, name, status) => row(page, name).getByText(status, { exact: true }).waitFor();

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
  'a session that works is shown at work, however late its run is read': { act: early },
  'a run of which half was read is not shown as one that goes on': {
    act: half,
    expected: /Failed to load resource/,
  },
};
