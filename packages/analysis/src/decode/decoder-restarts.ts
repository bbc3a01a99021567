import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '@chiffchaff/acquire';
import { PredictionError } from '../errors.ts';

/**
 * The system ended or stopped the decoder or could not start it. This says nothing about the recording, so the decoder is restarted. With a
 * PredictionError as its cause, it ended as a bad recording makes it end, but a machine in trouble, too: if it does so twice, the recording
 * is refused with that.
 */
export class DecoderInterrupted extends Error {
  override readonly name = 'DecoderInterrupted';
}

/** Errors of an exhausted system resource. */
const SHORTAGES: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** @throws DecoderInterrupted in place of a temporary error */
export function interruptedWhenShort(error: unknown): never {
  if (!SHORTAGES.has(codeOf(error))) throw error;
  throw new DecoderInterrupted('The recording could not be opened.', { cause: error });
}

/**
 * Limits the restarts of one recording's decoder and waits before each.
 *
 * @param delaysMs the wait before each restart; as many restarts as delays
 */
export function createDecoderRestarts(delaysMs: readonly number[], signal: AbortSignal) {
  let made = 0;
  let isSuspected = false;

  /**
   * Waits before the next try.
   *
   * @param reason why the last one ended; anything but an interruption is rethrown
   * @throws PredictionError `DECODER_FAILED` after the last restart; a refusal at the second such reason
   * @throws the signal's reason when it aborts
   */
  async function pause(reason: unknown): Promise<void> {
    signal.throwIfAborted();
    if (!(reason instanceof DecoderInterrupted)) throw reason;
    if (reason.cause instanceof PredictionError) {
      if (isSuspected) throw reason.cause;
      isSuspected = true;
    }
    const delayMs = delaysMs[made];
    if (delayMs === undefined) throw new PredictionError('DECODER_FAILED', {}, { cause: reason });
    made += 1;
    process.emitWarning(`${reason.message} It is tried again.`);
    await wait(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  return {
    pause,
    /** Repeats the work until the decoder is not interrupted. @throws what `pause` throws */
    async repeat<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          await pause(error);
        }
      }
    },
    /** Call it when the decoder has made progress: it then has all restarts again. */
    renew(): void {
      made = 0;
      isSuspected = false;
    },
  };
}
