import { Readable } from 'node:stream';
import { exportAllQuerySchema, ticketSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../../http/access.ts';
import { clientDisconnected } from '../../http/client-connection.ts';
import type { ExportsUnderWay } from '../../http/limits/exports-under-way.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import type { OwnersRoutesOptions } from '../requester.ts';
import { writeExportArchive } from './export-archive.ts';

/** All predictions of an account, as one file. */
export const exportAllRoutes: FastifyPluginAsyncZod<
  OwnersRoutesOptions & { readonly sounds: Pick<AudioRetention, 'play'>; readonly exports: ExportsUnderWay }
> = async (app, options) => {
  const { requesters, predictions, exports, sounds } = options;

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
      const gone = clientDisconnected(reply);
      const archive = await exports.begin(accountId, async () => {
        const onError = (error: unknown) => request.log.error({ err: error }, 'an export was interrupted');
        const sources = { ...predictions, sounds };
        return Readable.from(writeExportArchive(sources, accountId, { showHidden, excelSafe }, gone, onError), {
          objectMode: false,
        });
      });
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="chiffchaff-${new Date().toISOString().slice(0, 10)}.zip"`)
        .send(archive);
    },
  );
};
