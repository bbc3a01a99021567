import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

/** Where `npm run dev` finds the server; the page itself only ever knows its own origin and what /config.json says. */
const devServer = 'http://127.0.0.1:8080';
const serverPaths = ['/get_prediction', '/config.json', '/v1', '/docs/api', '/openapi.json', '/healthz', '/readyz'];

/** Does something with the folder of what was built, the service worker included. */
function afterBuild(name: string, work: (folder: string) => Promise<void>): Plugin {
  let folder = 'dist';
  return {
    name,
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle: { order: 'post', sequential: true, handler: () => work(folder) },
  };
}

/** Writes `.br` and `.gz` beside what compresses well: the server sends them as they are and never compresses at run time. */
const compressBeside = (): Plugin =>
  afterBuild('compress-beside', async (folder) => {
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.(js|css|html|svg|webmanifest)$/.test(name)) continue;
      const path = join(folder, name);
      const plain = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(plain));
      await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
    }
  });

/**
 * Writes `preloads.json`: the files that a screen needs besides those of the first page, by its address. The server names them in the
 * answer's head, so that they come beside the first script and not after it.
 */
function namePreloads(): Plugin {
  return {
    name: 'name-preloads',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => /\/detection(-screen)?-[^/]+\.(js|css)$/.test(name));
      this.emitFile({
        type: 'asset',
        fileName: 'preloads.json',
        source: JSON.stringify({ '/process': files.map((name) => `/${name}`) }),
      });
    },
  };
}

/** Has every `import()` of the built page carried out by `src/platform/browser/load-chunk.ts` instead of Vite's own helper. */
function loadChunks(): Plugin {
  /** Scripts without styles of their own. */
  const plain = new Set<string>();
  return {
    name: 'load-chunks',
    apply: 'build',
    enforce: 'pre',
    config: () => ({
      build: {
        modulePreload: {
          // Every current browser preloads modules by itself; the polyfill would be script for nobody.
          polyfill: false,
          // Vite names no files where the imported one is the only one.
          resolveDependencies: (file, others, { hostType }) =>
            hostType === 'js' && others.length === 0 && plain.has(file) ? [file] : others,
        },
      },
    }),
    async load(id) {
      if (id !== '\0vite/preload-helper.js') return null;
      return { code: await readFile(new URL('src/platform/browser/load-chunk.ts', import.meta.url), 'utf8'), moduleType: 'ts' };
    },
    generateBundle: {
      order: 'pre',
      handler(_, bundle) {
        for (const part of Object.values(bundle)) {
          if (part.type === 'chunk' && !part.viteMetadata?.importedCss.size) plain.add(part.fileName);
        }
      },
    },
  };
}

/** Folders of the packages of which something became part of the page, of its workers or of the service worker. */
const packageFolders = new Set<string>();

/** To be among the plugins of every build whose output is sent to people. */
const collectPackages = (): Plugin => ({
  name: 'collect-packages',
  apply: 'build',
  generateBundle(_, bundle) {
    // Fonts are named by style sheets, and are files of the build without being modules.
    const files = Object.values(bundle).flatMap((output) => (output.type === 'asset' ? output.originalFileNames : []));
    for (const id of [...this.getModuleIds(), ...files.map((file) => resolve(import.meta.dirname, file))]) {
      const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1];
      if (folder !== undefined) packageFolders.add(folder);
    }
  },
});

/** The licences of all packages that were collected, word for word. @throws Error when one states none */
async function licencesOfPackages(): Promise<string> {
  const sections = await Promise.all(
    [...packageFolders].map(async (folder) => {
      const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      if (texts.length === 0) {
        const holder = author?.name ?? author;
        if (license !== 'MIT' || holder === undefined)
          throw new Error(`${name}@${version} is part of the page and holds no licence`);
        // It names the licence and not its words, which are those of ours.
        const ours = await readFile(new URL('../../LICENSE', import.meta.url), 'utf8');
        texts.push(ours.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`));
      }
      return `## ${name} ${version}\n\n${texts.join('\n').trim()}\n`;
    }),
  );
  return [...new Set(sections)].sort().join('\n');
}

/** Writes the repository's list of what others made, which the page links, as plain text, with the licences of what the page is built from. */
const publishNotices = (): Plugin =>
  afterBuild('publish-notices', async (folder) => {
    const notices = await readFile(new URL('../../THIRD_PARTY_NOTICES.md', import.meta.url), 'utf8');
    const licences = await licencesOfPackages();
    await writeFile(join(folder, 'third-party-notices.txt'), `${notices}\n# Licences of the packages\n\n${licences}`);
  });

/** What every screen needs; the modules that these import come along. */
const alwaysNeeded = [
  /icons\/IconPlayer(Play|Pause)Filled\./,
  /node_modules\/(\.pnpm\/[^/]+\/node_modules\/)?(react|react-dom|scheduler|react-router|i18next|react-i18next|@tanstack\/[^/]+)\//,
  /src\/ui\/(layout\/|notice|wordmark|prose|lazy-screen|use-leaving|timeline\/sound\/(hindrance|playback|use-playback|sound-clock))/,
  /src\/(features\/account\/session-notice|languages\/(en|i18n)|platform\/(session\/|storage\/(kept-answers|preferences)|api\/(public-config|open-http)|browser\/(without-eval|connection|store|work-in-flight)|format\/format|identity\/identity-failure))/,
];

/** What the detection screen shows at first, in one piece for the same reason; sending and answers come when they are wanted. */
const detectionFirst =
  /src\/(features\/detection\/(answer\/wording|choose\/(?!recording-metadata)|queue\/|detection[.-]|failure-stage|progress-stage|stage-heading|visit-places|prediction-state)|ui\/(work-in-hand|keep-audio)\/|platform\/(api\/(use-stored-predictions|use-keep-audio-setting|error-sentence)|format\/(species-language|check-field|progress-words)))|packages\/contract\/src\/problems/;

export default defineConfig({
  base: '/',
  plugins: [
    react(),
    namePreloads(),
    loadChunks(),
    collectPackages(),
    VitePWA({
      // The page registers the worker itself: after load, with the checks and notices of the specification.
      injectRegister: false,
      strategies: 'injectManifest',
      srcDir: 'src/platform/service-worker',
      filename: 'service-worker.ts',
      injectManifest: {
        buildPlugins: { vite: [collectPackages()] },
        // One plain script: some browsers take no module for a service worker.
        rollupFormat: 'iife',
        // The page itself. No wasm and no model: they are large, and what they answer needs the server anyway.
        globPatterns: ['index.html', 'assets/*.{js,css,woff2}', '*.svg'],
        globIgnores: ['**/*-vietnamese-*'],
      },
      includeManifestIcons: false,
      manifest: {
        id: '/',
        start_url: '/',
        scope: '/',
        name: 'Chiffchaff',
        short_name: 'Chiffchaff',
        description: 'Tells which bird was heard in a recording, when, how sure that is, and why.',
        lang: 'en',
        display: 'standalone',
        background_color: '#f7f2e5',
        theme_color: '#f7f2e5',
        categories: ['education', 'science'],
        icons: [
          { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
          { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
          { src: '/icons/maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
          { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
        ],
      },
    }),
    publishNotices(),
    compressBeside(),
  ],
  build: {
    // The Content-Security-Policy allows no data: scripts and no inline ones; small files stay files.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // What every screen needs comes in one piece instead of a dozen small ones that each wait for a round trip.
        codeSplitting: {
          groups: [
            { name: 'page', test: (id: string) => alwaysNeeded.some((pattern) => pattern.test(id)) },
            { name: 'detection', test: detectionFirst },
          ],
        },
      },
    },
  },
  worker: { format: 'es', plugins: () => [collectPackages()] },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(serverPaths.map((path) => [path, devServer])) },
});
