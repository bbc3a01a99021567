import { inflateSync } from 'node:zlib';
import { createdLinkSchema, OVERVIEW_BANDS } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { fakeOverview, fakeRecording } from '../../testing/fake-analyzer.ts';
import { field, file, type Part } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let walker: SignedInUser;

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' }, limits: { restorableMs: 0 } });
  server.analyzer.answerWith({ recording: fakeRecording(90) });
  walker = await signUp(server, 'walker@example.org');
});
afterEach(() => server.close());

const predict = async (...fields: Part[]): Promise<string> => (await walker.predict([...fields, file('ninety seconds')])).body.id;
const overviewOf = (id: string, { headers }: Pick<SignedInUser, 'headers'> = walker) =>
  server.app.inject({ url: `/v1/predictions/${id}/overview`, headers });

describe('The overview of a recording', () => {
  it('is made during the analysis, even if only excerpts are kept, and is sent to its owner', async () => {
    const answer = await overviewOf(await predict(field('keepAudio', 'moments')));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'cache-control': 'private, no-store' });
    expect(answer.rawPayload).toEqual(Buffer.from(fakeOverview(90)));
  });

  it('does not exist for a recording of less than a minute', async () => {
    server.analyzer.answerWith({ recording: fakeRecording(59.9) });
    expect(await overviewOf(await predict())).toMatchObject({ statusCode: 200, body: '' });
  });

  it('is not stored if nothing of the audio is to be kept, by the request or else by the account', async () => {
    await walker.send('POST', '/v1/account/settings', { keepAudio: 'nothing' });
    const ids = [await predict(), await predict(field('keepAudio', 'nothing')), await predict(field('keepAudio', 'recording'))];
    const rows = await server.database.query.selectFrom('predictions').select(['id', 'overview']).execute();
    const lengths = ids.map((id) => rows.find((row) => row.id === id)?.overview?.length ?? null);
    expect(lengths).toEqual([null, null, 90 * OVERVIEW_BANDS]);
    for (const [index, length] of [0, 0, 90 * OVERVIEW_BANDS].entries()) {
      expect((await overviewOf(ids[index] ?? '')).rawPayload.length).toBe(length);
    }
  });

  it('is deleted with its prediction', async () => {
    const id = await predict();
    await walker.send('DELETE', `/v1/predictions/${id}`);
    expect((await overviewOf(id)).statusCode).toBe(404);
    await server.predictions.sweep();
    expect(await server.database.query.selectFrom('predictions').select('overview').execute()).toEqual([]);
  });

  it('is sent neither to another account nor to visitors of a public link', async () => {
    const id = await predict(field('keepAudio', 'recording'));
    const other = await signUp(server, 'other@example.org');
    const link = await walker.send('POST', `/v1/predictions/${id}/links`, { sound: false });
    const { token } = createdLinkSchema.parse(link.body);
    expect((await server.app.inject({ url: `/v1/shared/${token}` })).statusCode).toBe(200);
    expect((await overviewOf(id)).statusCode).toBe(200);
    expect((await overviewOf(id, other)).statusCode).toBe(404);
    expect((await server.app.inject({ url: `/v1/predictions/${token}/overview` })).statusCode).toBe(401);
    expect((await server.app.inject({ url: `/v1/shared/${token}/overview` })).statusCode).toBe(404);
  });

  it('is an image in the export of all predictions, darker where louder, with low frequencies at the bottom', async () => {
    await predict();
    const archive = await server.app.inject({ url: '/v1/predictions/export', headers: walker.headers });
    const zip = await fromBufferPromise(archive.rawPayload);
    let png = Buffer.alloc(0);
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/overview.png')) continue;
      png = Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray());
    }
    expect(png.toString('latin1', 0, 16)).toBe('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([90, OVERVIEW_BANDS]);
    const image = inflateSync(png.subarray(png.indexOf('IDAT') + 4));
    const at = (column: number, band: number): number => image[(OVERVIEW_BANDS - 1 - band) * 91 + 1 + column] ?? -1;
    const levels = fakeOverview(90);
    for (const [column, band] of [
      [0, 0],
      [0, 63],
      [89, 5],
    ] as const)
      expect(at(column, band)).toBe(255 - (levels[column * OVERVIEW_BANDS + band] ?? 0));
  });
});
