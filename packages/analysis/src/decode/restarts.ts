import { setTimeout as wait } from 'node:timers/promises';
import { PredictionError } from '../errors.ts';

/** The system has ended the decoder, or has not let it start. That says nothing about the recording: it is tried again. */
export class DecoderInterrupted extends Error {
  override readonly name = 'DecoderInterrupted';
}

/** Out of what a system has so much of only. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** @throws DecoderInterrupted in place of an error that passes */
export function interruptedWhenShort(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && SHORTAGES.has(error.code))) throw error;
  throw new DecoderInterrupted('The recording could not be opened.', { cause: error });
}

/**
 * How often one recording's decoder is started again, and after which waits.
 *
 * @param delaysMs the wait before each try; as many as there are
 */
export function createRestarts(delaysMs: readonly number[], signal: AbortSignal) {
  let made = 0;

  /**
   * Waits before the next try.
   *
   * @param reason why the last one ended; anything but an interruption is thrown as it is
   * @throws PredictionError `DECODER_FAILED` when there have been too many
   * @throws the signal's reason when it aborts
   */
  async function pause(reason: unknown): Promise<void> {
    signal.throwIfAborted();
    if (!(reason instanceof DecoderInterrupted)) throw reason;
    const delayMs = delaysMs[made];
    if (delayMs === undefined) throw new PredictionError('DECODER_FAILED', {}, { cause: reason });
    made += 1;
    await wait(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  return {
    pause,
    /** Does the work again as long as the decoder is interrupted. @throws what `pause` throws */
    async repeat<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          await pause(error);
        }
      }
    },
    /** The decoder has got on: interruptions from now on count anew. */
    renew(): void {
      made = 0;
    },
  };
}
