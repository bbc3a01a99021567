import { exportAllQuerySchema, type TableOptions, ticketSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Predictions } from '../predictions.ts';
import type { Requesters } from '../requester.ts';
import { type Archived, writeExportArchive } from './export-archive.ts';

export interface ExportAllRoutesOptions {
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

/** Everything that an account has been told, as one file. */
export async function exportAllRoutes(scope: FastifyInstance, options: ExportAllRoutesOptions): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { requesters } = options;
  const { store, answers } = options.predictions;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'private, no-store'));

  async function* predictionsOf(accountId: string, options: TableOptions): AsyncIterable<Archived> {
    for await (const row of store.answersOf(accountId)) {
      const { prediction } = await answers.headOf(row);
      yield {
        prediction,
        json: () => answers.fileOf(row, null, true),
        tableOf: (name) => answers.tableOf(row, name, options, true),
      };
    }
  }

  app.post(
    '/v1/predictions/ticket',
    {
      config: { access: 'signedIn' },
      schema: {
        summary: 'Get a link to the export of all predictions',
        description: 'Valid for five minutes, for this account, and no longer than the session that requested it.',
        response: { 200: ticketSchema },
      },
    },
    async (request) => requesters.issueTicket(request, null, 'export'),
  );

  app.get(
    '/v1/predictions/export',
    {
      config: { access: 'signedInOrTicket' },
      schema: {
        summary: 'Download all predictions as a ZIP file',
        description:
          'One table of all detections, and for each prediction a folder with JSON, CSV, Raven and Audacity files. Detections hidden by location are left out unless `showHidden=true`.',
        querystring: exportAllQuerySchema,
        produces: ['application/zip'],
      },
    },
    async (request, reply) => {
      const accountId = await requesters.requireFor(request, null, 'export');
      const { showHidden, excelSafe } = request.query;
      const options = { showHidden, excelSafe };
      const archive = writeExportArchive(
        () => predictionsOf(accountId, options),
        options,
        (error) => request.log.error({ err: error }, 'an export was interrupted'),
      );
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="chiffchaff-${new Date().toISOString().slice(0, 10)}.zip"`)
        .send(archive);
    },
  );
}
