// What the page promises about what is unread, and how much it asks the hub.

import assert from 'node:assert/strict';

import { begin, goTo, isLive, until } from './check_runs.mjs';

// Posts of agents, who write 50 each: what nobody has read.
let writers = 0;
async function fill(ask, url, feed, count) {
  for (let written = 0; written < count;) {
    writers += 1;
    const { key } = await ask('POST', '/api/keys', { name: `writer-${writers}`, type: 'demo' });
    for (let i = 0; i < 50 && written < count; ++i, ++written) {
      const response = await fetch(`${url}/api/feeds/${feed}/posts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ title: `Unread ${written}`, content: 'x' }),
      });
      assert.ok(response.ok);
    }
  }
}

const badge = (page) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Inbox/ })
    .getByLabel(/unread/);

async function unread({ page, url, ask }) {
  const before = (await ask('GET', '/api/posts?unread=true&limit=200')).data.length;
  const feed = (await ask('POST', '/api/feeds', { name: 'much' })).id;
  const all = before + 205;
  await fill(ask, url, feed, 205);
  const asked = [];
  page.on('request', (request) => request.method() !== 'GET' && asked.push(request.url()));
  await page.goto(url);
  await page.getByRole('heading', { name: `Unread (${all})` }).waitFor();
  const list = page.locator('section', { has: page.getByRole('heading', { name: /^Unread/ }) });
  assert.equal(await list.getByRole('listitem').count(), all);
  assert.equal(await badge(page).innerText(), `${all}`);
  // One more is one more on both, and one that is read one less.
  await fill(ask, url, feed, 1);
  await page.getByRole('heading', { name: `Unread (${all + 1})` }).waitFor();
  assert.equal(await badge(page).innerText(), `${all + 1}`);

  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await list.waitFor({ state: 'detached' });
  await badge(page).waitFor({ state: 'detached' });
  assert.deepEqual(asked, [`${url}/api/read`]);
  assert.deepEqual((await ask('GET', '/api/posts?unread=true')).data, []);
}

const long = 'demo: say one\ndemo: sleep 1.1\ndemo: say two\ndemo: sleep 1.1\ndemo: say three';

// A view in a page of its own, with what it has asked for so far.
async function openView(context, url, path) {
  const page = await context.newPage();
  const asked = [];
  page.on('request', (request) => {
    const at = new URL(request.url()).pathname;
    if (/^\/(api|health)/.test(at)) asked.push(`${request.method()} ${at}`);
  });
  await page.goto(url + path);
  await isLive(page);
  await page.locator('main h1').waitFor();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  return { path, page, asked };
}

// Eight agents that answer, with words on the way, while locks come and go. The first of them does
// so in `thread`, the others each in a thread of its own. Returns one round of it.
function workOf(ask, feed, thread, agents) {
  let round = 0;
  return async () => {
    round += 1;
    const posts = [];
    for (const { name } of agents.slice(1)) {
      const body = { title: `${name} ${round}`, content: `@${name}\n${long}` };
      posts.push((await ask('POST', `/api/feeds/${feed}/posts`, body)).id);
    }
    await ask('POST', `/api/posts/${thread}/comments`, { content: `@${agents[0].name}\n${long}` });
    const wanted = (post) => post.comment_count >= (post.id === thread ? 2 * round : 1);
    const answered = async () => {
      const lock = { names: ['busy/lock'], session: crypto.randomUUID(), host: 'far' };
      await ask('POST', '/api/leases', lock);
      await ask('DELETE', `/api/leases?name=busy/lock&session=${lock.session}`);
      const { data } = await ask('GET', `/api/posts?ids=${[thread, ...posts].join(',')}`);
      return data.filter(wanted).length;
    };
    await until(answered, (count) => count === agents.length);
  };
}

async function requests({ page, url, ask }) {
  const feed = (await ask('POST', '/api/feeds', { name: 'busy' })).id;
  const written = { title: 'A thread', content: 'of one agent' };
  const thread = (await ask('POST', `/api/feeds/${feed}/posts`, written)).id;
  const agents = [];
  for (let i = 0; i < 8; ++i) {
    agents.push(await ask('POST', '/api/keys', { name: `busy-${i}`, type: 'demo' }));
  }
  const work = workOf(ask, feed, thread, agents);
  await work();
  const one = `/agents/${agents[0].id}`;
  const paths = ['/', `/feeds/${feed}`, `/posts/${thread}`, '/runs', '/fleet'];
  paths.push('/agents', one, '/leases', '/events');
  // A browser has six connections to a hub, and each page keeps one.
  for (const some of [paths.slice(0, 3), paths.slice(3, 6), paths.slice(6)]) {
    const views = [];
    for (const path of some) {
      const view = await openView(page.context(), url, path);
      assert.ok(view.asked.length <= 16, `${path} begins with ${view.asked.join(', ')}`);
      view.asked.length = 0;
      views.push(view);
    }
    const begun = Date.now();
    await work();
    for (const { path, page: shown, asked } of views) {
      // Titles of threads that are new are read together, and that a thread was read is said; all
      // else the log tells, but who has a lock, which is asked once a second while locks change.
      const looks = path === '/leases' ? (Date.now() - begun) / 1_000 : 0;
      assert.ok(asked.length <= 8 + looks, `${path} asks while others work: ${asked.join(', ')}`);
      await shown.close();
    }
  }
}

// What was trouble once and has been read is no news to who opens the thread again.
async function readOnce({ page, url, ask }) {
  const { post } = await begin(ask, 'forgiven', ['fail 3 no compiler']);
  const look = () => ask('GET', `/api/posts?ids=${post.id}`);
  await until(look, ({ data }) => data[0].trouble);
  await ask('POST', '/api/read', { ids: [post.id] });
  await page.goto(url);
  const row = page.getByRole('listitem').filter({ hasText: 'For forgiven' });
  await row.getByRole('link').click();
  await page.getByRole('note').filter({ hasText: 'the run failed' }).waitFor();
  await goTo(page, 'Inbox');
  await row.waitFor();
  assert.equal(await row.getByTitle('unread').count(), 0);
  assert.equal(await row.getByText('not answered').count(), 0);
}

// What became unread while the hub did not tell its title is in the inbox once it does.
async function lateTitle({ page, url, ask }) {
  const feed = (await ask('POST', '/api/feeds', { name: 'titles' })).id;
  // So many that the first is not among the newest.
  const write = (i) =>
    ask('POST', `/api/feeds/${feed}/posts`, { title: `Title ${i}`, content: 'x' });
  const hidden = await write(0);
  await Promise.all(Array.from({ length: 60 }, (_, i) => write(i + 1)));
  await page.goto(url);
  await isLive(page);
  let refused = 0;
  await page.route(/\/api\/posts\?ids=/, (route) => {
    refused += 1;
    return refused > 1 ? route.continue() : route.abort();
  });
  const { key } = await ask('POST', '/api/keys', { name: 'titled', type: 'demo' });
  const response = await fetch(`${url}/api/posts/${hidden.id}/comments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ content: 'news' }),
  });
  assert.ok(response.ok);
  await page.locator('main').getByText('Title 0', { exact: true }).waitFor();
  assert.equal(refused, 2);
}

// A run that failed and one that ended without a word: somebody waits in vain, and it is seen.
async function trouble({ page, url, ask }) {
  await page.goto(url);
  await isLive(page);
  const failed = await begin(ask, 'failing', ['fail 3 no compiler']);
  const silent = await begin(ask, 'wordless', ['sleep 0.1']);
  const row = (name) => page.getByRole('link', { name: new RegExp(`For ${name}.*unread`) });
  for (const name of ['failing', 'wordless']) {
    await row(name).getByText('not answered').waitFor();
  }
  await page.goto(url + silent.path);
  await page.getByText('no answer', { exact: true }).waitFor();
  assert.equal(await page.locator('main').getByText('done', { exact: true }).count(), 0);
  await page.getByText('It ended without an answer.').waitFor();
  const isRead = page.waitForResponse((reply) => reply.url().endsWith('/read'));
  await page.goto(`${url}/posts/${failed.post.id}`);
  await page.getByRole('note').filter({ hasText: 'the run failed' }).waitFor();
  await isRead;
  await page.goto(url);
  await row('wordless').waitFor();
  await row('failing').waitFor({ state: 'detached' });
}

export const inbox = {
  'what was trouble once and has been read is no news again': { act: readOnce },
  'who waits in vain is seen in the inbox, and what came of the run on its page': { act: trouble },
  'the inbox lists what its badge counts, and all is read with one request': { act: unread },
  'what a view asks does not grow with what agents do': { act: requests },
  'what became unread is listed though its title could not be read at first': {
    act: lateTitle,
    expected: /Failed to load resource/,
  },
};
