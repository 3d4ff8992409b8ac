// What the page promises about what was begun and not finished.

import assert from 'node:assert/strict';

import { goTo, navigation } from './check_runs.mjs';

async function drafts({ page, url, ask }) {
  const feed = await ask('POST', '/api/feeds', { name: 'drafts' });
  await page.goto(`${url}/feeds/${feed.id}`);
  const title = page.getByLabel('Title');
  const text = page.getByLabel('New post');
  await title.fill('The title');
  await text.fill('The text');
  await navigation(page).getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  await navigation(page).getByRole('link', { name: 'drafts' }).click();
  await text.waitFor();
  assert.deepEqual([await title.inputValue(), await text.inputValue()], ['The title', 'The text']);
  await page.reload();
  await text.waitFor();
  assert.deepEqual([await title.inputValue(), await text.inputValue()], ['The title', 'The text']);
  // Sent: the page goes to the thread, and what comes back to the feed is nothing.
  await text.fill('The text, @demo');
  await page.getByRole('button', { name: 'Post', exact: true }).click();
  await page.waitForURL('**/posts/**');
  await navigation(page).getByRole('link', { name: 'drafts' }).click();
  await page.getByRole('link', { name: 'The title' }).waitFor();
  assert.deepEqual([await title.inputValue(), await text.inputValue()], ['', '']);
}

async function reasons({ page, url, ask }) {
  for (const name of ['locks/one', 'locks/two']) {
    await ask('POST', '/api/leases', { names: [name], command: 'make', host: 'far' });
  }
  await page.goto(`${url}/leases`);
  const dialog = page.getByRole('dialog');
  const breaking = (name) =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: 'Break' });
  await breaking('locks/one').click();
  await dialog.getByLabel('Why').fill('its machine is off');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await breaking('locks/two').click();
  assert.equal(await dialog.getByLabel('Why').inputValue(), '');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'New feed' }).click();
  await dialog.getByLabel('Name').fill('never made');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New feed' }).click();
  assert.equal(await dialog.getByLabel('Name').inputValue(), '');
  await page.keyboard.press('Escape');

  await navigation(page).getByRole('link', { name: 'general' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('never so called');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'general');
}

// In a Korean page no remark of the hub is English.
async function notices({ page, url, ask }) {
  await ask('POST', '/api/keys', { name: 'remarked', type: 'demo' });
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  const write = (content) => ask('POST', `/api/feeds/${feed}/posts`, { content });
  const many = await write(['a', 'b', 'c', 'd', 'e'].map((name) => `@remarked/${name}`).join(' '));
  const failed = await write('@remarked\ndemo: fail 3 the compiler is missing');
  const note = page.getByRole('note');
  await page.goto(`${url}/posts/${many.id}`);
  await note.filter({ hasText: '세션 한도에 도달해 기본 세션이 처리합니다' }).waitFor();
  assert.equal(await note.filter({ hasText: 'session limit' }).count(), 0);
  await ask('POST', '/api/leases', { names: ['remarked'], host: 'far' });
  await page.goto(`${url}/leases`);
  await page.getByText('여기서는 프로세스가 보이지 않습니다').first().waitFor();
  await page.goto(`${url}/posts/${failed.id}`);
  await note.filter({ hasText: /^실행이 실패했습니다.*다시 시도합니다/ }).waitFor();
  assert.equal(await note.filter({ hasText: 'the run failed' }).count(), 0);
}

// A file that arrives once its writer was elsewhere stands in what was written since.
async function files({ page, url, ask }) {
  const feed = await ask('POST', '/api/feeds', { name: 'files' });
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route('**/api/uploads?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}/feeds/${feed.id}`);
  const text = page.getByLabel('New post');
  await text.fill('Look:');
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') };
  await page.locator('main input[type=file]').setInputFiles(file);
  await page.waitForFunction(() => document.querySelector('textarea').value.includes('Uploading'));
  await goTo(page, 'Runs');
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  await goTo(page, 'files');
  await text.waitFor();
  await text.evaluate((box) => box.setSelectionRange(5, 5));
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type(' this is newer.');
  // What stands for the file is not sent in its place.
  assert.ok(await page.getByRole('button', { name: 'Post', exact: true }).isDisabled());
  letGo();
  await page.waitForFunction(() => document.querySelector('textarea').value.includes('/api/uploads/'));
  await page.keyboard.type(' And this.');
  const wanted = /^Look: this is newer. And this.\n\[notes.txt\]\(\/api\/uploads\/[^)]*\)\n$/;
  assert.match(await text.inputValue(), wanted);
  await page.reload();
  await text.waitFor();
  assert.match(await text.inputValue(), wanted);
}

export const texts = {
  'a file that arrives late stands in what was written since': { act: files },
  'what the hub remarks is Korean in a Korean page': { act: notices, look: { language: 'ko' } },
  'title and text of a post that was not sent are kept, and gone once it is': { act: drafts },
  'what was begun in a dialog and cancelled is not offered for something else': { act: reasons },
};
