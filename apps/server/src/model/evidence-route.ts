import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConfidenceEvidence, confidenceEvidenceSchema } from '@chiffchaff/contract';
import { ModelError, modelFolderOf, readModelFolder } from '@chiffchaff/models';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { routeFor } from '../http/access.ts';
import { existing } from '../http/http-problem.ts';

export interface ConfidenceEvidenceRouteOptions {
  readonly dataDir: string;
  /** The model in use; there is no evidence for others. */
  readonly modelId: string;
}

/** `GET /v1/models/{id}/evidence`: how often each word of confidence was right on recordings whose bird is known. */
export const confidenceEvidenceRoute: FastifyPluginAsyncZod<ConfidenceEvidenceRouteOptions> = async (
  app,
  { dataDir, modelId },
) => {
  app.get(
    '/v1/models/:id/evidence',
    routeFor('public', {
      summary: 'Get how often each confidence word was right in tests',
      params: z.object({ id: z.string().max(100) }),
      // 304 has no body.
      response: { 200: confidenceEvidenceSchema, 304: z.undefined() },
    }),
    async ({ params, headers }, reply) => {
      // Only compared, never part of a path.
      const text = existing(params.id === modelId ? await readEvidence(dataDir, modelId) : null);
      const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
      reply.header('cache-control', 'public, max-age=3600').header('etag', tag);
      if (headers['if-none-match'] === tag) return reply.code(304).send();
      return confidenceEvidenceSchema.parse(JSON.parse(text)) satisfies ConfidenceEvidence;
    },
  );
};

/** null if the installed model has none, or none is installed; the page then shows nothing about it. */
async function readEvidence(dataDir: string, modelId: string): Promise<string | null> {
  try {
    const { folder, manifest } = await readModelFolder(modelFolderOf(dataDir, modelId));
    return manifest.evidenceFile === undefined ? null : await readFile(join(folder, manifest.evidenceFile), 'utf8');
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}
