import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readinessSchema } from '@chiffchaff/contract';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { HttpProblem } from '../http/http-problem.ts';
import type { ListenerSource } from '../prediction/listener-source.ts';

const ATTEMPTS = 8;
const ATTEMPT_EVERY_MS = 125;

export interface HealthRoutesOptions {
  readonly listeners: ListenerSource;
  readonly dataDir: string;
  /** Whether the database would take a write now. */
  readonly isWritable: () => boolean;
}

/** `GET /healthz`: the process answers. `GET /readyz`: predictions can be answered, or what is missing for that. */
export async function healthRoutes(
  scope: FastifyInstance,
  { listeners, dataDir, isWritable }: HealthRoutesOptions,
): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.get(
    '/healthz',
    {
      config: { access: 'public', requestLimit: false },
      schema: { summary: 'Whether the process answers', response: { 200: z.object({ status: z.literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      config: { access: 'public', requestLimit: false },
      schema: { summary: 'Whether predictions can be answered', response: { 200: readinessSchema } },
    },
    async () => {
      const storage = (await canBeWritten(dataDir)) && (await soon(isWritable));
      await listeners.get().catch(() => {});
      const absent = [
        ...(listeners.missing.includes('MODEL_NOT_INSTALLED') ? ['the model is not installed'] : []),
        ...(listeners.missing.includes('DECODER_NOT_INSTALLED') ? ['the decoder (ffmpeg) is not installed'] : []),
        ...(storage ? [] : ['the storage cannot be written']),
      ];
      if (absent.length > 0) throw new HttpProblem('NOT_READY', { missing: absent.join(', ') });
      return { status: 'ready' as const, model: true as const, decoder: true as const, storage: true as const };
    },
  );
}

/** Another program may be writing just now: no for a moment is not no. */
async function soon(isSo: () => boolean): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (isSo()) return true;
    await sleep(ATTEMPT_EVERY_MS);
  }
  return isSo();
}

/** Whether a folder is there, may be written, and has room left. */
async function canBeWritten(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return (await statfs(folder)).bavail > 0;
  } catch {
    return false;
  }
}
