// What the page promises and only a browser can show, each within seconds: `./dev test` runs it.
// `node look/checks.mjs WORDS` runs those with WORDS in their name. Ends with 1 if one is broken.

import { launch, open, problemCount } from './browser.mjs';
import { asker, startHub } from './hub.mjs';
import { agents } from './check_agents.mjs';
import { absence } from './check_away.mjs';
import { inbox } from './check_inbox.mjs';
import { leases } from './check_leases.mjs';
import { logins } from './check_login.mjs';
import { rows } from './check_rows.mjs';
import { runs } from './check_runs.mjs';
import { texts } from './check_texts.mjs';

const all = {
  ...runs,
  ...agents,
  ...rows,
  ...leases,
  ...inbox,
  ...texts,
  ...logins,
  ...absence,
};
const look = { scheme: 'light', width: 1280, language: 'en' };

// Each on a page of its own; the hub is theirs together, with what the others have left there.
async function tryOne(browser, hub, name, check) {
  const page = await open(browser, 'http://127.0.0.1:', { ...look, ...check.look }, check.expected);
  const before = Date.now();
  const problems = problemCount();
  let failure;
  try {
    await check.act({ page, browser, url: hub.url, ask: asker(hub.url) });
  } catch (error) {
    failure = error;
  }
  await page.context().close();
  const isKept = failure === undefined && problemCount() === problems;
  console.log(`${isKept ? 'ok' : 'BROKEN'}: ${name}, ${((Date.now() - before) / 1000).toFixed(1)} s`);
  if (failure) console.log(failure.stack);
  return isKept;
}

const wanted = process.argv[2] ?? '';
const names = Object.keys(all).filter((name) => name.includes(wanted));
const browser = await launch();
const hub = await startHub(['--open-loopback']);
let broken = 0;
try {
  for (const name of names) broken += (await tryOne(browser, hub, name, all[name])) ? 0 : 1;
} finally {
  await browser.close();
  await hub.stop();
}
console.log(`${names.length - broken} promises kept, ${broken} broken`);
process.exit(broken === 0 && names.length > 0 ? 0 : 1);
