// What the page promises about runs.

import assert from 'node:assert/strict';

// Asks until the answer is what is wanted.
export async function until(read, isWanted) {
  for (let i = 0; i < 600; ++i) {
    const found = await read();
    if (isWanted(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came: ${isWanted}`);
}

// In the page: its navigation, and that it hears the hub.
export const navigation = (page) => page.getByRole('navigation', { name: 'Main' });
export const goTo = (page, name) =>
  navigation(page).getByRole('link', { name: new RegExp(`^${name}`) }).click();
export const isLive = (page) =>
  page.getByRole('status').getByText('live', { exact: true }).waitFor();

// A post for an agent of its own, and the run that answers it.
export async function begin(ask, name, lines) {
  const agent = await ask('POST', '/api/keys', { name, type: 'demo' });
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  const content = `@${name}\n${lines.map((line) => `demo: ${line}`).join('\n')}`;
  const post = await ask('POST', `/api/feeds/${feed}/posts`, { title: `For ${name}`, content });
  const session = agent.default_session;
  const list = () => ask('GET', `/api/sessions/${session}/runs`);
  const run = (await until(list, (page) => page.data.length > 0)).data[0];
  return { agent, post, session, run: run.id, path: `/runs/${session}/${run.id}` };
}

const outputs = (ask, { session, run }) =>
  ask('GET', `/api/events?key=shift/${session}/${run}&topics=run&limit=200`).then((page) =>
    page.data.filter((event) => event.event === 'run_output').map((event) => event.output),
  );

async function order({ page, url, ask }) {
  const words = ['first', 'second', 'third', 'fourth', 'fifth'];
  const said = words.flatMap((word) => [`say ${word}.`, 'sleep 1.1']);
  const begun = await begin(ask, 'orderly', [...said, 'hang']);
  await until(() => outputs(ask, begun), (texts) => texts.join('').includes('second'));
  await page.goto(`${url}/posts/${begun.post.id}`);
  const newest = page.locator('main bdi').filter({ hasText: /^fifth\.$/ });
  await newest.waitFor();
  // Who listens hears who works, and not each second and each word of it.
  const heard = await page.locator('main [role=status]').innerText();
  assert.equal(heard.trim(), 'orderly is working on an answer');
  // Within the page, which has heard the last words and not the first.
  await page.getByRole('link', { name: 'See the run' }).click();
  const log = page.getByRole('log');
  await log.getByText('first').waitFor();
  const shown = (await log.innerText()).match(/\w+(?=\.)/g);
  assert.deepEqual(shown, words);
}

// Of much that is said at once the newest is told, and that there was more.
async function much({ page, url, ask }) {
  const lines = ['say first', 'flood 3000000', 'sleep 1.5', 'say last', 'hang'];
  const begun = await begin(ask, 'talker', lines);
  await page.goto(url + begun.path);
  const log = page.getByRole('log');
  await log.getByText(/MB of what it said are left out here/).first().waitFor();
  await page.getByText(`tyer runs follow ${begun.run}`).waitFor();
  // It may be said in several pieces, and the last of them holds what was said last.
  await until(() => outputs(ask, begun), (texts) => texts.join('').endsWith('last\n'));
  await page.reload();
  await log.getByRole('button', { name: /^Show all/ }).last().click();
  await log.getByText(/\blast\b/).waitFor();
  // In one piece, or in several if saying it took long.
  const pieces = (await log.innerText()).matchAll(/([\d.]+) MB of what it said are left out/g);
  const left_out = [...pieces].reduce((sum, piece) => sum + Number(piece[1]), 0);
  assert.ok(left_out > 2.5 && left_out < 3.1, `${left_out} MB are said to be left out`);
}

export const runs = {
  'a run that says much says how much is left out, and where all of it is': { act: much },
  'what a run said stands in order though the page was opened later': { act: order },
};
