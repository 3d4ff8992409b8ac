// What can be done with feeds and threads besides what person.mjs does, in English: with the
// keyboard, with files, and with the feeds themselves.

async function post(page, check) {
  await page.getByRole('link', { name: 'general' }).first().click();
  const text = page.getByLabel('New post');
  await text.waitFor();
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('Is it out yet, @demo/release please look?');
  await page.getByRole('button', { name: 'Preview' }).click();
  await check('preview');
  await page.getByRole('button', { name: 'Post', exact: true }).click();
  await page.waitForURL('**/posts/**');
  await page.getByText('This is the demo agent').waitFor();
}

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ' +
  'RU5ErkJggg==';

async function thread(page, check) {
  await page.keyboard.press('r');
  const text = page.getByLabel('Reply');
  await page.locator('input[type=file]').setInputFiles([
    { name: 'a [b].txt', mimeType: 'text/plain', buffer: Buffer.from('hi') },
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
  ]);
  await page.waitForFunction(() =>
    /dot\.png\]\(\/api/.test(document.querySelector('textarea').value),
  );
  await text.press('Control+Enter');
  await page.getByRole('img', { name: 'dot.png' }).waitFor();
  await page.getByRole('link', { name: 'a [b].txt' }).waitFor();

  const first = page.getByRole('article').first();
  await first.hover();
  await first.getByRole('button', { name: 'Edit' }).click();
  await first.getByRole('textbox').fill('Edited: is it out?');
  await page.getByRole('button', { name: 'Save' }).click();
  await first.getByText('Edited: is it out?').waitFor();
}

async function find(page, check) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('gen');
  await check('palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/feeds/**');
  await page.getByRole('link', { name: /Edited: is it out/ }).waitFor();
  await page.keyboard.press('j');
  await page.waitForFunction(() => document.activeElement?.hasAttribute('data-row'));
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await check('keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.waitForURL('**/search');
  await page.getByRole('searchbox').fill('demo agent');
  await page.getByRole('mark').first().waitFor();
}

async function feeds(page, check) {
  await page.getByRole('button', { name: 'New feed' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('둘째 피드');
  await dialog.getByRole('button', { name: 'Make the feed' }).click();
  await page.getByText('Nothing is written here yet').waitFor();
  await page.getByRole('button', { name: 'Move up' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await check('feed-delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: '둘째 피드', exact: true }).waitFor({ state: 'detached' });
}

export async function write(page, url, check) {
  await page.goto(url);
  for (const part of [post, thread, find, feeds]) await part(page, check);
}
