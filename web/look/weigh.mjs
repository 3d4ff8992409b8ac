// What the first visit costs: bytes as they come over the wire, and the time until there are rows
// that can be used, with nothing in the cache.

import { complain, open } from './browser.mjs';

const bytes_max = 250 * 1024;
const visits = 3;

// When the first row is drawn and the page has nothing else to do.
function watchRows() {
  const look = () => {
    if (!document.querySelector('main [data-row]')) return void requestAnimationFrame(look);
    setTimeout(() => {
      window.usableAt = performance.now();
    });
  };
  requestAnimationFrame(look);
}

async function visit(browser, url, look) {
  const page = await open(browser, url, look);
  const wire = await page.context().newCDPSession(page);
  await wire.send('Network.enable');
  const paths = new Map();
  const sizes = { page: 0, data: 0 };
  wire.on('Network.responseReceived', ({ requestId, response }) =>
    paths.set(requestId, new URL(response.url).pathname),
  );
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? '';
    sizes[/^\/(api|health)/.test(path) ? 'data' : 'page'] += encodedDataLength;
  });
  await page.addInitScript(watchRows);
  await page.goto(url);
  await page.waitForFunction(() => window.usableAt !== undefined);
  const usable_ms = await page.evaluate(() => window.usableAt);
  await page.context().close();
  return { ...sizes, usable_ms };
}

export async function weigh(browser, url, look) {
  const seen = [];
  for (let i = 0; i < visits; ++i) seen.push(await visit(browser, url, look));
  const bytes = Math.max(...seen.map((one) => one.page));
  const times = seen.map((one) => one.usable_ms).sort((a, b) => a - b);
  const kb = (n) => `${(n / 1024).toFixed(1)} KB`;
  if (bytes > bytes_max) complain(`the first load is ${kb(bytes)}, more than ${kb(bytes_max)}`);
  return (
    `first load: ${kb(bytes)} compressed of at most ${kb(bytes_max)}, and ` +
    `${kb(seen[0].data)} of data; rows to use after ` +
    `${Math.round(times[1])} ms with a cold cache (${times.map(Math.round).join(', ')})`
  );
}
