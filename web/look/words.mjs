// The texts of the page, so that who walks through it looks for what the page says, in its
// language: `words.ko.frame.log_out`. They are the page's own tables, loaded as they are.

import { readdirSync } from 'node:fs';

import { createServer } from 'vite';

const root = new URL('../', import.meta.url).pathname;

export async function readWords() {
  const server = await createServer({
    root,
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  const words = { en: {}, ko: {} };
  try {
    const files = readdirSync(`${root}src/text`, { recursive: true });
    for (const file of files.filter((name) => /^(?!.*\.test).*\.ts$/.test(name))) {
      for (const [name, table] of Object.entries(await server.ssrLoadModule(`/src/text/${file}`))) {
        if (!name.endsWith('Text') || !table.en) continue;
        for (const language of ['en', 'ko']) words[language][name.slice(0, -4)] = table[language];
      }
    }
  } finally {
    await server.close();
  }
  return words;
}
