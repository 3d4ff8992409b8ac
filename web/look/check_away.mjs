// What the page promises while the hub is away, and when another has taken its place.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { goTo, isLive } from './check_runs.mjs';
import { startHub } from './hub.mjs';

const headings = ['Agents', 'Runs', 'Fleet', 'Leases', 'Events', 'Settings', 'Inbox'];
const away = /Failed to (load resource|fetch)|ERR_/;

const heading = (page, name) => page.getByRole('heading', { name, level: 1, exact: true });

// All that the page is made of, as the hub serves it: paths and texts.
async function filesOf(url) {
  const files = new Map();
  const read = async (path) => {
    if (files.has(path)) return;
    const response = await fetch(url + path);
    assert.ok(response.ok, path);
    const text = await response.text();
    files.set(path, text);
    for (const [, name] of text.matchAll(/["'`/]([\w-]+-[\w-]{8}\.(?:js|css))["'`]/g)) {
      await read(`/assets/${name}`);
    }
  };
  await read('/');
  return files;
}

// The same page with all parts under other names, as after an upgrade.
async function renamedPage(url) {
  const files = await filesOf(url);
  const names = [...files.keys()].filter((path) => path !== '/').map((path) => path.slice(8));
  assert.ok(names.length > 10, `only ${names.length} parts were found`);
  const folder = mkdtempSync(join(tmpdir(), 'tyer-look-page-'));
  mkdirSync(join(folder, 'assets'));
  for (const [path, text] of files) {
    const changed = names.reduce((all, name) => all.replaceAll(name, `new-${name}`), text);
    const name = path === '/' ? 'index.html' : `assets/new-${path.slice(8)}`;
    writeFileSync(join(folder, name), changed);
  }
  return folder;
}

// All views are there once the last of them is.
const hasAll = (page) =>
  page.waitForFunction(() =>
    performance.getEntriesByType('resource').some((one) => /\/settings-/.test(one.name)),
  );

async function views({ page }) {
  const hub = await startHub(['--open-loopback']);
  try {
    await page.goto(hub.url);
    await isLive(page);
    await hasAll(page);
    await hub.stop({ keep: true });
    await page.getByText(/reconnecting|cut off/).first().waitFor();
    for (const name of headings) {
      await goTo(page, name);
      await heading(page, name).waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    // What was asked for in vain is there by itself.
    await goTo(page, 'Leases');
    const failed = page.getByRole('alert').filter({ hasText: 'cannot be reached' });
    await failed.first().waitFor();
    const again = await startHub(['--open-loopback'], hub);
    hub.stop = again.stop;
    await page.getByText('Nothing is locked', { exact: true }).waitFor();
    await failed.waitFor({ state: 'detached' });
  } finally {
    await hub.stop();
  }
}

async function replaced({ page }) {
  const hub = await startHub(['--open-loopback']);
  const renamed = await renamedPage(hub.url);
  try {
    let isHeldBack = true;
    await page.route('**/assets/{fleet,leases}-*', (route) =>
      isHeldBack ? route.abort() : route.continue(),
    );
    await page.goto(`${hub.url}/settings`);
    await isLive(page);
    await page.getByRole('button', { name: 'New feed' }).waitFor();
    await hub.stop({ keep: true });
    await page.getByText(/reconnecting|cut off/).first().waitFor();
    await goTo(page, 'Fleet');
    await heading(page, 'This view is not here yet').waitFor();
    isHeldBack = false;
    const again = await startHub(['--open-loopback', '--web-dir', renamed], hub);
    hub.stop = again.stop;
    await heading(page, 'Fleet').waitFor();
    await isLive(page);
  } finally {
    await hub.stop();
    rmSync(renamed, { recursive: true });
  }
}

export const absence = {
  'every view opens while the hub is away': { act: views, expected: away },
  'a view comes by itself from a hub whose page has other names': { act: replaced, expected: away },
};
