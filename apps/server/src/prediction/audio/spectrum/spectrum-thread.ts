import { parentPort } from 'node:worker_threads';
import { PredictionError } from '@chiffchaff/analysis';
import { drawTile } from './draw-tile.ts';
import type { SpectrumReply, SpectrumRequest } from './spectrum-messages.ts';
import { writeOverview } from './write-overview.ts';

/** Decodes and transforms off the event loop of the server. */
const port = parentPort;
if (port === null) throw new Error('This file is the start of a thread.');
const underWay = new Map<number, AbortController>();

async function answer(
  request: Exclude<SpectrumRequest, { kind: 'cancel' }>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (request.kind === 'tile') return drawTile(request.task, signal);
  await writeOverview(request.task, signal);
  return null;
}

port.on('message', (request: SpectrumRequest) => {
  if (request.kind === 'cancel') return underWay.get(request.id)?.abort();
  const { id } = request;
  const control = new AbortController();
  underWay.set(id, control);
  answer(request, control.signal)
    .then(
      (bytes) => port.postMessage({ id, bytes } satisfies SpectrumReply, bytes === null ? [] : [bytes.buffer]),
      (error: unknown) => port.postMessage({ id, error: describe(error), problem: problemOf(error) } satisfies SpectrumReply),
    )
    .finally(() => underWay.delete(id));
});

const problemOf = (error: unknown) => (error instanceof PredictionError ? { code: error.code, details: error.details } : null);

/** For the log: a code says more than a name. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
