import { basename, extname, join } from 'node:path';
import { occurrencesQuerySchema, onDeviceModelSchema } from '@chiffchaff/contract';
import { listWebFiles, ModelError, modelFolderOf, readModelFolder } from '@chiffchaff/models';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { bufferOf } from '../buffer-of.ts';
import { routeFor } from '../http/access.ts';
import { createFreshReader } from '../http/fresh-reader.ts';
import { existing, HttpProblem } from '../http/http-problem.ts';
import { type FairLimiter, forVisitor } from '../http/limits/fair-limiter.ts';
import { sendFile } from '../http/send-file.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';

export interface OnDeviceRouteOptions {
  readonly dataDir: string;
  readonly modelId: string;
  readonly modelLoader: ModelLoader;
  readonly occurrenceLimiter: FairLimiter;
}

const MODEL = '/v1/on-device/model';

const paramsSchema = z.object({ sha256: z.string().max(64), name: z.string().max(100) });

const mediaTypes: Readonly<Record<string, string>> = {
  '': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** What a browser needs to recognise birds itself: the model's files, and how likely species are at a place. Public. */
export const onDeviceRoutes: FastifyPluginAsyncZod<OnDeviceRouteOptions> = async (app, options) => {
  const { modelLoader, occurrenceLimiter } = options;
  const modelFolder = modelFolderOf(options.dataDir, options.modelId);
  const readModel = createFreshReader(modelFolder, () => readWebModel(modelFolder));

  app.get(
    MODEL,
    routeFor('public', {
      summary: 'The model for browsers and where its files are',
      description:
        'Files that are handed on take `LICENSE` and `NOTICE` with them (CC BY-NC-SA 4.0). 404 where no model is offered.',
      response: { 200: onDeviceModelSchema },
    }),
    async (_request, reply) => {
      const { offer } = await readModel();
      reply.header('cache-control', 'no-cache');
      return offer;
    },
  );

  app.get(
    `${MODEL}/:sha256/:name`,
    routeFor('public', {
      summary: 'A file of the model for browsers',
      description: 'Answers `Range`. What is at an address never changes.',
      params: paramsSchema,
      produces: ['application/octet-stream'],
    }),
    async (request, reply) => {
      const { sha256, name } = request.params;
      const { folder, files } = await readModel();
      // Only compared, never part of a path.
      const file = existing(files.find((candidate) => candidate.sha256 === sha256 && basename(candidate.name) === name));
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream';
      return sendFile(request, reply, { path: join(folder, file.name), mediaType });
    },
  );

  app.get(
    '/v1/occurrences',
    routeFor('public', {
      summary: 'How likely each label of the model is at a place and week, or in a time zone',
      description:
        'One byte a label, in label order: 0 below 0.0001, else b stands for 0.0001 ^ (1 − (b − 1) / 254). The place is rounded to 0.1°; without a week it is the whole year. 404 where nothing is known, as of a time zone without towns.',
      querystring: occurrencesQuerySchema,
      produces: ['application/octet-stream'],
    }),
    async (request, reply) => {
      const { latitude = 0, longitude = 0, week = null, timeZone } = request.query;
      const analyzer = await modelLoader.get();
      const place = { latitude: toTenth(latitude), longitude: toTenth(longitude), week };
      const where = timeZone === undefined ? place : { timeZone };
      return forVisitor(request, reply, async (visitor) => {
        const bytes = existing(await occurrenceLimiter.run(visitor, () => analyzer.occurrenceBytes(where)));
        reply.header('cache-control', 'public, max-age=86400');
        return reply.type('application/octet-stream').send(bufferOf(bytes));
      });
    },
  );

  app.get(
    '/v1/on-device/regions',
    routeFor('public', {
      summary: 'Where each label of the model lives',
      description:
        'One line a label, in label order: UN M49 area codes or ISO country codes, separated by spaces. 404 where that is not known.',
      produces: ['text/plain'],
    }),
    async (_request, reply) => {
      const regions = existing(await (await modelLoader.get()).regions());
      reply.header('cache-control', 'public, max-age=86400');
      return reply.type('text/plain; charset=utf-8').send(regions);
    },
  );

  app.get(
    '/v1/on-device/zones',
    routeFor('public', {
      summary: 'How likely each label of the model is in each time zone',
      description:
        'One byte a label as in `/v1/occurrences`, zone by zone: tells which birds may be heard together. 404 where that is not known.',
      produces: ['application/octet-stream'],
    }),
    async (_request, reply) => {
      const zones = existing(await (await modelLoader.get()).zones());
      reply.header('cache-control', 'public, max-age=86400');
      return reply.type('application/octet-stream').send(bufferOf(zones));
    },
  );
};

/** Precise enough for birds, and too coarse to tell where a person is. */
const toTenth = (degrees: number): number => Math.round(degrees * 10) / 10;

/** @throws HttpProblem NOT_FOUND if there is no model for browsers */
async function readWebModel(folder: string) {
  try {
    const model = await readModelFolder(folder);
    const { id, version, licence, attribution, citation } = model.manifest;
    const files = await listWebFiles(model);
    const offered = files.map((file) => ({ ...file, url: `${MODEL}/${file.sha256}/${basename(file.name)}` }));
    return { folder: model.folder, files, offer: { id, version, licence, attribution, citation, files: offered } };
  } catch (error) {
    throw error instanceof ModelError ? new HttpProblem('NOT_FOUND', {}) : error;
  }
}
