import { crc32 } from 'node:zlib';
import { predictionSchema, ticketSchema } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;
let other: SignedInUser;

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  walker = await signUp(server, 'walker@example.org');
  other = await signUp(server, 'other@example.org');
});
afterEach(() => server.close());

/** The files of an archive by path, after verifying their checksums. */
async function unzip(archive: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(archive);
  const found: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const pieces = await (await zip.openReadStreamPromise(entry)).toArray();
    const content = Buffer.concat(pieces);
    expect(crc32(content), entry.fileName).toBe(entry.crc32);
    found[entry.fileName] = content.toString();
  }
  return found;
}
const read = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });

describe('The export of all predictions of an account', () => {
  it('is a ZIP with one table of all predictions, and JSON and tables of each, and nothing of other accounts', async () => {
    const detections = [
      {
        ...{ scientificName: 'Parus major', commonName: 'Great Tit', startSeconds: 1, endSeconds: 4 },
        ...{ score: 0.8, confidence: 0.9, occurrence: null, hidden: false },
      },
    ];
    server.analyzer.answerWith({ detections });
    const first = await walker.predict([file('one', 'morning.wav')]);
    await walker.predict([file('two', 'morning.wav')]);
    await walker.predict([file('three', '../../evening.wav')]);
    await other.predict([file('four', 'theirs.wav')]);
    const answer = await read('/v1/predictions/export', walker.headers);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(/^attachment; filename="chiffchaff-\d{4}-\d\d-\d\d\.zip"$/),
      'cache-control': 'private, no-store',
    });
    const files = await unzip(answer.rawPayload);
    const folders = [...new Set(Object.keys(files).map((path) => path.split('/').slice(0, -1).join('/')))];
    const time = String(first.body.createdAt).slice(0, 16).replace('T', ' ').replace(':', '');
    expect(folders.map((folder) => folder.replace(/(?<=^.{15})\d\d/, ''))).toEqual([
      '',
      `${time} morning`,
      expect.stringMatching(/ morning( \(2\))?$/),
      expect.stringMatching(/^\S+ \d{4} \S*evening$/),
    ]);
    const [, folder = ''] = folders;
    expect(files['detections.csv']?.trim().split('\n')).toHaveLength(4);
    expect(predictionSchema.parse(JSON.parse(files[`${folder}/prediction.json`] ?? ''))).toEqual(
      predictionSchema.parse(first.body),
    );
    expect(files[`${folder}/detections.csv`]).toContain(
      'Parus major,Great Tit,0.8000,0.9000,,FALSE,morning.wav,,,,,0.25,0,1.5,fake,,,\n',
    );
    expect(files[`${folder}/selections.txt`]).toMatch(/^Selection\t/);
    expect(files[`${folder}/labels.txt`]).toMatch(/^1(\.0+)?\t4(\.0+)?\t/);
    expect(Object.values(files).join()).not.toContain('theirs.wav');
  });

  it('has hidden birds in its tables only if requested, and marks them in its JSON', async () => {
    const hidden = { startSeconds: 1, endSeconds: 4, occurrence: 0, hidden: true };
    server.analyzer.answerWith({
      detections: [{ scientificName: 'Cardinalis cardinalis', commonName: 'Cardinal', score: 0.94, confidence: 0, ...hidden }],
    });
    await walker.predict([file('one', '=1.wav')]);
    const found = async (query: string) => {
      const files = await unzip((await read(`/v1/predictions/export${query}`, walker.headers)).rawPayload);
      const named = Object.entries(files).filter(([, text]) => text.includes('Cardinal'));
      return named.map(([path, text]) => [path.replace(/^.*\//, ''), text] as const);
    };
    expect(await found('')).toEqual([['prediction.json', expect.stringContaining('"hidden": true')]]);
    expect((await found('?showHidden=true')).map(([name]) => name).toSorted()).toEqual([
      ...['detections.csv', 'detections.csv', 'labels.txt', 'prediction.json', 'selections.txt'],
    ]);
    const tables = (await found('?showHidden=true&excelSafe=true')).filter(([name]) => name.endsWith('.csv'));
    expect(tables).toHaveLength(2);
    for (const [, text] of tables) {
      expect(text).toContain(",TRUE,'=1.wav,");
      // By the mark at its start, and only there, Excel knows UTF-8.
      expect(text.split('\ufeff')).toEqual(['', expect.stringMatching(/^Start/)]);
    }
  });

  it('contains an empty table if there are no predictions', async () => {
    const files = await unzip((await read('/v1/predictions/export', walker.headers)).rawPayload);
    expect(Object.keys(files)).toEqual(['detections.csv']);
  });

  it('runs once at a time for each account, and not beside the export of the account itself', async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const slow = await createTestServer({
      environment: { OPEN_PREDICTION: 'false' },
      changeService: (service) => ({
        ...service,
        async answerHead(stored) {
          if (isHeld) {
            asked.resolve();
            await gate.promise;
          }
          return service.answerHead(stored);
        },
      }),
    });
    onTestFinished(() => slow.close());
    const [one, two] = [await signUp(slow, 'one@example.org'), await signUp(slow, 'two@example.org')];
    await one.predict([file('one', 'morning.wav')]);
    await slow.settled();
    isHeld = true;
    const first = one.send('GET', '/v1/predictions/export');
    await asked.promise;
    const refused = { status: 429, body: { code: 'EXPORT_UNDER_WAY' }, headers: { 'retry-after': '10' } };
    expect(await one.send('GET', '/v1/predictions/export')).toMatchObject(refused);
    expect(await one.send('GET', '/v1/account/export')).toMatchObject(refused);
    expect(await one.send('POST', '/v1/predictions/ticket')).toMatchObject(refused);
    expect((await two.send('GET', '/v1/predictions/export')).status).toBe(200);
    expect((await two.send('GET', '/v1/account/export')).status).toBe(200);
    gate.resolve();
    expect((await first).status).toBe(200);
    expect((await one.send('GET', '/v1/account/export')).status).toBe(200);
  });

  it('is sent only for a ticket made for it, until the session of the account ends', async () => {
    const { body } = await walker.predict([file('one', 'morning.wav')]);
    const { url } = ticketSchema.parse((await walker.send('POST', '/v1/predictions/ticket')).body);
    expect(url).toMatch(/^\/v1\/predictions\/export\?ticket=/);
    expect(Object.keys(await unzip((await read(url)).rawPayload))).toHaveLength(5);
    const ofOne = ticketSchema.parse(
      (await walker.send('POST', `/v1/predictions/${body.id}/ticket`, { purpose: 'export' })).body,
    );
    for (const wrong of [
      '/v1/predictions/export',
      `/v1/predictions/export?${ofOne.url.split('?')[1]}`,
      `/v1/predictions/${body.id}/export?format=csv&${url.split('?')[1]}`,
    ])
      expect((await read(wrong)).statusCode, wrong).toBe(401);
    const theirs = ticketSchema.parse((await other.send('POST', '/v1/predictions/ticket')).body);
    expect(Object.keys(await unzip((await read(theirs.url)).rawPayload))).toEqual(['detections.csv']);
    await walker.send('DELETE', '/v1/account/sessions/current');
    expect((await read(url)).statusCode).toBe(401);
  });
});
