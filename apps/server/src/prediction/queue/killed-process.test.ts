import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ffmpegPath } from '@chiffchaff/analysis/testing';
import { type Prediction, storedPredictionSchema } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FORM_TYPE, field, file, form } from '../../testing/multipart.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const main = join(root, 'apps/server/src/main.ts');
const bird = sharedPath('fixtures/audio/formats/junco-hyemalis--e0900fa2.mp3');

let dataDir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-killed-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the origin, once predictions can be answered */
async function start(): Promise<string> {
  const started = spawn(process.execPath, [main], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  for await (const line of started.stdout) {
    const url = /listening on (\S+)/.exec(String(line))?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The server ended before it listened');
}

/** A checkpoint is written after ten minutes of audio (`CHECKPOINT_SECONDS`). The rest is long enough to kill the process during it. */
const SECONDS = 930;
const CHECKPOINT_AT = 600 / SECONDS;

/** The recording repeated until it is long enough. */
async function record(): Promise<Buffer> {
  const path = join(dataDir, 'long.flac');
  const made = spawn(ffmpegPath, [
    '-v',
    'error',
    '-stream_loop',
    '-1',
    '-i',
    bird,
    '-t',
    `${SECONDS}`,
    '-ac',
    '1',
    '-ar',
    '32000',
    path,
  ]);
  await once(made, 'exit');
  return readFile(path);
}

// analysis-process.test.ts compares a resumed analysis with an unbroken one.
it('A long recording is resumed where a killed server left it', { timeout: 600_000 }, async (context) => {
  needsSharedFolder(context);
  await symlink(join(root, 'data/models'), join(dataDir, 'models'));
  const content = await record();
  let origin = await start();
  const signUp = await fetch(`${origin}/v1/accounts:signUp?key=any`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'walker@example.org', password: 'two short notes', returnSecureToken: true }),
  });
  const { idToken } = (await signUp.json()) as { idToken: string };
  const headers = { authorization: `Bearer ${idToken}` };
  const send = (key: string) =>
    fetch(`${origin}/get_prediction`, {
      method: 'POST',
      headers: { ...headers, 'content-type': FORM_TYPE, 'idempotency-key': key },
      // Clips that do not overlap take half as long.
      body: new Uint8Array(form([file(content), field('overlapSeconds', '0')])),
    });
  const fractions: number[] = [];
  const answerOf = async (key: string): Promise<Prediction> =>
    eventually(
      async () => {
        const answer = await fetch(`${origin}/v1/predictions/${key}`, { headers });
        const stored = storedPredictionSchema.parse(await answer.json());
        if (stored.state === 'inWork' && stored.work.fraction !== null) fractions.push(stored.work.fraction);
        if (stored.state !== 'done') throw new Error(stored.state);
        return stored.prediction;
      },
      { timeout: 300_000 },
    );

  const lost = send('killed').catch(() => null);
  const uploads = join(dataDir, 'uploads');
  let bytesBefore = 0;
  await eventually(
    async () => {
      const checkpoint = (await readdir(uploads, { recursive: true })).find((name) => name.endsWith('.checkpoint/0'));
      const { size } = await stat(join(uploads, checkpoint ?? ''));
      // A checkpoint that is still growing is incomplete.
      const isWritten = size > 100_000 && size === bytesBefore;
      bytesBefore = size;
      expect(isWritten).toBe(true);
    },
    { timeout: 300_000 },
  );
  child?.kill('SIGKILL');
  await lost;
  origin = await start();
  const resumed = await answerOf('killed');
  expect(resumed.candidates[0]?.scientificName).toBe('Junco hyemalis');
  expect(resumed.recording.durationSeconds).toBeGreaterThan(SECONDS - 20);
  expect(resumed.detections[0]?.startSeconds).toBeLessThan(60);
  // Nothing before the checkpoint was analysed again.
  expect(Math.min(1, ...fractions)).toBeGreaterThan(CHECKPOINT_AT - 0.01);
  expect(await readdir(uploads)).toEqual([]);
});
