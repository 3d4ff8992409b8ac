// What the page promises about what was begun and not finished.

import assert from 'node:assert/strict';

const navigation = (page) => page.getByRole('navigation', { name: 'Main' });

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

export const texts = {
  'title and text of a post that was not sent are kept, and gone once it is': { act: drafts },
  'what was begun in a dialog and cancelled is not offered for something else': { act: reasons },
};
