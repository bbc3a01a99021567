import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { type Answer, ask, askPrediction, codeOf, isConnectionLost } from '../../../harness/api.ts';
import { findFfmpeg, makeRecording } from '../../../harness/make-recording.ts';
import { round } from '../../../harness/measures.ts';
import type { StartedServer } from '../../../harness/server.ts';
import { startAttacked } from '../others.ts';

const run = promisify(execFile);

export type Bytes = Uint8Array<ArrayBuffer>;

/** Three hours of silence at 8 kHz: a small file that takes long. */
export async function threeHoursOfSilence(): Promise<Bytes> {
  return madeIn('silence.flac', async (path) => {
    const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '10800'];
    await run(await findFfmpeg(), ['-nostdin', '-loglevel', 'error', '-y', ...silence, path]);
  });
}

/** A part of the soundscape, over and over. */
export const birds = (seconds: number): Promise<Bytes> =>
  madeIn('birds.flac', (path) => makeRecording(path, { seconds, ...(seconds > 120 ? { loopSeconds: 120 } : {}) }));

async function madeIn(name: string, make: (path: string) => Promise<void>): Promise<Bytes> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-attack-'));
  try {
    await make(join(folder, name));
    return new Uint8Array(await readFile(join(folder, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What makes a recording take thirty times as long as usual. */
const DENSE = { overlapSeconds: '2.9', minScore: '0', keepAudio: 'nothing' } as const;

/** At most this many bodies of one account are received at once. */
export const AT_ONCE = 8;
export const WAVE_MS = 3_000;
const LOOK_EVERY_MS = 500;

/** A server, an account that attacks it, and another that wants ten seconds identified. */
interface QueueAttack {
  readonly server: StartedServer;
  /** How long the other account waited for its answer before the attack, in milliseconds. */
  readonly aloneMs: number;
  /** Sends dense recordings of three hours, and does not wait for their answers. @returns megabytes sent */
  sendLong(count: number): Promise<number>;
  askShort(): Promise<Outcome>;
}

/** @param mostMs how long the other account waits for each answer */
export async function attackQueue<Figures>(
  checkout: string | undefined,
  mostMs: number,
  attack: (started: QueueAttack) => Promise<Figures>,
): Promise<Figures> {
  const [long, short] = [await threeHoursOfSilence(), await birds(10)];
  const server = await startAttacked(checkout);
  const attacking = new AbortController();
  try {
    const { origin } = server;
    const [other, attacker] = [await signUpSomebody(origin), await signUpSomebody(origin)];
    const askShort = () => timeOf(origin, { token: other, bytes: short, mostMs });
    const alone = await askShort();
    if (typeof alone !== 'number') throw new Error(`Without an attack, a recording was ${alone}`);
    return await attack({
      server,
      aloneMs: round(alone),
      sendLong: async (count) => {
        await sendMany(origin, { count, token: attacker, bytes: long, signal: attacking.signal });
        return round((count * long.length) / 1e6);
      },
      askShort,
    });
  } finally {
    attacking.abort();
    await server.stop();
  }
}

/**
 * Sends the same recording many times, in waves, and does not wait for the answers. Aborting the signal takes them back.
 *
 * @throws Error when one is refused: the attack would be weaker than reported
 */
async function sendMany(
  origin: string,
  asked: { count: number; token: string; bytes: Bytes; signal: AbortSignal },
): Promise<void> {
  const { count, ...recording } = asked;
  const refused: string[] = [];
  for (let n = 0; n < count; n += 1) {
    if (n % AT_ONCE === 0) await delay(WAVE_MS);
    askPrediction(origin, { name: 'long.flac', fields: DENSE, ...recording }).then(
      (answer) => refused.push(codeOf(answer)),
      (error: unknown) => {
        if (!asked.signal.aborted && !isConnectionLost(error)) throw error;
      },
    );
  }
  await delay(WAVE_MS);
  if (refused.length > 0) throw new Error(`Long recordings were answered ${refused.join(', ')}`);
}

/** Milliseconds to the answer; or there was none in time, or the server had no room for the recording (503). */
export type Outcome = number | 'unanswered' | 'refused';

export const isAnswered = (outcome: Outcome): outcome is number => typeof outcome === 'number';

export async function timeOf(
  origin: string,
  asked: { token: string; bytes: Bytes; mostMs: number; key?: string; fields?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const { mostMs, ...recording } = asked;
  const start = performance.now();
  const signal = AbortSignal.timeout(Math.ceil(mostMs));
  try {
    const answer = await askPrediction(origin, { name: 'short.flac', ...recording, signal }).catch((error: unknown) => {
      // `fetch` gives up after five minutes without an answer. A recording with a key is analysed all the same.
      if (asked.key === undefined || !isConnectionLost(error)) throw error;
      return waitForAnswer(origin, asked.token, asked.key, signal);
    });
    if (answer.status === 503) return 'refused';
    if (answer.status !== 200) throw new Error(`A recording was answered ${codeOf(answer)}`);
    return performance.now() - start;
  } catch (error) {
    if (signal.aborted) return 'unanswered';
    throw error;
  }
}

async function waitForAnswer(origin: string, token: string, key: string, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const answer = await ask(origin, 'GET', `/v1/predictions/${key}`, { token, signal });
    if (answer.body.state === 'failed') throw new Error(`A recording failed: ${JSON.stringify(answer.body.problem)}`);
    if (answer.status !== 200 || answer.body.state !== 'inWork') return answer;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
