// Looks at the page as a person would, with Debian's Chromium: every view in dark and light, wide
// and narrow, in both languages; then what can be done there. Pictures are left in build/look.
// Ends with 1 if anything is wrong: an error, a request that leaves the hub, something that the
// content policy refused, a view that is wider than the window, a serious finding of axe, a first
// load that is too large.
//
// `./dev web --look` calls this; `node look/look.mjs URL` looks at a hub that runs already, and
// `--pictures` makes those of the documentation, nothing else.

import { check, complain, launch, looks, open } from './browser.mjs';
import { pictures, problemCount, tellFindings } from './browser.mjs';
import { asker, seed, startHub } from './hub.mjs';
import { long } from './long.mjs';
import { person } from './person.mjs';
import { show } from './show.mjs';
import { walk } from './walk.mjs';
import { weigh } from './weigh.mjs';
import { write } from './write.mjs';

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
      await check(page, `${name}-${look.scheme}-${look.width}-${look.language}`, name);
    }
    await page.context().close();
  }
}

// On a hub of its own, which is filled with much and with harm.
async function lookAtMuch(browser) {
  const hub = await startHub(['--open-loopback']);
  const page = await open(browser, 'http://127.0.0.1:', looks[0], /Failed to load resource/);
  try {
    await long(page, hub.url, asker(hub.url), complain, (name) => check(page, name));
  } finally {
    await page.context().close();
    await hub.stop();
  }
}

// A run is there to be looked at once it has begun.
async function waitForRun(browser, url) {
  const page = await open(browser, url, looks[0]);
  await page.goto(`${url}/runs`);
  const now = page.getByRole('list', { name: 'Now' });
  await now.getByRole('link', { name: 'reviewer/deploy', exact: true }).waitFor();
  await page.context().close();
}

async function lookAtAll(browser, given) {
  if (given) return lookAt(browser, given);
  const hub = await startHub(['--open-loopback']);
  const { url } = hub;
  let weight;
  try {
    const ask = asker(url);
    await seed(ask);
    await waitForRun(browser, url);
    await lookAt(browser, url);
    weight = await weigh(browser, url, looks[0]);
    const page = await open(browser, url, looks[0]);
    await walk(page, url, (name) => check(page, name), ask);
    await write(page, url, (name) => check(page, name));
    await page.context().close();
  } finally {
    await hub.stop();
  }
  await person(browser);
  await lookAtMuch(browser);
  tellFindings();
  console.log(weight);
}

const given = process.argv[2];
const browser = await launch();
try {
  if (given === '--pictures') await show(browser);
  else await lookAtAll(browser, given);
} catch (error) {
  complain(error.message);
} finally {
  await browser.close();
}
const problems = problemCount();
console.log(problems === 0 ? 'The page is as it should be.' : `${problems} problems`);
if (given !== '--pictures') console.log(`Pictures: ${pictures}`);
process.exit(problems === 0 ? 0 : 1);
