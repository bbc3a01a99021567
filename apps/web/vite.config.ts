import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev` finds the server; the page itself only ever knows its own origin and what /config.json says. */
const devServer = 'http://127.0.0.1:8080';
const serverPaths = ['/get_prediction', '/config.json', '/v1', '/docs/api', '/openapi.json', '/healthz', '/readyz'];

/** Writes `.br` and `.gz` beside what compresses well: the server sends them as they are and never compresses at run time. */
function compressBeside(): Plugin {
  let folder = 'dist';
  return {
    name: 'compress-beside',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      for (const name of await readdir(folder, { recursive: true })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue;
        const path = join(folder, name);
        const plain = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(plain));
        await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
      }
    },
  };
}

const alwaysNeeded =
  /node_modules\/(\.pnpm\/[^/]+\/node_modules\/)?(react|react-dom|scheduler|react-router|i18next|react-i18next|@tanstack\/[^/]+)\/|src\/(ui\/(layout\/|notice|notes|wordmark|prose|lazy-screen)|platform\/(preferences|public-config|session|i18n|without-eval))/;

export default defineConfig({
  base: '/',
  plugins: [react(), compressBeside()],
  build: {
    // The Content-Security-Policy allows no data: scripts and no inline ones; small files stay files.
    assetsInlineLimit: 0,
    // Every current browser preloads modules by itself; the polyfill would be script for nobody.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every screen needs comes in one piece instead of a dozen small ones that each wait for a round trip.
        codeSplitting: { groups: [{ name: 'page', test: alwaysNeeded }] },
      },
    },
  },
  worker: { format: 'es' },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(serverPaths.map((path) => [path, devServer])) },
});
