import { join } from 'node:path';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { ModelError, modelFolderOf, readModelFolder } from '@chiffchaff/models';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../http/access.ts';
import { existing } from '../http/http-problem.ts';
import { sendFile } from '../http/send-file.ts';

/** `GET /v1/models/{id}/evidence`: how often each word of confidence was right on recordings whose bird is known. */
export const confidenceEvidenceRoute: FastifyPluginAsyncZod<{
  readonly dataDir: string;
  /** The model in use; there is no evidence for others. */
  readonly modelId: string;
}> = async (app, { dataDir, modelId }) => {
  app.get(
    '/v1/models/:id/evidence',
    routeFor('public', {
      summary: 'Get how often each confidence word was right in tests',
      params: z.object({ id: z.string().max(100) }),
      // 304 has no body.
      response: { 200: confidenceEvidenceSchema, 304: z.undefined() },
    }),
    async (request, reply) => {
      // Only compared, never part of a path.
      const path = existing(request.params.id === modelId ? await findEvidence(dataDir, modelId) : null);
      reply.header('cache-control', 'public, max-age=3600');
      return sendFile(request, reply, { path, mediaType: 'application/json; charset=utf-8' });
    },
  );
};

/** null if the installed model has none, or none is installed; the page then shows nothing about it. */
async function findEvidence(dataDir: string, modelId: string): Promise<string | null> {
  try {
    const { folder, manifest } = await readModelFolder(modelFolderOf(dataDir, modelId));
    return manifest.evidenceFile === undefined ? null : join(folder, manifest.evidenceFile);
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}
