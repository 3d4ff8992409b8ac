// Looks at the page as a person would, with Debian's Chromium: every view in dark and light, wide
// and narrow, in both languages; then what can be done there. Pictures are left in build/look.
// Ends with 1 if anything is wrong: an error, a request that leaves the hub, something that the
// content policy refused, a view that is wider than the window, a serious finding of axe.
//
// `./dev web --look` calls this; `node look/look.mjs URL` looks at a hub that runs already.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { door } from './door.mjs';
import { asker, seed, startHub } from './hub.mjs';
import { long } from './long.mjs';
import { walk } from './walk.mjs';
import { write } from './write.mjs';

const root = new URL('../../', import.meta.url).pathname;
const require = createRequire(`${root}build/peers/package.json`);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const pictures = `${root}build/look`;
mkdirSync(pictures, { recursive: true });

let problems = 0;
function complain(...words) {
  problems += 1;
  console.log('!', ...words);
}

const looks = [
  { scheme: 'light', width: 1280, language: 'en' },
  { scheme: 'dark', width: 1280, language: 'ko' },
  { scheme: 'light', width: 320, language: 'ko' },
  { scheme: 'dark', width: 320, language: 'en' },
];

// `expected`: what the browser may complain about, such as that it was not let in.
async function open(browser, url, { scheme, width, language }, expected = /^$/) {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 800 },
    locale: language === 'ko' ? 'ko-KR' : 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => complain(page.url(), error.message));
  page.on('console', (said) => {
    if (expected.test(said.text())) return;
    if (said.type() === 'error' || said.type() === 'warning') complain(page.url(), said.text());
  });
  page.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(url) && !/^(data|blob):/.test(to)) complain('a request leaves:', to);
  });
  return page;
}

async function check(page, name) {
  await page.screenshot({ path: `${pictures}/${name}.png` });
  const [shown, there] = await page.evaluate(() => {
    const main = document.querySelector('main') ?? document.documentElement;
    return [main.clientWidth, main.scrollWidth];
  });
  if (there > shown) complain(`${name} is ${there - shown} pixels too wide`);
  // Not by a script element: the content policy would refuse it.
  const found = await page.evaluate(async (code) => {
    if (!window.axe) (0, eval)(code);
    const { violations } = await window.axe.run();
    return violations
      .filter((one) => one.impact === 'serious' || one.impact === 'critical')
      .map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 3)}`);
  }, axe);
  for (const one of found) complain(`${name}: ${one}`);
}

async function viewsOf(ask) {
  const agents = (await ask('GET', '/api/agents')).data;
  const agent = agents.find((one) => one.name === 'reviewer') ?? agents[0];
  const feed = (await ask('GET', '/api/feeds')).data[0];
  const post = (await ask('GET', `/api/feeds/${feed.id}/posts`)).data.at(-1);
  const views = {
    inbox: '/',
    feed: `/feeds/${feed.id}`,
    thread: `/posts/${post.id}`,
    search: '/search?q=build',
    agents: '/agents',
    agent: `/agents/${agent.id}`,
    runs: '/runs',
    fleet: '/fleet',
    leases: '/leases',
    events: '/events',
    story: `/events?key=agent/${agent.id}`,
    settings: '/settings',
    nowhere: '/nowhere',
  };
  const sessions = (await ask('GET', `/api/agents/${agent.id}/sessions`)).data;
  for (const session of sessions) {
    const run = (await ask('GET', `/api/sessions/${session.id}/runs`)).data[0];
    if (run) views.run = `/runs/${session.id}/${run.id}`;
  }
  return views;
}

async function settle(page) {
  await page.locator('main :is(h1, p, [role=alert])').first().waitFor();
  await page.waitForTimeout(400); // What comes behind the first words: names, titles, numbers.
}

async function lookAt(browser, url) {
  const views = await viewsOf(asker(url));
  for (const look of looks) {
    const page = await open(browser, url, look);
    for (const [name, path] of Object.entries(views)) {
      await page.goto(url + path);
      await settle(page).catch(() => complain(`${name} shows nothing`));
      await check(page, `${name}-${look.scheme}-${look.width}-${look.language}`);
    }
    await page.context().close();
  }
}

// On hubs of their own: one with a password, and one that is filled with much and with harm.
async function lookApart(browser) {
  const lost = /Failed to load resource/;
  for (const [options, act] of [
    [[], (page, url, see) => door(page, url, see)],
    [['--open-loopback'], (page, url, see) => long(page, url, asker(url), complain, see)],
  ]) {
    const hub = await startHub(options);
    const page = await open(browser, 'http://127.0.0.1:', looks[0], lost);
    try {
      await act(page, hub.url, (name) => check(page, name));
    } finally {
      await page.context().close();
      await hub.stop();
    }
  }
}

const given = process.argv[2];
const hub = given ? undefined : await startHub(['--open-loopback']);
const url = given ?? hub.url;
const browser = await chromium.launch({
  executablePath: process.env.TYER_BROWSER ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  if (hub) await seed(asker(url));
  await lookAt(browser, url);
  if (hub) {
    const page = await open(browser, url, looks[0]);
    await walk(page, url, (name) => check(page, name));
    await write(page, url, (name) => check(page, name));
    await lookApart(browser);
  }
} catch (error) {
  complain(error.message);
} finally {
  await browser.close();
  await hub?.stop();
}
console.log(problems === 0 ? 'The page is as it should be.' : `${problems} problems`);
console.log(`Pictures: ${pictures}`);
process.exit(problems === 0 ? 0 : 1);
