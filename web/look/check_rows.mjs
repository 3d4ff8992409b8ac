// What the page promises about lists and the keyboard, and about times.

import assert from 'node:assert/strict';

import { begin, until } from './check_runs.mjs';

// Whether the row that is marked can be seen, all of it.
async function isMarkSeen(page) {
  return page.evaluate(() => {
    const row = document.querySelector('main [data-marked]');
    const box = document.querySelector('main').getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    return top >= box.top && bottom <= box.bottom;
  });
}

// Down through all that is there, and up again.
async function walkThrough(page, url, path, key) {
  await page.goto(url + path);
  const rows = page.locator(`main ${key}`);
  await rows.nth(24).waitFor();
  for (const [press, times] of [['j', 25], ['k', 24]]) {
    for (let i = 1; i <= times; ++i) {
      await page.keyboard.press(press);
      if (i % 4 > 0 && i < times) continue;
      await page.locator('main [data-marked]').waitFor();
      assert.ok(await isMarkSeen(page), `${path}: ${press} ${i} times: it is out of sight`);
    }
  }
  assert.equal(await rows.first().getAttribute('data-marked'), 'true');
}

async function marks({ page, url, ask }) {
  const feed = await ask('POST', '/api/feeds', { name: 'marks' });
  const { id } = await ask('POST', '/api/keys', { name: 'runner', type: 'demo' });
  for (let i = 0; i < 25; ++i) {
    const to = `${i}`.padStart(2, '0');
    await ask('POST', '/api/leases', { names: [`rows/${to}`], host: 'far' });
    const session = await ask('POST', `/api/agents/${id}/sessions`, { name: `s${to}` }).catch(() => {});
    const content = `@runner${session ? `/s${to}` : ''} ${to}`;
    await ask('POST', `/api/feeds/${feed.id}/posts`, { content });
  }
  const all = async () =>
    (await ask('GET', '/api/runs?limit=200')).data.filter((run) => run.agent_id === id);
  await until(all, (runs) => runs.filter((run) => run.status === 'ended').length >= 25);
  await walkThrough(page, url, `/runs?agent=${id}`, 'li:has(a[href^="/runs/"])');
  await walkThrough(page, url, '/events?topic=lease', 'ol > li');
  await walkThrough(page, url, '/leases', 'li:has(button)');
}

// A mark stays with its row when others come above it.
async function staying({ page, url, ask }) {
  await ask('POST', '/api/feeds', { name: 'with the mark' });
  await page.goto(`${url}/events?topic=feed`);
  const marked = page.locator('main [data-marked]');
  await page.locator('main li').filter({ hasText: 'with the mark' }).waitFor();
  await page.keyboard.press('j');
  await marked.filter({ hasText: 'with the mark' }).waitFor();
  await ask('POST', '/api/feeds', { name: 'above the mark' });
  await page.locator('main li').filter({ hasText: 'above the mark' }).waitFor();
  assert.match(await marked.innerText(), /with the mark/);
  assert.equal(await marked.evaluate((row) => row === row.parentElement.firstElementChild), false);
}

async function ticks({ page, url, ask }) {
  const { path } = await begin(ask, 'ticker', ['hang']);
  await page.goto(url + path);
  await page.getByText('took', { exact: true }).waitFor();
  // All that is said of how long it has taken, as it is said.
  const said = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const label = [...document.querySelectorAll('main span')].find(
          (one) => one.textContent === 'took',
        );
        const texts = [];
        const read = () => {
          texts.push(label.nextElementSibling.textContent);
          if (texts.length === 4) resolve(texts);
        };
        new MutationObserver(read).observe(label.parentElement, {
          subtree: true,
          characterData: true,
          childList: true,
        });
      }),
  );
  const seconds = said.map((text) => Number(/^(\d+) s$/.exec(text)[1]));
  for (const [i, second] of seconds.entries()) {
    // Of a busy machine one tick may come late, and the next one is right again.
    if (i > 0) assert.ok(second - seconds[i - 1] <= 2, `from ${seconds[i - 1]} s to ${second} s`);
  }
}

// Ids are shown where there is no name only.
async function names({ page, url, ask }) {
  const { agent, session } = await begin(ask, 'named', ['say done']);
  const made = await ask('POST', `/api/agents/${agent.id}/sessions`, { name: 'deploy' });
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  await ask('POST', `/api/feeds/${feed}/posts`, { content: '@named/deploy hello' });
  const ended = () => ask('GET', `/api/sessions/${made.id}/runs`);
  await until(ended, (list) => list.data[0]?.status === 'ended');
  for (const path of [`/runs?agent=${agent.id}`, `/events?agent=${agent.id}`, `/agents/${agent.id}`]) {
    await page.goto(url + path);
    await page.getByText('named/deploy').first().waitFor();
    // Names may come a moment later than the rows.
    const ids = [session, made.id, agent.id].map((id) => id.slice(-9));
    const shown = () => page.locator('main').innerText();
    await until(shown, (said) => !ids.some((id) => said.includes(id)));
  }
}

export const rows = {
  'agents and sessions are shown by their names': { act: names },
  'j and k keep the row that is marked in view': { act: marks },
  'a mark stays with its row when others come above it': { act: staying },
  'how long a run takes ticks each second': { act: ticks },
};
