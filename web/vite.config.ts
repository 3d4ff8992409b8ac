import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// During development a hub answers what the page asks: TYER_URL names it.
const hub = process.env.TYER_URL ?? 'http://127.0.0.1:7420';

export default defineConfig({
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // Nothing inline: the hub's content policy refuses data: scripts, and hashed files cache well.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // The hub refuses changes that come from elsewhere: to it, this is its own page.
    proxy: {
      '/api': {
        target: hub,
        changeOrigin: true,
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => request.removeHeader('origin'));
        },
      },
      '/health': { target: hub, changeOrigin: true },
    },
  },
});
