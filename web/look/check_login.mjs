// What the page promises about logging in: who did stays so, and nobody else gets in by it.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { check } from './browser.mjs';
import { startHub, tyerAt } from './hub.mjs';

const password = 'correct horse battery';
const another = 'another battery';
// That somebody is not let in is what is looked at, and the hub goes before the page.
const refused = /Failed to load resource: (the server responded with a status of 4|net::ERR_CONNECTION_REFUSED)/;

const heading = (page, name) => page.getByRole('heading', { name, level: 1, exact: true });
const isIn = (page) => heading(page, 'Inbox').waitFor();
const isLive = (page) => page.getByRole('status').getByText('live', { exact: true }).waitFor();

async function setUp(page, hub) {
  await page.goto(hub.url);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('The same again').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await isIn(page);
}

async function logIn(page, words) {
  await page.getByLabel('Password', { exact: true }).fill(words);
  await page.getByRole('button', { name: 'Log in' }).click();
}

// A server on another port, as an agent may start one: what it is sent by a browser that visits it.
async function startOther() {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'text/html').end('<h1>Another server</h1>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, stop: () => server.close() };
}

async function stays({ page }) {
  const hub = await startHub([]);
  try {
    await setUp(page, hub);
    await isLive(page);
    await page.reload();
    await isIn(page);
    await isLive(page);
    const second = await page.context().newPage();
    await second.goto(`${hub.url}/settings`);
    await second.getByRole('button', { name: 'Log out' }).first().waitFor();
    await isLive(second);
    // Changes are let through in both.
    await second.getByRole('button', { name: 'New feed' }).click();
    await second.getByRole('dialog').getByLabel('Name').fill('made');
    await second.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).getByText('made').waitFor();

    await second.getByRole('button', { name: 'Log out' }).first().click();
    await heading(second, 'Log in').waitFor();
    await heading(page, 'Log in').waitFor();
    await check(page, 'check-log-in', 'log in');
    await logIn(page, 'not this one');
    await page.getByText('This is not the password.').waitFor();
    await logIn(page, password);
    await isIn(page);
  } finally {
    await hub.stop();
  }
}

async function otherPorts({ page }) {
  const hub = await startHub([]);
  const other = await startOther();
  try {
    await setUp(page, hub);
    const visit = await page.context().newPage();
    await visit.goto(other.url);
    const { cookie } = other.seen[0];
    assert.match(cookie, /^tyer_login=tl_/, 'a browser tells it to all ports');
    assert.equal(await visit.evaluate(() => localStorage.length), 0);
    for (const path of ['/api/auth/me', '/api/feeds', '/api/events', '/api/events/stream']) {
      const answer = await fetch(hub.url + path, { headers: { cookie } });
      assert.equal(answer.status, 401, path);
      assert.doesNotMatch(await answer.text(), /csrf_token"/);
    }
    assert.equal((await fetch(`${hub.url}/health`, { headers: { cookie } })).status, 200);
  } finally {
    other.stop();
    await hub.stop();
  }
}

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ' +
  'RU5ErkJggg==';

// A picture and another file, which a browser would ask for without saying who it is.
async function files({ page }) {
  const hub = await startHub([]);
  try {
    await setUp(page, hub);
    await page.getByRole('navigation', { name: 'Main' }).getByText('general').click();
    const text = page.getByLabel('New post');
    await text.waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') },
    ]);
    await page.waitForFunction(() =>
      [...document.querySelectorAll('textarea')].some((one) => /notes\.txt\]\(\/api/.test(one.value)),
    );
    await page.getByRole('button', { name: 'Post', exact: true }).click();
    await page.getByRole('link', { name: /dot\.png/ }).click();
    await page.waitForURL('**/posts/**');
    const picture = page.getByRole('img', { name: 'dot.png' });
    await picture.waitFor();
    await page.waitForFunction(() => {
      const shown = document.querySelector('main img[alt="dot.png"]');
      return shown?.complete && shown.naturalWidth === 1;
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'notes.txt' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'notes.txt');
    const stream = await download.createReadStream();
    let saved = '';
    for await (const piece of stream) saved += piece;
    assert.equal(saved, 'some notes');
  } finally {
    await hub.stop();
  }
}

async function byLink({ page, browser }) {
  const hub = await startHub([]);
  const asked = [];
  try {
    await setUp(page, hub);
    const link = JSON.parse(tyerAt(hub, ['login', '--url', hub.url, '--json'])).url;
    assert.match(link, new RegExp(`^${hub.url}/#login=tk_`));
    const secret = link.slice(link.indexOf('=') + 1);
    const elsewhere = await (await browser.newContext()).newPage();
    elsewhere.on('request', (request) => asked.push(request.url(), request.headers()['referer']));
    await elsewhere.goto(link);
    await isIn(elsewhere);
    assert.equal(new URL(elsewhere.url()).hash, '');
    await elsewhere.reload();
    await isIn(elsewhere);
    assert.ok(!asked.some((one) => one?.includes(secret)), 'it is in an address that is asked for');
    // Once, and with the new password all have to log in again.
    const late = await (await browser.newContext()).newPage();
    await late.goto(link);
    await late.getByText('This link was used before').waitFor();
    tyerAt(hub, ['password'], `${another}\n`);
    await heading(elsewhere, 'Log in').waitFor();
    await heading(page, 'Log in').waitFor();
    await logIn(page, another);
    await isIn(page);
    await elsewhere.context().close();
    await late.context().close();
  } finally {
    await hub.stop();
  }
}

export const logins = {
  'who has logged in stays so, in all tabs': { act: stays, expected: refused },
  'a server on another port is nobody': { act: otherPorts, expected: refused },
  'pictures and files are there for who is logged in': { act: files, expected: refused },
  'a printed link logs in once, and a new password ends all logins': { act: byLink, expected: refused },
};
