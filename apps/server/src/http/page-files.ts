import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { declarePublic } from './access.ts';
import { createFreshReader } from './fresh-reader.ts';
import { pathOf } from './request-log.ts';
import { makeFixedAnswer, sendFixedAnswer } from './static-response.ts';

const FOREVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Paths of the API: an unknown one is not a screen of the page. */
const API_PATH = /^\/(v1|v2|docs|get_prediction|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)(\/|$)/;

/** Serves the built page. Files in `assets/` have a hash of their content in their name and never change. */
export async function servePageFiles(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(async (scope) => {
    declarePublic(scope);
    // With `Vary: Origin`, browsers ask again for a file that they have: they send an origin to import it, but none to fetch it first.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, cors: false };
    });
    // Before the body is read: it is meant for the service worker, which was not running yet.
    const sendBack = async (_: FastifyRequest, reply: FastifyReply) =>
      reply.header('connection', 'close').redirect('/process?shared=unavailable', 303);
    scope.post('/share', { schema: { hide: true }, onRequest: sendBack }, sendBack);
    await scope.register(fastifyStatic, {
      root: folder,
      dotfiles: 'ignore',
      // The build puts compressed files beside the plain ones.
      preCompressed: true,
      cacheControl: false,
      decorateReply: false,
      setHeaders: (reply, path) => {
        reply.header('cache-control', path.startsWith(join(folder, 'assets') + sep) ? FOREVER : ASK_EACH_TIME);
      },
    });
  });
}

/** Whether there is a built page to serve. */
export function hasPage(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

export type PageAnswer = ReturnType<typeof createPageAnswer>;

/** Sends the page. Files are read after each build, not for each request. */
export function createPageAnswer(folder: string) {
  const read = createFreshReader(join(folder, 'index.html'), () => readPage(folder));

  /** Sends the page, whatever the request. @returns once it is on its way */
  async function send(request: FastifyRequest, reply: FastifyReply, status: number): Promise<void> {
    const { page, screens } = await read();
    const path = pathOf(request.url);
    // Not returned: a fastify reply is thenable, so returning it from here would wait for the end of the response.
    sendFixedAnswer(request, reply.code(status), screens.get(path) ?? screens.get(path.replace(/[^/]+$/, '*')) ?? page);
  }

  return {
    send,
    /** Answers navigations to URLs that the page's own router handles. @returns whether it has answered: false for any other request */
    async answerNavigation(request: FastifyRequest, reply: FastifyReply, status = 200): Promise<boolean> {
      const path = pathOf(request.url);
      const isNavigation = /^(GET|HEAD)$/.test(request.method) && request.headers.accept?.includes('text/html');
      const namesFile = /\.\w+$/.test(path);
      if (!isNavigation || namesFile || API_PATH.test(path)) return false;
      await send(request, reply, status);
      return true;
    },
  };
}

const preloadsSchema = z.record(z.string(), z.array(z.string().regex(/^\/assets\/[\w.-]+\.(js|css)$/)));

/** Reads the page, and for some screens the page with links to the files that they need at once according to the build. */
async function readPage(folder: string) {
  const [html, preloads] = await Promise.all([
    readFile(join(folder, 'index.html'), 'utf8'),
    readFile(join(folder, 'preloads.json'), 'utf8').catch(() => '{}'),
  ]);
  const answer = (links: string) => makeFixedAnswer('text/html; charset=utf-8', html.replace('</head>', `${links}</head>`));
  const screens = Object.entries(preloadsSchema.parse(JSON.parse(preloads))).map(async ([path, files]) => {
    // Not as modules: a browser may remember that one failed to load. The page fetches them as data first (`platform/load-chunk.ts`).
    const links = files.map(
      (file) => `<link rel="preload" href="${file}" as="${file.endsWith('.js') ? 'fetch' : 'style'}" crossorigin />`,
    );
    return [path, await answer(links.join(''))] as const;
  });
  return { page: await answer(''), screens: new Map(await Promise.all(screens)) };
}
