import { Readable } from 'node:stream';
import { exportAllQuerySchema, type TableOptions, ticketSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../../http/access.ts';
import { clientDisconnected } from '../../http/client-connection.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { type Archived, writeExportArchive } from './export-archive.ts';
import { overviewPng } from './overview-png.ts';

/** All predictions of an account, as one file. */
export const exportAllRoutes: FastifyPluginAsyncZod<
  OwnersRoutesOptions & { readonly sounds: Pick<AudioRetention, 'play'>; readonly exports: ExportsUnderWay }
> = async (app, options) => {
  const { requesters, exports, sounds } = options;
  const { store, answers } = options.predictions;

  /** What is kept of a prediction's audio; null if nothing is, or if it is still in preparation. */
  async function soundOf(accountId: string, id: string, signal: AbortSignal): ReturnType<Archived['sound']> {
    try {
      const { bytes, mediaType, read } = await sounds.play(accountId, id, signal);
      return { fileName: `sound.${endingOf(mediaType)}`, stream: await read({ firstByte: 0, lastByte: bytes - 1 }) };
    } catch (error) {
      if (error instanceof HttpProblem && (error.code === 'NOT_FOUND' || error.code === 'SOUND_NOT_READY')) return null;
      throw error;
    }
  }

  async function* predictionsOf(
    ...[accountId, options, signal]: [accountId: string, options: TableOptions, signal: AbortSignal]
  ): AsyncIterable<Archived> {
    for await (const row of store.answersOf(accountId)) {
      const { prediction } = await answers.headOf(row);
      yield {
        prediction,
        json: () => answers.fileOf(row, null, true),
        tableOf: (name) => answers.tableOf(row, name, options, { patient: true }),
        overview: async () => {
          const levels = await store.overviewOf(row.id);
          return levels && overviewPng(levels);
        },
        sound: () => soundOf(accountId, row.id, signal),
      };
    }
  }

  app.post(
    '/v1/predictions/ticket',
    routeFor('signedIn', {
      summary: 'Get a link to the export of all predictions',
      description: 'Valid for five minutes, for this account, and no longer than the session that requested it.',
      response: { 200: ticketSchema },
    }),
    async (request) => {
      // A browser that downloads a link shows no error message of ours, so the check is here.
      exports.requireNone(requesters.require(request));
      return requesters.issueTicket(request, null, 'export');
    },
  );

  app.get(
    '/v1/predictions/export',
    routeFor('signedInOrTicket', {
      summary: 'Download all predictions as a ZIP file',
      description:
        'One table of all detections, and for each prediction a folder with JSON, CSV, Raven and Audacity files, the overview of a recording of a minute or more as a picture, and the audio that is kept. Detections hidden by location are left out unless `showHidden=true`. An account can have one export in progress at a time.',
      querystring: exportAllQuerySchema,
      produces: ['application/zip'],
    }),
    async (request, reply) => {
      const accountId = await requesters.requireFor(request, null, 'export');
      const { showHidden, excelSafe } = request.query;
      const options = { showHidden, excelSafe };
      const gone = clientDisconnected(reply);
      const archive = await exports.begin(accountId, async () => {
        const onError = (error: unknown) => request.log.error({ err: error }, 'an export was interrupted');
        return Readable.from(
          writeExportArchive(() => predictionsOf(accountId, options, gone), options, onError),
          { objectMode: false },
        );
      });
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="chiffchaff-${new Date().toISOString().slice(0, 10)}.zip"`)
        .send(archive);
    },
  );
};

/** `audio/webm; codecs=opus` → `webm`. */
const endingOf = (mediaType: string): string => /^audio\/(\w+)/.exec(mediaType)?.[1]?.replace('mpeg', 'mp3') ?? 'bin';
