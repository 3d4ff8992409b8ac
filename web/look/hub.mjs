// A hub of its own for a look at the page: in a folder that goes with it, with demo agents that
// have something to do.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// Another program, or a page that was built for itself: for those who work on one of the two.
const program =
  process.env.TYER_PROGRAM ?? new URL('../../build/release/bin/tyer', import.meta.url).pathname;
const given = process.env.TYER_WEB_DIR ? ['--web-dir', process.env.TYER_WEB_DIR] : [];

// A command of the same program, on the store of `hub`; what it printed.
export function tyerAt(hub, words, input = '') {
  return execFileSync(program, words, {
    cwd: hub.folder,
    env: { PATH: process.env.PATH, HOME: hub.folder },
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

// `at`: where one was that has stopped, to begin again on its port and its folder.
export async function startHub(options, at = {}) {
  const folder = at.folder ?? mkdtempSync(join(tmpdir(), 'tyer-look-'));
  const listen = at.url ? new URL(at.url).host : '127.0.0.1:0';
  const page = options.includes('--web-dir') ? [] : given;
  const words = ['up', '--listen', listen, '--json', ...page, ...options];
  const hub = spawn(program, words, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // That runs come and go is no news here, nor that a workspace was made.
  createInterface({ input: hub.stderr }).on('line', (line) => {
    if (!/"level":"info"|^\{"note":/.test(line)) console.error(line);
  });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    hub.once('exit', () => reject(new Error('the hub ended at once')));
    hub.stdout.on('data', (text) => {
      said += text;
      const found = /"url":"([^"]+)"/.exec(said);
      if (found) resolve(found[1]);
    });
  });
  const stop = async ({ keep = false } = {}) => {
    const ended = new Promise((resolve) => hub.once('exit', resolve));
    // Twice: runs under way are not waited for.
    hub.kill('SIGTERM');
    setTimeout(() => hub.kill('SIGTERM'), 300);
    if (hub.exitCode === null && hub.signalCode === null) await ended;
    if (!keep) rmSync(folder, { recursive: true, force: true });
  };
  return { url, folder, stop };
}

export function asker(url) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
}

// The demo agent does what lines that begin with "demo: " tell it.
const posts = [
  [
    'Why does the build fail?',
    '@demo\ndemo: say Looking at **the build**.\ndemo: tool Bash ninja\ndemo: tool Read a.cc\n' +
      'demo: say It was `a.cc`.',
  ],
  ['Deploy 1.3', '@reviewer/deploy\ndemo: say Checking.\ndemo: tool Read plan\ndemo: sleep 500'],
  ['Build it on ARM', '@builder\ndemo: say trying\ndemo: fail 3 the compiler is missing'],
  ['문서 번역', '@번역가/문서 번역해 주세요\ndemo: say 번역을 마쳤습니다.'],
  ['Hostile', '<script>alert(1)</script> [x](javascript:alert(1)) \u202egpj.exe ' + 'w'.repeat(500)],
];

export async function seed(ask) {
  for (const name of ['reviewer', 'builder', '번역가', 'an-agent-with-quite-a-long-name']) {
    await ask('POST', '/api/keys', { name, type: 'demo', runs_per_day: 50, cents_per_day: 500 });
  }
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  for (const [title, content] of posts) {
    await ask('POST', `/api/feeds/${feed}/posts`, { title, content });
  }
  for (const [name, owner] of [
    ['build/main', 'reviewer/deploy'],
    ['문서/한국어', '번역가'],
  ]) {
    await ask('POST', '/api/leases', { names: [name], owner, command: '/wf:build', host: 'far' });
  }
  return { feed };
}
