import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { acceptedFormats } from '../../packages/contract/src/accepted-formats.ts';
import { SHARE_PATH, SHARED_FIELD } from './src/platform/storage/shared-recordings.ts';

/** Where `npm run dev` proxies API paths. The page itself knows only its own origin and /config.json. */
const devServer = 'http://127.0.0.1:8080';
const serverPaths = ['/get_prediction', '/config.json', '/v1', '/docs/api', '/openapi.json', '/healthz', '/readyz'];

/** A plugin that works on the output folder after the build, service worker included. */
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

/** Writes `.br` and `.gz` next to every compressible file: the server sends these as they are and never compresses at run time. */
const compressBeside = (): Plugin =>
  afterBuild('compress-beside', async (folder) => {
    for (const name of await readdir(folder, { recursive: true })) {
      const ending = /\.(js|css|html|svg|webmanifest|wasm)$/.exec(name)?.[1];
      if (ending === undefined) continue;
      const path = join(folder, name);
      const plain = await readFile(path);
      // LiteRT is 9 MB, twice: the best compression takes half a minute and saves a tenth.
      const quality = ending === 'wasm' ? 9 : constants.BROTLI_MAX_QUALITY;
      await writeFile(
        `${path}.br`,
        await promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
      );
      await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
    }
  });

/** The modules that `routes.tsx` imports for a screen which people open from a link or a bookmark; `*` stands for one part of the path. */
const screens: { readonly [path: string]: readonly string[] } = {
  '/process': ['detection/detection-screen'],
  '/listen': ['listen/listen-screen', 'detection/choose/place-line'],
  '/birds': ['species/birds-screen', 'detection/choose/place-line'],
  '/birds/*': ['species/species-screen'],
  '/toc': ['terms/terms-screen'],
};

/**
 * Writes `preloads.json`: the files that a screen needs besides those of the first page, keyed by its path. The server adds links
 * to them to the page, so that they load alongside the first script, not after it.
 */
function namePreloads(): Plugin {
  return {
    name: 'name-preloads',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
      /** A chunk with all that it imports at once. */
      const gather = (name: string, found = new Set<string>()): ReadonlySet<string> => {
        if (!found.has(name))
          for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) gather(next, found.add(name));
        return found.add(name);
      };
      const first = gather(chunks.find(({ isEntry, name }) => isEntry && name === 'index')?.fileName ?? '');
      const preloads = Object.entries(screens).map(([path, modules]) => {
        const needed = new Set<string>();
        for (const module of modules) {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/features/${module}.tsx`));
          if (!chunk) throw new Error(`${module} has no chunk of its own, so ${path} cannot preload it`);
          gather(chunk.fileName, needed);
        }
        const parts = chunks.filter(({ fileName }) => needed.has(fileName) && !first.has(fileName));
        // Otherwise one import too many goes unnoticed, and costs a phone a third of a second.
        if (path === '/process' && parts.some(({ name }) => name === 'schemas'))
          throw new Error(`${path} waits for the schemas: see chunks`);
        const styles = parts.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        return [path, [...parts.map(({ fileName }) => fileName), ...styles].map((name) => `/${name}`)];
      });
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(Object.fromEntries(preloads)) });
    },
  };
}

/** Makes every `import()` of the built page go through `src/platform/browser/load-chunk.ts` instead of Vite's own helper. */
function loadChunks(): Plugin {
  /** Chunks without CSS. */
  const plain = new Set<string>();
  return {
    name: 'load-chunks',
    apply: 'build',
    enforce: 'pre',
    config: () => ({
      build: {
        modulePreload: {
          // Every current browser preloads modules natively, so nobody needs the polyfill.
          polyfill: false,
          // Vite passes no files if the imported chunk is the only one.
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

/** Folders of all packages that end up in the page, its workers or the service worker. */
const packageFolders = new Set<string>();

/** Belongs in every build whose output ships to browsers. */
const collectPackages = (): Plugin => ({
  name: 'collect-packages',
  apply: 'build',
  generateBundle(_, bundle) {
    // Style sheets reference fonts: these are files of the build, but not modules.
    const files = Object.values(bundle).flatMap((output) => (output.type === 'asset' ? output.originalFileNames : []));
    for (const id of [...this.getModuleIds(), ...files.map((file) => resolve(import.meta.dirname, file))]) {
      const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1];
      if (folder !== undefined) packageFolders.add(folder);
    }
  },
});

/** A package whose licence is the text of Apache-2.0, which has no name of a holder to replace. */
const apacheLicence = resolve(import.meta.dirname, '../../packages/models/node_modules', 'flatbuffers', 'LICENSE');

/** The full licence texts of all collected packages. @throws Error when a package has none that can be used */
async function licencesOfPackages(): Promise<string> {
  const sections = await Promise.all(
    [...packageFolders].map(async (folder) => {
      const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      // Packages that name their licence without its text. That of MIT is ours.
      if (texts.length === 0 && license === 'Apache-2.0') texts.push(await readFile(apacheLicence, 'utf8'));
      if (texts.length === 0) {
        const holder = author?.name ?? author;
        if (license !== 'MIT' || holder === undefined)
          throw new Error(`${name}@${version} is part of the page and holds no licence`);
        const ours = await readFile(new URL('../../LICENSE', import.meta.url), 'utf8');
        texts.push(ours.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`));
      }
      return `## ${name} ${version}\n\n${texts.join('\n').trim()}\n`;
    }),
  );
  return [...new Set(sections)].sort().join('\n');
}

/** Writes `third-party-notices.txt`, which the page links: the repository's notices and the licences of all bundled packages. */
const publishNotices = (): Plugin =>
  afterBuild('publish-notices', async (folder) => {
    const notices = await readFile(new URL('../../THIRD_PARTY_NOTICES.md', import.meta.url), 'utf8');
    const licences = await licencesOfPackages();
    await writeFile(join(folder, 'third-party-notices.txt'), `${notices}\n# Licences of the packages\n\n${licences}`);
  });

/** Prefix of the files that only `review.html` needs; no module may have this name. */
const reviewEntry = 'only-review';

/** Gives `review.html` what the page shows until its script has loaded. */
const shareFirstMoment = (): Plugin => ({
  name: 'share-first-moment',
  transformIndexHtml: {
    order: 'pre',
    handler(html) {
      const index = readFileSync(new URL('index.html', import.meta.url), 'utf8');
      const elementOf = (_: string, name: string) => new RegExp(`<${name}\\b.*</${name}>`, 's').exec(index)?.[0] ?? '';
      return html.replace(/<!-- (\w+) of index\.html -->/g, elementOf);
    },
  },
});

/** Removes the manifest link: `chiffchaff review` serves its page from a different address each time, so there is nothing to install. */
const leaveReviewUninstalled = (): Plugin =>
  afterBuild('leave-review-uninstalled', async (folder) => {
    const path = join(folder, 'review.html');
    const html = await readFile(path, 'utf8');
    await writeFile(path, html.replace(/<link rel="manifest"[^>]*>/, ''));
  });

/** Modules that every screen needs; whatever they import comes with them. */
const alwaysNeeded = [
  // Small modules that the schemas and other screens import too: left there, they would pull those chunks into the first load.
  /packages\/contract\/src\/(keep-audio|missing-terms)\.ts$/,
  /icons\/Icon(PlayerPlayFilled|PlayerPauseFilled|Feather|FileMusic|History|Microphone)\./,
  /node_modules\/(\.pnpm\/[^/]+\/node_modules\/)?(react|react-dom|scheduler|react-router|@tanstack\/[^/]+)\//,
  /src\/ui\/(layout\/|keys\/keys(-shown)?\.|form\/check-box|notice|wordmark|prose|lazy-screen|use-hash-target|stage-heading|toast|why-here|timeline\/sound\/(hindrance|playback|sound-clock))/,
  /src\/(features\/account\/session-notice|languages\/(en|i18n|rich-text)|platform\/(session\/|outbox\/outbox-page|decoding\/can-be-held|storage\/(device-place|kept-answers|preferences)|api\/(public-config|last-deletion)|browser\/(without-eval|connection|open-once|store)|format\/format|identity\/(identity-failure|open-identity)))/,
];

/**
 * The schemas that check responses load with the first request: on a phone, building them takes longer than rendering the detection screen,
 * which needs none of them.
 */
const isSchema = (id: string): boolean =>
  /node_modules\/(\.pnpm\/[^/]+\/node_modules\/)?zod\//.test(id) ||
  (/packages\/contract\/src\/.*\.ts$/.test(id) && readFileSync(id, 'utf8').includes("from 'zod'"));

/**
 * Chunks that several screens share. Each takes the modules that match, with all that they import, unless an earlier chunk has taken them. A few
 * large ones serve a phone better than many small ones: each is another request, and the call that fetches it takes its processor 3 ms.
 */
const chunks: readonly { readonly name: string; readonly test: RegExp | ((id: string) => boolean) }[] = [
  { name: 'page', test: (id) => alwaysNeeded.some((pattern) => pattern.test(id)) },
  // Building schemas takes a phone longer than rendering a bird's page, so those of the account, the set-up and `chiffchaff review` are apart.
  { name: 'schemas', test: (id) => isSchema(id) && !/contract\/src\/(identity\/|setup|public-config|review\.)/.test(id) },
  { name: 'rare-schemas', test: isSchema },
  // What all screens but the first need. None of it may import a schema.
  {
    name: 'later',
    test: /icons-react\/dist\/esm\/icons\/|packages\/(contract\/src\/problems|recognizer\/src\/detection\/occurrence)|src\/(languages\/later\/en|platform\/(format\/|browser\/save-file|on-device\/installed-hint|sending\/prediction-key|api\/(use-stored-predictions|use-keep-audio-setting|error-sentence))|ui\/(section|popover|meter|modal|word-table|keep-audio-choice|work-in-hand|undo-toast|species\/|form\/))/,
  },
  // The place of a recording in one line, without the search that it opens to.
  { name: 'place', test: /src\/features\/detection\/(choose\/(place-line|conditions)|visit-places)/ },
  { name: 'sessions', test: /src\/(platform\/recording\/(sessions|wave-file)|features\/listen\/listen\.module)/ },
  { name: 'api', test: /src\/platform\/api\/(?!http-client|links)/ },
  { name: 'spectrogram', test: /src\/ui\/timeline\/(spectrogram\/use|view\/use-size|marks\/mark\.)/ },
  { name: 'timeline', test: /src\/ui\/timeline\// },
  { name: 'live', test: /src\/features\/listen\/live\// },
  // The first view of the detection screen; code for sending and results loads when it is needed.
  {
    name: 'detection',
    test: /src\/features\/detection\/(choose\/(?!place-field)|queue\/(?!read-answers|species|queue-panel|queue-row)|detection[.-]|failure-stage|progress-stage|prediction-state)/,
  },
];

export default defineConfig({
  base: '/',
  plugins: [
    react(),
    shareFirstMoment(),
    namePreloads(),
    loadChunks(),
    collectPackages(),
    VitePWA({
      // The page registers the worker itself, after load, with the checks and notices that the specification demands.
      injectRegister: false,
      strategies: 'injectManifest',
      srcDir: 'src/platform/service-worker',
      filename: 'service-worker.ts',
      injectManifest: {
        buildPlugins: { vite: [collectPackages()] },
        // A classic script: some browsers do not support module service workers.
        rollupFormat: 'iife',
        // The page's own files. No wasm and no model: they are large, and the page caches them itself when the model is installed.
        globPatterns: ['index.html', 'assets/*.{js,css,woff2}', '*.svg'],
        globIgnores: ['**/*-vietnamese-*', `assets/${reviewEntry}-*`],
      },
      includeManifestIcons: false,
      manifest: {
        ...JSON.parse(readFileSync(new URL('web-manifest.json', import.meta.url), 'utf8')),
        share_target: {
          action: SHARE_PATH,
          method: 'POST',
          enctype: 'multipart/form-data',
          params: { files: [{ name: SHARED_FIELD, accept: [...acceptedFormats] }] },
        },
      },
    }),
    publishNotices(),
    leaveReviewUninstalled(),
    compressBeside(),
  ],
  build: {
    // The Content-Security-Policy forbids data: and inline scripts, so small files stay files.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // `review.html` is the page of `chiffchaff review`, which serves the files of this build.
      input: { index: resolve(import.meta.dirname, 'index.html'), [reviewEntry]: resolve(import.meta.dirname, 'review.html') },
      output: {
        codeSplitting: { groups: [...chunks] },
      },
    },
  },
  worker: { format: 'es', plugins: () => [collectPackages()] },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(serverPaths.map((path) => [path, devServer])) },
});
