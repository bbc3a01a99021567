import type { Prediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';

/** One line a prediction; nothing that names a recording or its place. */
export function logPrediction(
  log: FastifyBaseLogger,
  { id, model, recording, verdict, timings }: Prediction,
  measured: { bytes: number; queuedMs: number },
): void {
  const { container, codec, durationSeconds } = recording;
  log.info(
    {
      predictionId: id,
      model: model.id,
      container,
      codec,
      audioSeconds: durationSeconds,
      verdict: verdict.kind,
      ...measured,
      ...timings,
    },
    'prediction',
  );
}
