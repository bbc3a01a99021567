import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Prediction, SpectrogramQuery } from '@chiffchaff/contract';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askPrediction } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { median, percentile, round } from '../../harness/measures.ts';
import { startServer } from '../../harness/server.ts';
import type { Attack } from './attack.ts';

const SENDERS = 12;
/** The number of senders that look at what was kept. */
const LOOKERS = 2;
const SECONDS = 75;
const RECORDING_SECONDS = 15;
const WANTED_MS = 2000;
/** The share of spectrograms that must arrive in time. */
const WANTED_SHARE = 0.99;

/** The page's requests for the whole, and then for a part that the user zooms in on. */
const looks: readonly SpectrogramQuery[] = [
  { startSeconds: 0, endSeconds: RECORDING_SECONDS, maxHz: 15_000, columns: 469, rows: 320 },
  { startSeconds: 4, endSeconds: 6, maxHz: 15_000, columns: 500, rows: 320 },
];

/**
 * Many accounts send recordings without pause and keep audio: most keep excerpts, every fourth the whole recording. Two of them look at
 * each of their recordings as soon as it is answered.
 */
export const lookAtSounds: Attack = async ({ checkout, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-sounds-'));
  const server = await startServer(
    { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits },
    checkout === undefined ? {} : { checkout },
  );
  const { origin } = server;
  const tookMs: number[] = [];
  const statuses: Record<number, number> = {};
  let answers = 0;
  try {
    const path = join(folder, 'birds.m4a');
    await makeRecording(path, { startSeconds: 30, seconds: RECORDING_SECONDS });
    const bytes = new Uint8Array(await readFile(path));
    const look = async (token: string, { id }: Prediction, query: SpectrogramQuery): Promise<number> => {
      const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const askedAt = performance.now();
      const { status } = await ask(origin, 'GET', `/v1/predictions/${id}/spectrogram?${parameters}`, { token });
      tookMs.push(status === 200 ? performance.now() - askedAt : Number.POSITIVE_INFINITY);
      return status;
    };
    let endsAt = 0;
    const keepSending = async (token: string, one: number): Promise<void> => {
      const keepAudio = one % 4 === 0 ? 'recording' : 'moments';
      while (performance.now() < endsAt) {
        const answer = await askPrediction(origin, { name: 'birds.m4a', bytes, token, fields: { keepAudio } });
        if (answer.status === 503) await delay(1000 * Number(answer.headers.get('retry-after') ?? 1));
        if (answer.status !== 200) continue;
        answers += 1;
        if (one >= LOOKERS) continue;
        for (const query of looks) {
          const status = await look(token, answer.body, query);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }
    };
    const tokens = await Promise.all(Array.from({ length: SENDERS }, () => signUpSomebody(origin)));
    // The threads that draw start with the first request; that is not part of the load.
    const first = await askPrediction(origin, { name: 'birds.m4a', bytes, token: tokens[0] });
    for (const query of looks) while ((await look(tokens[0] ?? '', first.body, query)) === 503);
    tookMs.length = 0;
    endsAt = performance.now() + SECONDS * 1000;
    say(`${SENDERS} accounts send for ${SECONDS} s, and ${LOOKERS} of them look`);
    await Promise.all(tokens.map(keepSending));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const inTime = tookMs.filter((ms) => ms <= WANTED_MS).length / tookMs.length;
  return {
    faults: [
      ...(answers === 0 ? ['no recording was answered'] : []),
      ...(inTime >= WANTED_SHARE ? [] : [`${round(100 * inTime)} % of the spectrograms were answered within ${WANTED_MS} ms`]),
    ],
    /** of the whole machine, on which other programs may run */
    loadAverage: round(loadavg()[0] ?? 0),
    seconds: SECONDS,
    senders: SENDERS,
    lookers: LOOKERS,
    answers,
    spectrograms: tookMs.length,
    statuses,
    inTimePercent: round(100 * inTime),
    /** of those that were answered with a picture */
    spectrogramMs: {
      median: round(median(tookMs.filter(Number.isFinite))),
      p99: round(percentile(tookMs.filter(Number.isFinite), 0.99)),
    },
  };
};
