// Debian's Chromium, and what is looked at on every page it opens: errors, requests that leave the
// hub, what the content policy refused, views that are too wide, and what axe finds.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const root = new URL('../../', import.meta.url).pathname;
export const pictures = `${root}build/look`;

const require = createRequire(`${root}build/peers/package.json`);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
mkdirSync(pictures, { recursive: true });

// What is waited for comes within this time, or it does not come.
const patience_ms = 15_000;

let problems = 0;
export function complain(...words) {
  problems += 1;
  console.log('!', ...words);
}
export const problemCount = () => problems;

export const looks = [
  { scheme: 'light', width: 1280, language: 'en' },
  { scheme: 'dark', width: 1280, language: 'ko' },
  { scheme: 'light', width: 320, language: 'ko' },
  { scheme: 'dark', width: 320, language: 'en' },
];

export function launch() {
  return chromium.launch({
    executablePath: process.env.TYER_BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

// `expected`: what the browser may complain about, such as that it was not let in.
export async function open(browser, url, look, expected = /^$/) {
  const { scheme, width, language, touch = false } = look;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 800 },
    locale: language === 'ko' ? 'ko-KR' : 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
    hasTouch: touch,
    isMobile: touch,
  });
  context.setDefaultTimeout(patience_ms);
  const page = await context.newPage();
  page.on('pageerror', (error) => complain(page.url(), error.message));
  page.on('console', (said) => {
    if (expected.test(said.text())) return;
    if (said.type() !== 'error' && said.type() !== 'warning') return;
    complain(page.url(), said.text(), said.location().url);
  });
  page.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(url) && !/^(data|blob):/.test(to)) complain('a request leaves:', to);
  });
  return page;
}

const bad = (one) => one.impact === 'serious' || one.impact === 'critical';
const findings = new Map();
let looked = 0;

// `view` is what the summary calls it: a view has one name, and many pictures.
export async function check(page, name, view = name) {
  // What moves is shown where it ends.
  await page.screenshot({ path: `${pictures}/${name}.png`, animations: 'disabled' });
  const [shown, there] = await page.evaluate(() => {
    const main = document.querySelector('main') ?? document.documentElement;
    return [main.clientWidth, main.scrollWidth];
  });
  if (there > shown) complain(`${name} is ${there - shown} pixels too wide`);
  // Not by a script element: the content policy would refuse it.
  const found = await page.evaluate(async (code) => {
    if (!window.axe) (0, eval)(code);
    const { violations } = await window.axe.run();
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.map((node) => node.target.join(' ')).slice(0, 3),
    }));
  }, axe);
  looked += 1;
  const known = findings.get(view) ?? new Set();
  findings.set(view, known);
  for (const one of found) {
    known.add(`${one.id} (${one.impact})`);
    if (bad(one)) complain(`${name}: ${one.id}: ${one.where}`);
  }
}

export function tellFindings() {
  const clean = [...findings].filter(([, found]) => found.size === 0).map(([view]) => view);
  console.log(`axe: ${looked} looks; nothing found on ${clean.join(', ') || 'no view'}`);
  for (const [view, found] of findings) {
    if (found.size > 0) console.log(`axe: ${view}: ${[...found].join(', ')}`);
  }
}
