import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import type { Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { AnalysisService } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { samplePredictionFor } from '../../testing/fake-analyzer.ts';
import { file } from '../../testing/multipart.ts';
import { openRawClient } from '../../testing/raw-client.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

const COUNT = 20_000;
const deflated = promisify(deflate);

let server: TestServer;
let walker: SignedInUser;
let id: string;
afterEach(() => server.close());

async function open(changeService?: (service: AnalysisService) => AnalysisService): Promise<void> {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' }, ...(changeService && { changeService }) });
  walker = await signUp(server, 'walker@example.org');
  id = (await walker.predict([file('sound', 'dense.mp3')])).body.id;
}

async function storeLargeAnswer(): Promise<void> {
  const detections = Array.from({ length: COUNT }, (_, index) => ({
    ...{ scientificName: `Avis numero ${index % 2000}`, commonName: `Vogel ${index % 2000}` },
    ...{ startSeconds: index / 500, endSeconds: index / 500 + 3, score: (index % 997) / 1000 },
    ...{ confidence: 0.1, occurrence: null, hidden: false },
  }));
  const sample = samplePredictionFor({ path: '', fileName: 'dense.mp3' });
  const recording = { ...sample.recording, durationSeconds: COUNT / 500 + 3 };
  const answer = await deflated(JSON.stringify({ ...sample, recording, id, detections }));
  await server.database.change({}, (query) => query.updateTable('predictions').set({ answer }).where('id', '=', id).execute());
}

/** A service that, after `hold`, waits before it opens an answer, and resolves `asked`. */
function gated() {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  let tables = 0;
  const change = (service: AnalysisService): AnalysisService => ({
    ...service,
    writeTable(request) {
      tables += 1;
      return service.writeTable(request);
    },
    async answerHead(stored) {
      if (isHeld) {
        asked.resolve();
        await gate.promise;
      }
      return service.answerHead(stored);
    },
  });
  const hold = (): void => {
    isHeld = true;
  };
  return { asked: asked.promise, hold, release: gate.resolve, change, tables: () => tables };
}

const csv = () => walker.send('GET', `/v1/predictions/${id}/export?format=csv`);
const tables = () => readdir(join(server.dataDir, 'exports'));

const connectionsOf = (listening: NetServer) => promisify(listening.getConnections.bind(listening))();

async function askFromSocket(origin?: string) {
  const client = await openRawClient(origin ?? (await server.listen()));
  client.write(
    `GET /v1/predictions/${id}/export?format=csv HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${walker.token}\r\n\r\n`,
  );
  return client;
}

it('Files for the tables of large stored answers are readable for the server alone, and removed before they are read', async () => {
  const seen: number[] = [];
  await open((service) => ({
    ...service,
    async writeTable(request) {
      await service.writeTable(request);
      seen.push((await stat(request.file.path)).mode & 0o777, (await stat(join(request.file.path, '..'))).mode & 0o777);
    },
  }));
  expect((await csv()).text).toContain('Scientific name');
  expect(seen).toEqual([0o600, 0o700]);
  const row = { id, accountId: walker.accountId, answerBytes: 1 };
  const table = await server.predictions.answers.tableOf(row, 'csv', {});
  expect(await tables()).toEqual([]);
  expect(Buffer.concat(await table.toArray()).toString()).toContain('Scientific name');
});

it('Files for the tables of large stored answers are removed if a reader leaves before any byte, and block no other reader', async () => {
  const service = gated();
  await open(service.change);
  await storeLargeAnswer();
  await server.settled();
  service.hold();
  const client = await askFromSocket();
  await service.asked;
  client.cut();
  await eventually(async () => expect(await connectionsOf(server.app.server)).toBe(0));
  service.release();
  const whole = await eventually(async () => {
    const answer = await csv();
    expect(answer.status).toBe(200);
    return answer;
  });
  expect(whole.text.trimEnd().split('\n')).toHaveLength(1 + COUNT);
  expect(service.tables()).toBe(1);
  expect(await tables()).toEqual([]);
});

it('Files for the tables of large stored answers are removed if the reader leaves after the first bytes', async () => {
  await open();
  await storeLargeAnswer();
  const client = await askFromSocket();
  await client.until('Scientific name');
  client.cut();
  await client.closed;
  await eventually(async () => expect((await csv()).status).toBe(200));
  expect(await tables()).toEqual([]);
});

it('Files for the tables of large stored answers are made one at a time for each account', async () => {
  const service = gated();
  await open(service.change);
  await storeLargeAnswer();
  await server.settled();
  service.hold();
  const first = csv();
  await service.asked;
  expect(await csv()).toMatchObject({ status: 429, body: { code: 'EXPORT_UNDER_WAY' }, headers: { 'retry-after': '10' } });
  service.release();
  expect((await first).status).toBe(200);
  expect((await csv()).status).toBe(200);
});

it('Files for the tables of large stored answers are not made for readers who left while they waited', async () => {
  const service = gated();
  await open(service.change);
  await server.settled();
  service.hold();
  const first = csv();
  await service.asked;
  const origin = await server.listen();
  const clients = await Promise.all(Array.from({ length: 20 }, () => askFromSocket(origin)));
  for (const client of clients) client.cut();
  await eventually(async () => expect(await connectionsOf(server.app.server)).toBe(0));
  service.release();
  expect((await first).status).toBe(200);
  expect((await csv()).status).toBe(200);
  expect(service.tables()).toBe(2);
});

it('Files for the tables of large stored answers are removed if they cannot be written completely', async () => {
  await open((service) => ({
    ...service,
    async writeTable({ file: { path } }) {
      await writeFile(path, 'half a table');
      throw new Error('the analysis process ended');
    },
  }));
  expect((await csv()).status).toBe(500);
  expect(await tables()).toEqual([]);
});

it('Files for the tables of large stored answers are removed at the next start if a killed server left them', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-tables-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await mkdir(join(dataDir, 'exports'));
  await writeFile(join(dataDir, 'exports', 'left'), 'half a table');
  server = await createTestServer({ dataDir });
  expect(await tables()).toEqual([]);
});

it('Files for the tables of large stored answers are not written if they would use the required free disk space', async () => {
  const minFreeBytes: number[] = [];
  await open((service) => ({
    ...service,
    writeTable(request) {
      minFreeBytes.push(request.file.minFreeBytes);
      return service.writeTable({ ...request, file: { ...request.file, minFreeBytes: Number.MAX_SAFE_INTEGER } });
    },
  }));
  const refused = { status: 507, body: { code: 'STORAGE_FULL' }, headers: { 'retry-after': '600' } };
  expect(await csv()).toMatchObject(refused);
  await storeLargeAnswer();
  expect(await csv()).toMatchObject(refused);
  expect(await tables()).toEqual([]);
  // The configured value.
  expect(minFreeBytes).toEqual([536_870_912, 536_870_912]);
});
