import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askIdentity, askPrediction } from '../../harness/api.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { password } from '../../harness/people.ts';
import { createChance } from '../../harness/random.ts';
import { makeDataFolder, memorySettings, type StartedServer, startServer } from '../../harness/server.ts';

export interface OlderOptions {
  /** Folder of the older version, already set up, whose server fills the data folder. */
  readonly checkout: string;
  /** Number of times that the newer server is killed while it starts and migrates. */
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

interface Account {
  readonly email: string;
  readonly keepAudio: KeepAudio;
  readonly refreshToken: string;
  readonly predictions: readonly Prediction[];
  /** SHA-256 of the kept audio by prediction; null where none is kept */
  readonly sounds: ReadonlyMap<string, string | null>;
}

const run = promisify(execFile);
const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };
const keepAudioValues = ['nothing', 'moments', 'recording'] as const satisfies readonly KeepAudio[];
const recordingsEach = 2;
const queuedJobs = 8;
const hourSeconds = 3600;
/** A checkpoint is saved every ten minutes of the recording. */
const interruptedAt = 0.3;
const mostKillDelayMs = 1500;
const patienceMs = 600_000;
const tus = { 'tus-resumable': '1.0.0' } as const;

/**
 * Uses the server of an older version and kills it in the middle of its work. Opens its data folder with this version, which is killed
 * repeatedly while it starts, and checks everything that was acknowledged. Finally, the older version must refuse the folder.
 */
export async function runOlder({ checkout, kills, seed, say }: OlderOptions) {
  const chance = createChance(seed);
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-older-'));
  // Versions may need different builds of the model.
  const dataDir = await makeDataFolder(join(checkout, 'data'));
  const restoredDir = await makeDataFolder();
  const faults: string[] = [];
  let server: StartedServer | null = null;
  try {
    const [song, hour] = [join(folder, 'song.flac'), join(folder, 'hour.flac')];
    await makeRecording(song, { startSeconds: 3, seconds: 12 });
    await makeRecording(hour, { seconds: hourSeconds, loopSeconds: 60 });
    const songBytes = new Uint8Array(await readFile(song));

    say('the older version is used');
    server = await startServer(environment, { dataDir, checkout, asGroup: true });
    const { origin } = server;
    const accounts: Account[] = [];
    for (const keepAudio of keepAudioValues) accounts.push(await useServer(origin, keepAudio, songBytes));
    const [owner] = accounts;
    if (!owner) throw new Error('No account was made.');
    const token = await refresh(origin, owner);
    if (token === null) throw new Error('The older server does not renew tokens.');
    const upload = await beginUpload(origin, token, songBytes);
    await backUp(checkout, dataDir, join(folder, 'backup'));
    const send = (key: string, bytes: Uint8Array<ArrayBuffer>): void =>
      void askPrediction(origin, { token, key, name: `${key}.flac`, bytes, fields: { keepAudio: 'nothing' } }).catch(() => {});
    send('an-hour', new Uint8Array(await readFile(hour)));
    await until(async () => (await lookAt(origin, token, 'an-hour')).fraction >= interruptedAt);
    const keys = Array.from({ length: queuedJobs }, (_, index) => `queued-${index}`);
    for (const key of keys) send(key, songBytes);
    await until(async () =>
      (await Promise.all(keys.map((key) => lookAt(origin, token, key)))).some(({ state }) => state === 'inWork'),
    );
    const accepted: string[] = [];
    for (const key of keys) if ((await lookAt(origin, token, key)).state !== 'unknown') accepted.push(key);
    await server.kill();

    const models = join(dataDir, 'models');
    await rm(models);
    await symlink(await readlink(join(restoredDir, 'models')), models);
    for (let kill = 0; kill < kills; kill += 1) await killWhileStarting(dataDir, chance.below(mostKillDelayMs));
    say(`killed ${kills} times while it started; ${accepted.length} short recordings and one of an hour were accepted`);
    server = await startServer(environment, { dataDir, asGroup: true });
    faults.push(...(await verify(server.origin, accounts)));
    const now = await refresh(server.origin, owner);
    if (now === null) throw new Error('The newer server does not renew tokens.');
    const { origin: opened } = server;
    for (const key of ['an-hour', ...accepted]) await until(async () => (await lookAt(opened, now, key)).state !== 'inWork');
    // Only now, because an account has a limited share of the queue.
    faults.push(...(await finishUpload(opened, now, upload, songBytes)));
    const short = await Promise.all(accepted.map((key) => lookAt(opened, now, key)));
    for (const { state } of short) if (state !== 'done') faults.push(`a recording that waited is ${state}`);
    say('the hour again, unbroken');
    const unbroken = await askPrediction(opened, {
      token: now,
      key: 'unbroken',
      name: 'an-hour.flac',
      bytes: new Uint8Array(await readFile(hour)),
      fields: { keepAudio: 'nothing' },
    });
    const broken = await lookAt(opened, now, 'an-hour');
    if (broken.state !== 'done' || JSON.stringify(broken.detections) !== JSON.stringify(unbroken.body.detections)) {
      faults.push(`the hour that was broken off is ${broken.state}, or its answer differs from that of the unbroken one`);
    }
    await server.stop();

    const refusal = await startOlder(checkout, dataDir);
    say(`the older version says: ${refusal.said}`);
    if (refusal.code === 0 || /\n\s+at /.test(refusal.said)) faults.push('the older version does not refuse in a sentence');

    await cp(join(folder, 'backup'), restoredDir, { recursive: true });
    server = await startServer(environment, { dataDir: restoredDir, asGroup: true });
    faults.push(...(await verify(server.origin, accounts)).map((fault) => `from the backup: ${fault}`));
    await server.stop();
    server = null;
    return { accounts: accounts.length, kills, accepted: accepted.length + 1, refusal, faults };
  } finally {
    await server?.kill();
    for (const each of [folder, dataDir, restoredDir]) await rm(each, { recursive: true, force: true });
  }
}

async function useServer(origin: string, keepAudio: KeepAudio, bytes: Uint8Array<ArrayBuffer>): Promise<Account> {
  const email = `${keepAudio}@example.org`;
  const { body } = await askIdentity(origin, 'signUp', { email, password, returnSecureToken: true });
  const { idToken: token, refreshToken } = body;
  const predictions: Prediction[] = [];
  const sounds = new Map<string, string | null>();
  for (let sent = 0; sent < recordingsEach; sent += 1) {
    const answer = await askPrediction(origin, { token, name: `song-${sent}.flac`, bytes, fields: { keepAudio } });
    if (answer.status !== 200) throw new Error(`A recording was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    predictions.push(answer.body);
    await until(async () => (await play(origin, token, answer.body.id)) !== 'not ready');
    sounds.set(answer.body.id, await play(origin, token, answer.body.id));
  }
  return { email, keepAudio, refreshToken, predictions, sounds };
}

/** Checks that all accounts are still signed in, have the same history, and can play the audio that was kept. */
async function verify(origin: string, accounts: readonly Account[]): Promise<string[]> {
  const faults: string[] = [];
  for (const account of accounts) {
    const token = await refresh(origin, account);
    if (token === null) {
      faults.push(`${account.email} is not signed in any more`);
      continue;
    }
    for (const prediction of account.predictions) {
      const { body } = await ask(origin, 'GET', `/v1/predictions/${prediction.id}`, { token });
      const { verdict, ...stored } = body.prediction ?? {};
      const { verdict: toldVerdict, ...told } = prediction;
      // The newer version may add fields, but must not change the existing ones.
      const sameVerdict = JSON.stringify({ ...verdict, ...toldVerdict }) === JSON.stringify({ ...toldVerdict, ...verdict });
      const known = Object.fromEntries(Object.keys(told).map((field) => [field, stored[field]]));
      if (!verdict || !sameVerdict || JSON.stringify(known) !== JSON.stringify(told)) {
        faults.push(`${account.email}: the answer ${prediction.id} has changed`);
      }
      const sound = await play(origin, token, prediction.id);
      if (sound !== account.sounds.get(prediction.id)) faults.push(`${account.email}: the sound of ${prediction.id} is ${sound}`);
    }
  }
  return faults;
}

/** @returns an ID token; null when the account is signed out */
async function refresh(origin: string, { refreshToken }: Account): Promise<string | null> {
  const { status, body } = await ask(origin, 'POST', '/v1/token?key=trial', {
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  });
  return status === 200 ? body.id_token : null;
}

/** @returns SHA-256 of the kept audio; null when none is kept */
async function play(origin: string, token: string, id: string): Promise<string | 'not ready' | null> {
  const response = await fetch(`${origin}/v1/predictions/${id}/audio`, { headers: { authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status === 503) return 'not ready';
  return response.status === 200 ? createHash('sha256').update(bytes).digest('hex') : null;
}

interface PredictionState {
  readonly state: 'inWork' | 'done' | 'failed' | 'unknown';
  readonly fraction: number;
  readonly detections?: Prediction['detections'];
}

async function lookAt(origin: string, token: string, key: string): Promise<PredictionState> {
  const { status, body } = await ask(origin, 'GET', `/v1/predictions/${key}`, { token });
  if (status !== 200) return { state: 'unknown', fraction: 0 };
  return { state: body.state, fraction: body.work?.fraction ?? 0, detections: body.prediction?.detections };
}

/** Uploads the first half of a recording. @returns the path of the upload */
async function beginUpload(origin: string, token: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { headers } = await ask(origin, 'POST', '/v1/uploads', {
    token,
    headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': `filename ${btoa('half.flac')}` },
  });
  const path = new URL(headers.get('location') ?? '', origin).pathname;
  await sendPiece(origin, token, path, bytes.slice(0, bytes.length / 2), 0);
  return path;
}

const sendPiece = (origin: string, token: string, path: string, piece: Uint8Array<ArrayBuffer>, offset: number) =>
  ask(origin, 'PATCH', path, {
    token,
    body: new Blob([piece]),
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
  });

/** Uploads the second half to the newer version. @returns faults */
async function finishUpload(origin: string, token: string, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { headers } = await ask(origin, 'HEAD', path, { token, headers: tus });
  const offset = Number(headers.get('upload-offset') ?? Number.NaN);
  if (offset !== Math.floor(bytes.length / 2)) return [`of an upload in pieces ${offset} bytes are left`];
  const { status } = await sendPiece(origin, token, path, bytes.slice(offset), offset);
  const upload = path.split('/').at(-1) ?? '';
  const answer = await askPrediction(origin, { token, key: 'in-pieces', upload });
  return status === 204 && answer.status === 200
    ? []
    : [`the rest of an upload in pieces was answered ${status}, ${answer.status}`];
}

async function backUp(checkout: string, dataDir: string, destination: string): Promise<void> {
  await run(process.execPath, [join(checkout, 'apps/server/src/database/back-up-command.ts'), destination], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  });
}

/** Starts this version's server and kills it, with all its processes, after this time. */
async function killWhileStarting(dataDir: string, afterMs: number): Promise<void> {
  const starting = startServer(environment, {
    dataDir,
    asGroup: true,
    onSpawn: (child) => {
      setTimeout(() => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, afterMs);
    },
  });
  await starting.then((server) => server.kill()).catch(() => {});
}

/** @returns the older version's error output about a newer data folder, and its exit status; null when it had to be killed */
async function startOlder(checkout: string, dataDir: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [join(checkout, 'apps/server/src/main.ts')], {
    env: { ...memorySettings(checkout), PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said: said.trim() };
}

/** @throws Error after `patienceMs` */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const givesUpAt = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > givesUpAt) throw new Error(`Waited ${patienceMs} ms in vain for ${isSo}`);
    await delay(200);
  }
}
