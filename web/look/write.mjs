// What a person does with feeds and threads, in English: write, mention, attach, find.

async function post(page, check) {
  await page.getByRole('link', { name: 'general' }).first().click();
  const text = page.getByLabel('New post');
  await text.waitFor();
  await page.keyboard.press('r');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('Is it out yet, @de');
  await page.getByRole('option', { name: 'demo demo' }).waitFor();
  await check('mention-agent');
  await page.keyboard.press('Enter');
  await page.keyboard.type('/');
  await page.getByRole('option', { name: /default/ }).waitFor();
  await page.keyboard.type('release');
  await page.getByRole('option', { name: 'Create session “release”' }).waitFor();
  await check('mention-create');
  await page.keyboard.press('Enter');
  // At once: the caret is behind the mention already.
  await page.keyboard.type('please look?');
  const written = await text.inputValue();
  if (written !== 'Is it out yet, @demo/release please look?') throw new Error(written);
  await page.getByRole('button', { name: 'Preview' }).click();
  await check('preview');
  await page.getByRole('button', { name: 'Post', exact: true }).click();
  await page.waitForURL('**/posts/**');
  await page.getByText('This is the demo agent').waitFor();
  await page.getByRole('link', { name: 'demo/release', exact: true }).waitFor();
  await check('answered');
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

  // One more session than an agent may have.
  await text.fill('@demo/a @demo/b @demo/c @demo/d');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('session limit reached').first().waitFor();
  await check('limit');

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
  await page.locator('mark').first().waitFor();
  await check('found');
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
  await page.getByRole('link', { name: '둘째 피드' }).waitFor({ state: 'detached' });
}

export async function write(page, url, check) {
  await page.goto(url);
  for (const part of [post, thread, find, feeds]) await part(page, check);
}
