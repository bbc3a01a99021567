import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askPrediction } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { median, round } from '../../harness/measures.ts';

/** How long a short recording takes while a long one is analysed. */
export interface AskedBeside {
  readonly answers: number;
  readonly medianSeconds: number;
  readonly longestSeconds: number;
}

export interface AskBesideOptions {
  readonly origin: string;
  readonly token: string;
  /** folder in which the short recordings are made */
  readonly folder: string;
  readonly times: number;
  /** Whether the long recording is still being analysed. */
  readonly stillBusy: () => Promise<boolean>;
}

const recordingSeconds = 15;
/** Distance between the recordings' starts in the soundscape, so that no two are the same. */
const apartSeconds = 5;
/** Different pauses, so that recordings arrive at any moment of the long one's analysis. */
const pausesMs = [100, 350, 600, 850, 1100];

/**
 * Sends recordings of 15 s one after the other, and measures from the first byte sent to the last byte of the response.
 *
 * @throws Error when one gets no prediction, or when the long recording ends before the last of them
 */
export async function askBeside({ origin, token, folder, times, stillBusy }: AskBesideOptions): Promise<AskedBeside> {
  const recordings = await Promise.all(
    Array.from({ length: Math.min(times, 20) }, async (_, index) => {
      const path = join(folder, `short-${index}.m4a`);
      await makeRecording(path, { startSeconds: index * apartSeconds, seconds: recordingSeconds });
      return new Uint8Array(await readFile(path));
    }),
  );
  const seconds: number[] = [];
  for (let index = 0; index < times; index++) {
    const bytes = recordings[index % recordings.length] ?? new Uint8Array();
    const start = performance.now();
    const { status, body } = await askPrediction(origin, { token, name: 'short.m4a', bytes, fields: { keepAudio: 'nothing' } });
    seconds.push((performance.now() - start) / 1000);
    if (status !== 200) throw new Error(`A short recording was answered ${status} ${JSON.stringify(body)}`);
    if (!(await stillBusy()))
      throw new Error(`The long recording ended before ${index + 1} of ${times} short ones: take a longer one`);
    await delay(pausesMs[index % pausesMs.length]);
  }
  return {
    answers: seconds.length,
    medianSeconds: round(median(seconds), 3),
    longestSeconds: round(Math.max(...seconds), 3),
  };
}
