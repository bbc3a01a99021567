import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predictionSchema } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from './config/config.ts';
import { openServer, type Server } from './open-server.ts';
import { findInstallation } from './parts/installation.ts';
import { serverLimits } from './server-limits.ts';
import { FORM_TYPE, field, file, form } from './testing/multipart.ts';
import { wav } from './testing/wav.ts';

const models = fileURLToPath(new URL('../../../data/models', import.meta.url));

let dataDir: string;
let logged: Record<string, unknown>[];
let running: Server[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-data-'));
  logged = [];
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface Started extends Server {
  readonly url: string;
}

const ready: string[] = [];

async function start(environment: Record<string, string>): Promise<Started> {
  ready.length = 0;
  const { config, secrets } = readConfig({
    PATH: process.env.PATH,
    PORT: '0',
    DATA_DIR: dataDir,
    OPEN_PREDICTION: 'true',
    ...environment,
  });
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const server = await openServer({ config, secrets, log, installation: findInstallation(config, log), limits: serverLimits });
  const url = await server.start((readyUrl) => ready.push(readyUrl));
  running.push(server);
  return { ...server, url };
}

/** Command lines of the running child processes of a process, started by any of its threads. */
async function commandsBelow(pid: number): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const children = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  const ids = children.flatMap((line) => line.split(' ').filter(Boolean));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}

const post = ({ url }: Started, body: Buffer) =>
  fetch(`${url}/get_prediction`, { method: 'POST', body: new Uint8Array(body), headers: { 'content-type': FORM_TYPE } });

describe('A server without model or decoder', () => {
  it('starts, logs how to install them, and answers requests for a prediction with what is missing', async () => {
    const server = await start({ FFMPEG_PATH: join(dataDir, 'no-ffmpeg') });
    expect(ready).toEqual([]);
    const advice = logged.filter(({ level }) => level === 40).map(({ code, msg }) => [code, msg]);
    expect(advice).toEqual(
      expect.arrayContaining([
        ['MODEL_NOT_INSTALLED', expect.stringContaining('npm run model -- install')],
        ['DECODER_NOT_INSTALLED', expect.stringContaining('FFMPEG_PATH')],
      ]),
    );
    expect(advice.map(([, sentence]) => sentence)).toContainEqual(
      expect.stringMatching(/incomplete: businessName, .*copyrightAgent are not set/),
    );
    const ofBlanks = logged.map((line) => JSON.stringify(line)).filter((line) => line.includes('copyrightAgent'));
    expect(ofBlanks.map((line) => line.split('copyrightAgent').length - 1)).toEqual([1]);
    const answer = await post(server, form([file('x')]));
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it.runIf(existsSync('/proc'))('that cannot start ends its analysis process and releases its folder', async () => {
    const inTheWay = join(dataDir, 'keys');
    await writeFile(inTheWay, 'a file instead of the folder');
    await expect(start({})).rejects.toThrow('EEXIST');
    const commands = await commandsBelow(process.pid);
    expect(commands.filter((command) => command.includes('analysis-program') && command.includes(dataDir))).toEqual([]);
    await rm(inTheWay);
    await start({});
    expect((await commandsBelow(process.pid)).some((command) => command.includes(dataDir))).toBe(true);
  });

  it('does not start if its port is taken', async () => {
    const { url } = await start({});
    await expect(start({ PORT: new URL(url).port, DATA_DIR: join(dataDir, 'other') })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

describe('A server with model and decoder', () => {
  beforeEach(async () => {
    await symlink(models, join(dataDir, 'models'));
  });
  const environment = { INFERENCE_WORKERS: '1' };

  it('says that it is ready, answers a prediction, and keeps no upload', async () => {
    const server = await start(environment);
    await eventually(() => expect(ready).toEqual([server.url]));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const answer = await post(server, form([file(wav(4)), field('top', '2')]));
    expect(answer.status).toBe(200);
    const prediction = predictionSchema.parse(await answer.json());
    expect(prediction.recording).toMatchObject({ container: 'wav', durationSeconds: 4, sampleRate: 48_000, channels: 1 });
    expect(prediction.candidates).toHaveLength(2);
    expect(await readdir(join(dataDir, 'scratch/arriving'))).toEqual([]);
  });

  it.each([
    ['a text file', Buffer.from('just text'), 415, 'RECORDING_UNSUPPORTED'],
    ['an empty file', Buffer.alloc(0), 422, 'RECORDING_EMPTY'],
    ['a recording that is too short', wav(0.2), 422, 'RECORDING_TOO_SHORT'],
    ['a recording that is too long', wav(7), 413, 'RECORDING_TOO_LONG'],
  ])('answers %s with the problem documented for it', async (_what, content, status, code) => {
    const server = await start({ ...environment, MAX_RECORDING_SECONDS: '5' });
    const answer = await post(server, form([file(content)]));
    expect(await answer.json()).toMatchObject({ code });
    expect(answer.status).toBe(status);
  });

  it('finds the birds of the example soundscape, and fewer at a place where they do not occur', async (context) => {
    needsSharedFolder(context);
    const server = await start(environment);
    const recording = file(await readFile(sharedPath('fixtures/audio/XC563936-soundscape.mp3')));
    const anywhere = predictionSchema.parse(await (await post(server, form([recording]))).json());
    expect(anywhere.candidates[0]?.scientificName).toBe('Junco hyemalis');
    const place = [field('latitude', '50.8'), field('longitude', '12.9'), field('date', '2026-05-01'), field('language', 'de')];
    const inEurope = predictionSchema.parse(await (await post(server, form([...place, recording]))).json());
    expect(inEurope.conditions).toMatchObject({ latitude: 50.8, longitude: 12.9, week: 17, language: 'de' });
    expect(inEurope.hiddenByLocation.map(({ scientificName }) => scientificName)).toContain('Junco hyemalis');
  });

  it('returns which species are expected at a place and week', async () => {
    const { url } = await start(environment);
    const answer = await fetch(`${url}/v1/species?latitude=50.8&longitude=12.9&date=2026-05-01&language=de`);
    expect(await answer.json()).toMatchObject({
      species: expect.arrayContaining([expect.objectContaining({ scientificName: 'Turdus merula', commonName: 'Amsel' })]),
    });
  });
});

describe('A server that is stopped', () => {
  it('refuses connections and releases its data folder', async () => {
    const server = await start({});
    await mkdir(join(dataDir, 'kept'));
    await server.close();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    expect(await readdir(join(dataDir, 'scratch/arriving'))).toEqual([]);
    expect(await readdir(dataDir)).toContain('kept');
  });
});
