import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { declarePublic } from '../http/access.ts';

const FOREVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Paths that belong to the API: what is not found there is not a screen of the page. */
const apiPath = /^\/(v1|v2|docs|get_prediction|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)(\/|$)/;

/** Serves the built page. Files in `assets/` have a hash of their content in their name and never change. */
export async function servePageFiles(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(async (scope) => {
    declarePublic(scope);
    await scope.register(fastifyStatic, {
      root: folder,
      dotfiles: 'ignore',
      // Files that the build has compressed beside the plain ones.
      preCompressed: true,
      cacheControl: false,
      decorateReply: false,
      setHeaders: (reply, path) => {
        reply.header('cache-control', path.startsWith(join(folder, 'assets') + sep) ? FOREVER : ASK_EACH_TIME);
      },
    });
  });
}

/** Whether a built page is there to be served. */
export function hasPage(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

/** Answers a navigation to an address of the page, which its own router shows. @returns false for anything else */
export async function answerWithPage(request: FastifyRequest, reply: FastifyReply, folder: string): Promise<boolean> {
  const path = request.url.split('?', 1)[0] ?? '';
  const isNavigation = /^(GET|HEAD)$/.test(request.method) && request.headers.accept?.includes('text/html');
  const namesFile = /\.\w+$/.test(path);
  if (!isNavigation || namesFile || apiPath.test(path)) return false;
  const [page, links] = await Promise.all([readFile(join(folder, 'index.html'), 'utf8'), linksFor(folder, path)]);
  if (links !== '') reply.header('link', links);
  // Not handed on: a reply is a promise of its own end, and awaited it would be nothing.
  reply.code(200).type('text/html; charset=utf-8').header('cache-control', ASK_EACH_TIME).send(page);
  return true;
}

const preloadsSchema = z.record(z.string(), z.array(z.string().regex(/^\/assets\/[\w.-]+\.(js|css)$/)));

/** What the build says that a screen needs at once, as a `Link` header; empty where it says nothing. */
async function linksFor(folder: string, path: string): Promise<string> {
  const text = await readFile(join(folder, 'preloads.json'), 'utf8').catch(() => '{}');
  const files = preloadsSchema.parse(JSON.parse(text))[path] ?? [];
  return (
    files
      // Not as modules: a browser may remember that one did not load. The page fetches them as data first (`platform/load-chunk.ts`).
      .map((file) => `<${file}>; rel=preload; as=${file.endsWith('.js') ? 'fetch' : 'style'}; crossorigin`)
      .join(', ')
  );
}
