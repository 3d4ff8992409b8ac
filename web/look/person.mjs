// What a person does who has just got Tyer, from the first visit to the logout, on a hub of its
// own. The same in both languages, with mouse and keyboard where there is room, and with a finger on
// 320 pixels. Things are found by their roles and by the page's own words.

import { check, open } from './browser.mjs';
import { startHub } from './hub.mjs';
import { readWords } from './words.mjs';

const ways = [
  { language: 'en', width: 1280, scheme: 'light' },
  { language: 'ko', width: 1280, scheme: 'dark' },
  { language: 'en', width: 320, scheme: 'dark', touch: true },
  { language: 'ko', width: 320, scheme: 'light', touch: true },
];

const said = {
  en: {
    agent: 'reviewer',
    begin: 'rev',
    title: 'The build fails on ARM',
    ask: 'Since this morning. Have a look, ',
    answer: 'It was a missing include in `wire.cc`.',
    again: 'Is it in the next release? ',
    session: 'release',
    more: 'And the others, please: ',
    find: 'missing include',
    why: 'its machine was switched off',
    limit: 'session limit reached',
  },
  ko: {
    agent: '검토자',
    begin: '검',
    title: 'ARM에서 빌드가 실패합니다',
    ask: '오늘 아침부터입니다. 봐 주세요, ',
    answer: '`wire.cc`에 include가 빠져 있었습니다.',
    again: '다음 릴리스에 들어가나요? ',
    session: '릴리스',
    more: '다른 세션도 봐 주세요: ',
    find: '빠져 있었습니다',
    why: '그 컴퓨터가 꺼졌습니다',
    limit: '세션 한도에 도달해 기본 세션이 처리합니다',
  },
};

const password = 'correct horse';
const lock = 'build/main';

// A person with a way to point: `hit` is a click or a touch. `see` leaves a picture.
function personOf(page, hub, way, words) {
  let number = 0;
  const hit = (what) => (way.touch ? what.tap() : what.click());
  const see = (name) => {
    number += 1;
    const step = `${String(number).padStart(2, '0')}-${name}`;
    return check(page, `person-${way.language}-${way.width}-${step}`, `person/${name}`);
  };
  const t = words[way.language];
  const button = (name, within = page) => within.getByRole('button', { name, exact: true });
  const showNavigation = async () => {
    if (way.touch) await hit(button(t.frame.menu));
    return page.getByRole('navigation', { name: t.frame.navigation });
  };
  // The name of a link there may end with how much is unread.
  const goTo = async (name) =>
    hit((await showNavigation()).getByRole('link', { name: new RegExp(`^${name}`) }));
  const heading = (name) => page.getByRole('heading', { name, level: 1, exact: true });
  const dialog = page.getByRole('dialog');
  const s = said[way.language];
  return { page, hub, way, t, s, hit, see, button, showNavigation, goTo, heading, dialog };
}

async function setUp({ page, hub, t, hit, see, button, heading }) {
  await page.goto(hub.url);
  await heading(t.welcome.first).waitFor();
  await page.getByLabel(t.welcome.password, { exact: true }).fill(password);
  await page.getByLabel(t.welcome.again).fill('battery staple');
  await hit(button(t.welcome.set_up));
  await page.getByText(t.welcome.differ).waitFor();
  await see('set-up');
  await page.getByLabel(t.welcome.again).fill(password);
  await hit(button(t.welcome.set_up));
  await heading(t.inbox.title).waitFor();
  await page.getByText(t.inbox.empty, { exact: true }).waitFor();
  await see('inbox');
}

async function addAgent({ page, hub, t, s, hit, see, button, goTo, heading, dialog }) {
  await goTo(t.frame.agents);
  await hit(button(t.agents.new_agent));
  await dialog.getByLabel(t.agent.form.name, { exact: true }).fill(s.agent);
  await dialog.getByLabel(t.agent.form.type, { exact: true }).selectOption(t.agent.types.demo);
  await see('agent-new');
  await hit(button(t.agents.make, dialog));
  await dialog.getByText(t.agents.key_once).waitFor();
  await see('agent-key');
  await hit(button(t.parts.copy, dialog));
  await button(t.parts.copied, dialog).waitFor();
  hub.key = await page.evaluate(() => navigator.clipboard.readText());
  await hit(button(t.agents.open, dialog));
  await heading(s.agent).waitFor();
  await see('agent');
}

// Takes what is offered for a mention: with Enter, or with a finger.
async function take({ page, way, hit }, offer) {
  await offer.waitFor();
  await (way.touch ? hit(offer) : page.keyboard.press('Enter'));
  await offer.waitFor({ state: 'detached' });
}

async function post(person) {
  const { page, t, s, hit, see, button, goTo, heading } = person;
  await goTo('general');
  await heading('general').waitFor();
  await page.getByLabel(t.feed.title).fill(s.title);
  await hit(page.getByLabel(t.feed.new_post));
  await page.keyboard.type(`${s.ask}@${s.begin}`);
  const offer = page.getByRole('option', { name: s.agent });
  await offer.waitFor();
  await see('mention');
  await take(person, offer);
  // Long enough for a look at the run.
  const script = `\ndemo: tool Bash ninja -C build\ndemo: sleep 5\ndemo: say ${s.answer}`;
  await page.keyboard.insertText(script);
  const written = await page.getByLabel(t.feed.new_post).inputValue();
  if (written.trim() !== `${s.ask}@${s.agent} ${script}`.trim()) throw new Error(written);
  await hit(button(t.feed.post));
  await page.getByRole('status').getByText(t.thread.typing(s.agent)).waitFor();
}

async function watch({ page, t, s, hit, see, heading }) {
  await hit(page.getByRole('link', { name: t.thread.see_run }));
  await heading(s.agent).waitFor();
  await page.getByText(t.status.running, { exact: true }).first().waitFor();
  await hit(page.getByText(t.run.tools(1)));
  await page.getByText('ninja -C build').first().waitFor();
  await see('run');
  await page.getByText(t.status.done, { exact: true }).first().waitFor();
  await page.goBack();
  const answer = page.getByRole('article', { name: t.thread.comment_of(s.agent) });
  await answer.getByText(s.answer.replaceAll('`', '')).waitFor();
  await see('answered');
}

async function secondSession(person) {
  const { page, t, s, hit, see, button } = person;
  await hit(page.getByLabel(t.thread.reply));
  await page.keyboard.type(`${s.again}@${s.agent}/`);
  await page.getByRole('option', { name: t.compose.default_session }).waitFor();
  await page.keyboard.type(s.session);
  const offer = page.getByRole('option', { name: t.compose.create(s.session) });
  await offer.waitFor();
  await see('mention-session');
  await take(person, offer);
  await hit(button(t.thread.send));
  await page.getByRole('link', { name: `${s.agent}/${s.session}`, exact: true }).waitFor();
  await see('second-session');
}

// There are two sessions; five are allowed.
async function limit({ page, t, s, hit, see, button }) {
  const names = ['a', 'b', 'c', 'd'].map((name) => `@${s.agent}/${name}`);
  await page.getByLabel(t.thread.reply).fill(s.more + names.join(' '));
  await hit(button(t.thread.send));
  await page.getByRole('note').filter({ hasText: s.limit }).first().waitFor();
  await see('limit');
}

async function deleteSession({ page, t, s, hit, see, button, goTo, heading, dialog }) {
  await goTo(t.frame.agents);
  const agents = page.getByRole('list', { name: t.agents.title });
  await hit(agents.getByRole('link', { name: s.agent, exact: true }));
  await heading(s.agent).waitFor();
  const sessions = page.getByRole('list', { name: t.agent.sessions }).getByRole('listitem');
  const first = sessions.filter({ has: button(t.agent.delete_session('a')) });
  await hit(button(t.agent.delete_session('a'), first));
  await dialog.getByText(t.agent.delete_session_about).waitFor();
  await see('session-delete');
  await hit(button(t.agent.delete, dialog));
  // Behind a dialog nothing has a role.
  await dialog.waitFor({ state: 'detached' });
  await first.waitFor({ state: 'detached' });
  await see('session-deleted');
}

// The agent itself holds it, with the key that the page has shown.
async function breakLease({ page, hub, t, s, hit, see, button, goTo, dialog }) {
  const taken = await fetch(`${hub.url}/api/leases`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${hub.key}` },
    body: JSON.stringify({ names: [lock], command: 'ninja -C build', host: 'arm-1' }),
  });
  if (!taken.ok) throw new Error(`the lock was not taken: ${await taken.text()}`);
  await goTo(t.frame.leases);
  await page.getByText(lock, { exact: true }).waitFor();
  await see('leases');
  await hit(button(t.leases.break));
  await dialog.getByLabel(t.leases.why).fill(s.why);
  await see('lease-break');
  await hit(button(t.leases.break, dialog));
  await page.getByText(t.leases.none, { exact: true }).waitFor();
}

async function lookAround({ page, t, s, see, goTo, heading }) {
  await goTo(t.frame.events);
  await page.getByText('lease_broken').waitFor();
  await see('events');
  await goTo(t.frame.runs);
  const recent = page.getByRole('list', { name: t.runs.recent });
  await recent.getByRole('link', { name: `${s.agent}/${s.session}` }).first().waitFor();
  await see('runs');
  await goTo(t.frame.fleet);
  await page.getByRole('link', { name: new RegExp(`^${s.agent}, `) }).first().waitFor();
  await see('fleet');
  await goTo(t.frame.settings);
  await heading(t.settings.title).waitFor();
  await see('settings');
}

async function search({ page, way, t, s, hit, see, button }) {
  if (way.touch) await hit(button(t.frame.palette));
  else await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: t.palette.title }).fill(s.find);
  await see('palette');
  await hit(page.getByRole('option', { name: t.palette.search_for(s.find) }));
  const found = page.getByRole('list', { name: t.search.results }).getByRole('link');
  await found.getByRole('mark').first().waitFor();
  await see('found');
  await hit(found.first());
  await page.getByRole('heading', { name: s.title }).waitFor();
}

async function logOut({ page, way, t, hit, see, button, showNavigation, heading }) {
  const leave = async () => hit(button(t.frame.log_out, await showNavigation()));
  if (way.touch) {
    await showNavigation();
    await see('menu');
    await page.keyboard.press('Escape');
  }
  await leave();
  await heading(t.welcome.log_in).waitFor();
  const field = page.getByLabel(t.welcome.password, { exact: true });
  await field.fill('wrong horse');
  await hit(button(t.welcome.go));
  await page.getByText(t.welcome.wrong).waitFor();
  await see('log-in');
  await field.fill(password);
  await hit(button(t.welcome.go));
  await page.getByRole('status').getByText(t.frame.live, { exact: true }).waitFor();
  await leave();
  await heading(t.welcome.log_in).waitFor();
}

const steps = {
  'set up': setUp,
  'add an agent': addAgent,
  'post to it': post,
  'watch it answer': watch,
  'a second session': secondSession,
  'the session limit': limit,
  'delete a session': deleteSession,
  'break a lease': breakLease,
  'events, runs, fleet, settings': lookAround,
  search,
  'log out': logOut,
};

async function walkOnce(browser, way, words) {
  const hub = await startHub([]);
  // Who is not let in is told so by 401, and the browser says that, too.
  const page = await open(browser, hub.url, way, /Failed to load resource.* 401 /);
  const name = `person ${way.language} ${way.width}`;
  try {
    const person = personOf(page, hub, way, words);
    for (const [step, act] of Object.entries(steps)) {
      const before = Date.now();
      try {
        await act(person);
      } catch (error) {
        await check(page, `person-${way.language}-${way.width}-failed`);
        throw new Error(`${name}: ${step}: ${error.message}`);
      }
      console.log(`${name}: ${step}, ${((Date.now() - before) / 1000).toFixed(1)} s`);
    }
  } finally {
    await page.context().close();
    await hub.stop();
  }
}

export async function person(browser) {
  const words = await readWords();
  for (const way of ways) await walkOnce(browser, way, words);
}
