// Builds the page into one file (out/index.html), which scripts/pack.mjs packs
// into dist/. `HEAPTALLY_ADDRESS=http://127.0.0.1:PORT/TOKEN/ npm run dev` shows
// the sources as they are edited over the tool that listens there.
import { defineConfig } from 'vitest/config';
import { viteSingleFile } from 'vite-plugin-singlefile';

const address = process.env['HEAPTALLY_ADDRESS'];
const tool = address ? new URL(address) : null;

export default defineConfig({
  base: './',
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: 'out',
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: tool
    ? {
        proxy: {
          '/api': {
            target: tool.origin,
            changeOrigin: true,
            rewrite: (path) => tool.pathname.replace(/\/$/, '') + path,
            configure: (proxy) =>
              proxy.on('proxyReq', (request) => request.removeHeader('origin')),
          },
        },
      }
    : {},
  test: { include: ['src/**/*.test.ts'] },
});
