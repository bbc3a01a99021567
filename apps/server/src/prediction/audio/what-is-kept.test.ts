import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PredictionError } from '@chiffchaff/analysis';
import { makeWav } from '@chiffchaff/analysis/testing';
import { createNoise, eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { moveClock } from '../../testing/move-clock.ts';
import { FORM_TYPE, field, file, form, type Part } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { detection } from './testing/test-retention.ts';

const halfHourMs = 1_800_000;
let dataDir: string;
let server: TestServer;
let walker: SignedInUser;

/** Ten seconds of noise, so that no file contains a stretch of it by chance. */
const sent = Buffer.from(makeWav({ seconds: 10, sample: createNoise() }));
const recording = {
  ...{ fileName: null, sha256: '', container: 'wav', codec: 'pcm_s16le', durationSeconds: 10 },
  ...{ sampleRate: 48_000, channels: 1, truncated: false },
};
const answer = { recording, detections: [detection(4, 6)] };

async function start(): Promise<void> {
  server = await createTestServer({ dataDir });
  server.analyzer.answerWith(answer);
}
beforeEach(async (context) => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-kept-'));
  await start();
  context.skip(server.storage.isShared, 'about the folder of one machine');
  walker = await signUp(server, 'walker@example.org');
});
afterEach(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Fragments from all over the recording as it was sent. */
const fragments = Array.from({ length: 19 }, (_, index) => sent.subarray(50_000 * index + 100, 50_000 * index + 164));

interface SoundFile {
  /** with `sound` in place of the random folder name */
  readonly name: string;
  /** `original`: bytes of the recording as it was sent · `copy`: Opus in WebM · `picture`: its spectrogram */
  readonly holds: 'original' | 'copy' | 'picture';
}

/** Every file in the data folder that holds audio of the recording or its spectrogram. */
async function soundOnDisk(): Promise<SoundFile[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const found: SoundFile[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // A file that is deleted during this does not count.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const folder = relative(dataDir, dirname(path)).replace(/^audio\/.*/, 'audio/sound');
    const holds = fragments.some((part) => bytes.includes(part))
      ? ('original' as const)
      : bytes.includes('OpusHead')
        ? ('copy' as const)
        : entry.name.endsWith('.spectrum')
          ? ('picture' as const)
          : null;
    if (holds !== null) found.push({ name: join(folder, entry.name), holds });
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}
const holds = async (expected: readonly SoundFile[]): Promise<void> => {
  await server.settled();
  expect(await soundOnDisk()).toEqual(expected);
};
const nothing = (): Promise<void> => holds([]);

const wholeAsSent: readonly SoundFile[] = [
  { name: 'audio/sound/recording', holds: 'original' },
  { name: 'audio/sound/recording.spectrum', holds: 'picture' },
];
const moments: readonly SoundFile[] = [
  { name: 'audio/sound/moments', holds: 'copy' },
  { name: 'audio/sound/moments.spectrum', holds: 'picture' },
];
const choose = (keepAudio: string, listeningCopy?: string): Part[] => [
  field('keepAudio', keepAudio),
  ...(listeningCopy === undefined ? [] : [field('listeningCopy', listeningCopy)]),
];
/** `keepAudio` and `listeningCopy` */
const choices = [
  ['nothing', undefined],
  ['nothing', 'true'],
  ['recording', undefined],
] as const;
const keptOf = async (id: string) => (await walker.send('GET', `/v1/predictions/${id}`)).body.keptAudio;
const tus = { 'tus-resumable': '1.0.0' };

async function sendInPieces(): Promise<string> {
  const created = await server.app.inject({
    ...{ method: 'POST', url: '/v1/uploads' },
    headers: { ...tus, ...walker.headers, 'upload-length': String(sent.length) },
  });
  const url = String(created.headers.location);
  const written = await server.app.inject({
    ...{ method: 'PATCH', url, payload: sent },
    headers: { ...tus, ...walker.headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  });
  expect(written.statusCode, written.body).toBe(204);
  return url.split('/').at(-1) ?? '';
}

const sendAnonymously = (...fields: Part[]) =>
  server.app.inject({
    ...{ method: 'POST', url: '/get_prediction', payload: form([...fields, file(sent)]) },
    headers: { 'content-type': FORM_TYPE },
  });

describe('The audio of a recording in the data folder', () => {
  it('is gone when the prediction is returned, if nothing is to be kept', async () => {
    const { status, body } = await walker.predict([...choose('nothing'), file(sent)]);
    expect(status).toBe(200);
    await nothing();
    expect(await keptOf(body.id)).toBeNull();
  });

  it('is gone after the prediction if the account keeps nothing, even if the recording was sent in pieces', async () => {
    await walker.send('POST', '/v1/account/settings', { keepAudio: 'nothing' });
    expect((await walker.predict([file(sent)])).status).toBe(200);
    await nothing();
    const upload = await sendInPieces();
    await holds([{ name: `resumable-uploads/${upload}.0-${sent.length}`, holds: 'original' }]);
    expect((await walker.predict([field('upload', upload)])).status).toBe(200);
    await nothing();
  });

  it('is a copy for half an hour and then gone, if only the copy for half an hour was chosen', async () => {
    const { body } = await walker.predict([...choose('nothing', 'true'), file(sent)]);
    await holds(wholeAsSent);
    moveClock(halfHourMs);
    expect(await keptOf(body.id)).toBeNull();
    await server.sounds.sweep();
    await nothing();
  });

  it('is the excerpts if these were chosen, and also a whole copy for half an hour if that was chosen', async () => {
    await walker.predict([...choose('moments'), file(sent)]);
    await holds(moments);
    const { body } = await walker.predict([...choose('moments', 'true'), file(sent)]);
    await holds([...moments, ...moments, ...wholeAsSent].sort((one, other) => (one.name < other.name ? -1 : 1)));
    const kept = await keptOf(body.id);
    const hours = (until: string) => Math.round((Date.parse(until) - Date.now()) / 1_800_000) / 2;
    expect([kept.kind, hours(kept.keptUntil), hours(kept.momentsKeptUntil)]).toEqual(['recording', 0.5, 30 * 24]);
    moveClock(halfHourMs);
    await server.sounds.sweep();
    await holds([...moments, ...moments].sort((one, other) => (one.name < other.name ? -1 : 1)));
    expect(await keptOf(body.id)).toMatchObject({ kind: 'moments', keptUntil: kept.momentsKeptUntil });
  });

  it('is the whole recording if the user chose to keep the recording', async () => {
    await walker.predict([...choose('recording'), file(sent)]);
    await holds(wholeAsSent);
  });

  it('is in the archive of all predictions as it was chosen: the whole recording, the excerpts or nothing', async () => {
    await walker.predict([...choose('recording'), file(sent)]);
    await walker.predict([...choose('moments'), file(sent)]);
    await walker.predict([...choose('nothing'), file(sent)]);
    await server.settled();
    const { rawPayload } = await server.app.inject({ url: '/v1/predictions/export', headers: walker.headers });
    const sounds = new Map<string, Buffer>();
    const zip = await fromBufferPromise(rawPayload);
    for await (const entry of zip.eachEntry()) {
      const [, name] = /\/(sound\.\w+)$/.exec(entry.fileName) ?? [];
      if (name !== undefined) sounds.set(name, Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray()));
    }
    expect([...sounds.keys()].sort()).toEqual(['sound.wav', 'sound.webm']);
    expect(sounds.get('sound.wav')?.equals(sent)).toBe(true);
    expect(sounds.get('sound.webm')?.includes('OpusHead')).toBe(true);
  });

  it('is gone after a prediction without an account, whatever was requested', async () => {
    for (const fields of [[], choose('recording', 'true')]) {
      expect((await sendAnonymously(...fields)).statusCode).toBe(200);
      await nothing();
    }
  });

  it.each(choices)('is gone after a failed analysis, with keepAudio %s and listeningCopy %s', async (keepAudio, copy) => {
    server.analyzer.failWith(new PredictionError('RECORDING_DAMAGED', { container: 'wav', why: 'made up' }));
    expect((await walker.predict([...choose(keepAudio, copy), file(sent)])).status).toBe(422);
    expect((await sendAnonymously()).statusCode).toBe(422);
    expect((await walker.predict([...choose(keepAudio, copy), field('upload', await sendInPieces())])).status).toBe(422);
    await nothing();
  });

  it.each(choices)('is gone after a cancellation, with keepAudio %s and listeningCopy %s', async (keepAudio, copy) => {
    server.analyzer.hold();
    const upload = await sendInPieces();
    for (const [key, part] of [
      ['whole', file(sent)],
      ['pieces', field('upload', upload)],
    ] as const) {
      const before = server.analyzer.requests.length;
      const asked = walker.predict([...choose(keepAudio, copy), part], key);
      await eventually(() => expect(server.analyzer.requests).toHaveLength(before + 1), { timeout: 30_000 });
      await walker.send('DELETE', `/v1/predictions/${key}`);
      expect((await asked).body.code).toBe('PREDICTION_CANCELLED');
    }
    await nothing();
  });

  it('is gone after the server was stopped halfway and restarted, if nothing is to be kept', async () => {
    server.analyzer.hold();
    const asked = walker.predict([...choose('nothing'), file(sent)], 'key');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1), { timeout: 30_000 });
    server.hurry();
    await Promise.all([server.close(), asked]);
    expect(await soundOnDisk()).toMatchObject([{ holds: 'original' }]);
    await start();
    await eventually(async () => expect((await walkerAgain('GET', '/v1/predictions/key')).state).toBe('done'), {
      timeout: 30_000,
    });
    await nothing();
  });
});

/** Sends requests of the same account to the server that runs now. */
async function walkerAgain(method: 'GET', url: string) {
  return (await server.app.inject({ method, url, headers: walker.headers })).json();
}
