// Texts that want to do harm, a thread of 5,000 comments, and a stream that is cut while others
// write.

import { createServer, request } from 'node:http';

const table = `${'|a'.repeat(60)}|\n${'|-'.repeat(60)}|\n${`${'|1'.repeat(60)}|\n`.repeat(300)}`;
const hostile = {
  scripts:
    '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) ' +
    '![b](https://evil.example/x.png) <a href="javascript:alert(1)" onclick="alert(1)">c</a>\n\n' +
    '<iframe src="https://evil.example"></iframe>\n\n<style>*{display:none}</style>',
  table,
  turned: '\u202egnp.exe \u202e and \u2067עברית\u2069, العربية 123',
  emoji: '😀'.repeat(25_000),
  quotes: '>'.repeat(90_000),
  deeper: Array.from({ length: 300 }, (_, i) => '> '.repeat(i)).join('x\n'),
  lists: Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n'),
  brackets: '['.repeat(90_000),
  word: 'W'.repeat(90_000),
  code: `\`\`\`\n${`${'x'.repeat(900)}\n`.repeat(90)}\`\`\``,
};

async function isIntact(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('article')].every(
      (one) => one.scrollWidth <= one.clientWidth + 1,
    ),
  );
}

// Opened, and all of it shown, within a time in which nobody thinks that the page hangs.
async function harm(page, url, ask, complain, check) {
  page.on('dialog', (dialog) => {
    complain('a text could open a dialog');
    void dialog.dismiss();
  });
  const feed = await ask('POST', '/api/feeds', { name: 'hostile' });
  for (const [title, content] of Object.entries(hostile)) {
    const post = await ask('POST', `/api/feeds/${feed.id}/posts`, { title, content });
    await page.goto(`${url}/posts/${post.id}`);
    await page.getByRole('article').first().waitFor();
    if (!(await isIntact(page))) complain(`${title} breaks the layout`);
    const all = page.getByRole('button', { name: /Show all/ });
    const before = Date.now();
    if ((await all.count()) > 0) await all.first().click();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    if (Date.now() - before > 3_000) complain(`${title} freezes the page`);
    if (!(await isIntact(page))) complain(`${title}, all of it, breaks the layout`);
    await check(`hostile-${title}`);
  }
}

// One author may write 60 texts at once; so there are many.
async function fill(url, ask, post, count, name) {
  for (let written = 0; written < count;) {
    const { key } = await ask('POST', '/api/keys', { name: `${name}-${written}`, type: 'demo' });
    const end = Math.min(count, written + 55);
    for (; written < end; ++written) {
      await fetch(`${url}/api/posts/${post}/comments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ content: `Comment ${written}. ${'Words. '.repeat(written % 90)}` }),
      });
    }
  }
}

// Stands between page and hub and can be cut.
async function startProxy(url) {
  const hub = new URL(url);
  const sockets = new Set();
  let isCut = false;
  const server = createServer((asked, answer) => {
    if (isCut) return void asked.socket.destroy();
    const headers = { ...asked.headers, host: hub.host };
    if (headers.origin) headers.origin = hub.origin;
    const to = {
      host: hub.hostname,
      port: hub.port,
      path: asked.url,
      method: asked.method,
      headers,
    };
    const passed = request(to, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const heal = () => {
    isCut = false;
  };
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut,
    heal,
    stop: () => server.close(),
  };
}

// The first comment that is seen, and where.
function place(page) {
  return page.evaluate(() => {
    const box = document.querySelector('[data-index]').parentElement.parentElement;
    const top = box.getBoundingClientRect().top;
    for (const one of document.querySelectorAll('article')) {
      const { bottom, top: at } = one.getBoundingClientRect();
      if (bottom > top + 1)
        return `${/Comment \d+/.exec(one.innerText)} at ${Math.round(at - top)}`;
    }
    return '';
  });
}

// Frames while it scrolls, the slowest of twenty in milliseconds.
function scroll(page) {
  return page.evaluate(async () => {
    const box = document.querySelector('[data-index]').parentElement.parentElement;
    const took = [];
    for (let i = 0; i < 100; ++i) {
      const before = performance.now();
      box.scrollTop -= 300;
      await new Promise(requestAnimationFrame);
      took.push(performance.now() - before);
    }
    return took.sort((a, b) => a - b)[94];
  });
}

const comments = 5_000;
const missed = 200;

async function thread(page, url, ask, complain, check) {
  const feed = (await ask('GET', '/api/feeds')).data[0].id;
  const post = (await ask('POST', `/api/feeds/${feed}/posts`, { content: 'Long.' })).id;
  await fill(url, ask, post, comments, 'author');
  const proxy = await startProxy(url);
  try {
    await page.goto(`${proxy.url}/posts/${post}`);
    await page.getByText(`Comment ${comments - 1}.`).waitFor();
    await page.getByText(/so far/).waitFor({ state: 'detached' });
    const slow = await scroll(page);
    if (slow > 100) complain(`scrolling a long thread takes ${Math.round(slow)} ms a frame`);
    await page.waitForTimeout(300);
    const before = await place(page);
    proxy.cut();
    await page.getByText('reconnecting').waitFor();
    await fill(url, ask, post, missed, 'other');
    await page.getByText('cut off').waitFor();
    await check('cut');
    proxy.heal();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: `${missed} new comments` }).waitFor();
    const after = await place(page);
    if (after !== before) complain(`what was read at ${before} is now ${after}`);
    await check('cut-over');
  } finally {
    proxy.stop();
  }
}

export async function long(page, url, ask, complain, check) {
  await harm(page, url, ask, complain, check);
  await thread(page, url, ask, complain, check);
}
