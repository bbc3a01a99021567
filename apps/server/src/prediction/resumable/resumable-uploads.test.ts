import { createHash } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { field, file } from '../../testing/multipart.ts';
import { openRawClient } from '../../testing/raw-client.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';
import { arrivalPace } from '../incoming/arrival-pace.ts';
import { createDiskGuard } from '../incoming/disk-guard.ts';
import { createResumableUploads } from './resumable-uploads.ts';

let server: TestServer;
let ann: SignedInUser;
const tus = { 'tus-resumable': '1.0.0' };
const sound = Buffer.from('the song of a chiffchaff, again and again '.repeat(2000));

async function start(options: TestServerOptions = {}): Promise<void> {
  server = await createTestServer({ ...options, environment: { OPEN_PREDICTION: 'false', ...options.environment } });
  ann = await signUp(server, 'ann@example.org');
}
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const ask = (method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE', url: string, headers: Record<string, string>, payload?: Buffer) =>
  server.app.inject({ method, url, headers: { ...tus, ...headers }, ...(payload ? { payload } : {}) });

async function create(who = ann, bytes = sound.length, name = 'dawn chorus.wav'): Promise<string> {
  const metadata = { 'upload-metadata': `filename ${Buffer.from(name).toString('base64')}` };
  const answer = await ask('POST', '/v1/uploads', { ...who.headers, ...metadata, 'upload-length': String(bytes) });
  expect(answer.statusCode, answer.body).toBe(201);
  return String(answer.headers.location);
}

const append = (url: string, offset: number, bytes: Buffer, who = ann) =>
  ask(
    'PATCH',
    url,
    { ...who.headers, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    bytes,
  );

async function sendWhole(who = ann): Promise<string> {
  const url = await create(who);
  expect((await append(url, 0, sound, who)).statusCode).toBe(204);
  return url.split('/').at(-1) ?? '';
}

/** Names of what the storage has of all uploads. */
async function stored(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of server.storage.list('resumable-uploads/')) names.push(name);
  return names;
}
const known = () => server.database.query.selectFrom('resumableUploads').selectAll().execute();

describe('A resumable upload', () => {
  it('continues where it stopped, and is analysed like a recording sent at once', async () => {
    await start();
    const url = await create();
    expect(url).toMatch(/^\/v1\/uploads\/[0-9a-f-]{36}$/);
    expect((await append(url, 0, sound.subarray(0, 30_000))).headers['upload-offset']).toBe('30000');
    const state = await ask('HEAD', url, ann.headers);
    expect(state.headers).toMatchObject({ 'upload-offset': '30000', 'upload-length': String(sound.length) });
    expect(new Date(String((await append(url, 30_000, sound.subarray(30_000, 40_000))).headers['upload-expires']))).not.toBeNaN();
    expect((await append(url, 30_000, sound.subarray(30_000))).statusCode).toBe(409);
    expect((await append(url, 40_000, sound.subarray(40_000))).statusCode).toBe(204);
    const id = url.split('/').at(-1) ?? '';
    const answer = await ann.predict([field('latitude', '50'), field('longitude', '12'), field('upload', id)]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const sha256 = createHash('sha256').update(sound).digest('hex');
    expect(answer.body.recording).toMatchObject({ sha256, fileName: 'dawn chorus.wav' });
    expect(server.analyzer.requests[0]).toMatchObject({ latitude: 50, content: sound.toString('latin1', 0, 1000) });
    expect(await stored()).toEqual([]);
    expect((await ask('HEAD', url, ann.headers)).statusCode).toBe(404);
    expect((await ann.predict([field('upload', id)])).body.code).toBe('UPLOAD_NOT_FOUND');
  });

  it('is stored in a file that no other user can read', async ({ skip }) => {
    await start();
    if (server.storage.isShared) skip('about a folder of one machine');
    await append(await create(), 0, sound.subarray(0, 10));
    const [name = ''] = await stored();
    expect((await stat(join(server.dataDir, name))).mode & 0o777).toBe(0o600);
    expect((await stat(join(server.dataDir, 'resumable-uploads'))).mode & 0o777).toBe(0o700);
  });

  it('is reported in the log if it cannot be stored', async ({ skip }) => {
    await start();
    if (server.storage.isShared) skip('about a folder of one machine');
    await writeFile(join(server.dataDir, 'resumable-uploads'), 'a file instead of the folder');
    expect((await append(await create(), 0, sound)).statusCode).toBe(500);
    expect(server.logged).toContainEqual(expect.objectContaining({ level: 50, err: expect.anything() }));
  });

  it('is answered 503 while the storage cannot be reached, and continues afterwards', async () => {
    await start();
    const url = await create();
    vi.spyOn(server.storage, 'put').mockRejectedValueOnce(new StorageError('AWAY', 'The storage cannot be reached.'));
    expect((await append(url, 0, sound)).statusCode).toBe(503);
    expect((await ask('HEAD', url, ann.headers)).headers['upload-offset']).toBe('0');
    expect((await append(url, 0, sound)).statusCode).toBe(204);
  });

  it('gives the same prediction for the same idempotency key, also once the uploaded file is gone', async () => {
    await start();
    const id = await sendWhole();
    const first = await ann.predict([field('upload', id)], 'a-key');
    const again = await ann.predict([field('upload', id)], 'a-key');
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(server.analyzer.requests).toHaveLength(1);
    expect((await ann.predict([field('upload', id), field('top', '3')], 'a-key')).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await ann.predict([field('upload', id)], 'another-key')).body.code).toBe('UPLOAD_NOT_FOUND');
  });

  it('gives one prediction when simultaneous requests with different idempotency keys name it', async () => {
    await start();
    const id = await sendWhole();
    const keys = ['one', 'two', 'three'];
    const { handOver } = server.resumable;
    const handedOver: unknown[] = [];
    const all = Promise.withResolvers<void>();
    vi.spyOn(server.resumable, 'handOver').mockImplementation(async (...which) => {
      const recording = await handOver(...which);
      handedOver.push(recording);
      if (handedOver.length === keys.length) all.resolve();
      // No request is accepted before each has the recording.
      await all.promise;
      return recording;
    });
    const answers = await Promise.all(keys.map((key) => ann.predict([field('upload', id)], key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(answers.flatMap(({ body }) => body.code ?? [])).toEqual(['UPLOAD_NOT_FOUND', 'UPLOAD_NOT_FOUND']);
    expect(server.analyzer.requests).toHaveLength(1);
    // The rest is removed just after the answer.
    await eventually(async () => expect(await server.uploadedFiles()).toEqual([]));
    expect(await stored()).toEqual([]);
  });

  it('stays stored when the request for its prediction is refused', async () => {
    await start();
    const id = await sendWhole();
    expect((await ann.predict([field('upload', id), field('top', 'many')])).status).toBe(400);
    expect((await ann.predict([field('upload', id), file('x')])).body.errors).toMatchObject([{ field: 'upload' }]);
    expect((await ann.predict([field('upload', id)])).status).toBe(200);
  });

  it('is refused with STORAGE_FULL where the disk has no room for it, and stays stored', async () => {
    await start();
    const id = await sendWhole();
    const { database, storage, dataDir } = server;
    const diskGuard = createDiskGuard(dataDir, 0, async () => sound.length - 1);
    const full = createResumableUploads({ database, storage, diskGuard });
    const path = await storage.draftPathFor();
    await expect(full.handOver(ann.accountId, id, path, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      code: 'STORAGE_FULL',
    });
    expect((await ann.predict([field('upload', id)])).status).toBe(200);
  });

  it('can be continued and cancelled by POST with the method in a header', async () => {
    await start();
    const url = await create();
    const post = (method: string, payload?: Buffer) =>
      ask(
        'POST',
        url,
        {
          ...ann.headers,
          ...{ 'x-http-method-override': method, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
        },
        payload,
      );
    expect((await post('PATCH', sound.subarray(0, 10))).headers['upload-offset']).toBe('10');
    expect((await post('GET')).json().code).toBe('METHOD_NOT_ALLOWED');
    expect((await post('DELETE')).statusCode).toBe(204);
    expect(await known()).toEqual([]);
  });

  it('is described to clients by OPTIONS, with the version of tus and the largest size', async () => {
    await start({ environment: { MAX_UPLOAD_BYTES: '1000' } });
    const { statusCode, headers } = await server.app.inject({ method: 'OPTIONS', url: '/v1/uploads' });
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination',
      'tus-max-size': '1000',
    });
  });

  it('gives no prediction, but status 409, before it has fully arrived', async () => {
    await start();
    const url = await create();
    await append(url, 0, sound.subarray(0, 10));
    const { status, body } = await ann.predict([field('upload', url.split('/').at(-1) ?? '')]);
    expect([status, body.code]).toEqual([409, 'UPLOAD_UNFINISHED']);
    expect(await server.uploadedFiles()).toEqual([]);
  });

  it('gives no prediction, but status 503, when the storage returns fewer bytes than have arrived', async () => {
    await start();
    const id = await sendWhole();
    const { read } = server.storage;
    vi.spyOn(server.storage, 'read').mockImplementation(async (name, _, signal) =>
      read(name, { firstByte: 0, lastByte: 0 }, signal),
    );
    const { status, body } = await ann.predict([field('upload', id)]);
    expect([status, body.code]).toEqual([503, 'SERVER_BUSY']);
  });

  it('is answered 404 for another account, and 401 without a session', async () => {
    await start();
    const bob = await signUp(server, 'bob@example.org');
    const id = await sendWhole();
    const url = `/v1/uploads/${id}`;
    for (const method of ['HEAD', 'PATCH', 'DELETE'] as const) {
      expect((await ask(method, url, bob.headers)).statusCode).toBe(404);
      expect((await ask(method, url, {})).statusCode).toBe(401);
    }
    expect((await ask('POST', '/v1/uploads', { 'upload-length': '5' })).statusCode).toBe(401);
    expect((await bob.predict([field('upload', id)])).body.code).toBe('UPLOAD_NOT_FOUND');
    expect((await bob.predict([field('upload', '../../etc/passwd')])).body.code).toBe('UPLOAD_NOT_FOUND');
    expect((await ann.predict([field('upload', id)])).status).toBe(200);
  });

  it('is removed when it is cancelled', async () => {
    await start();
    const url = await create();
    await append(url, 0, sound.subarray(0, 10));
    expect((await ask('DELETE', url, ann.headers)).statusCode).toBe(204);
    expect(await stored()).toEqual([]);
    expect((await ask('HEAD', url, ann.headers)).statusCode).toBe(404);
  });

  it('is deleted with its account', async () => {
    await start();
    await sendWhole();
    await create();
    expect((await ann.send('DELETE', '/v1/account')).status).toBe(200);
    expect(await stored()).toEqual([]);
    expect(await known()).toEqual([]);
  });

  it('is refused before it begins if it is too large, has no length, or does not follow the tus protocol', async () => {
    await start({ environment: { MAX_UPLOAD_BYTES: '1000' } });
    const large = await ask('POST', '/v1/uploads', { ...ann.headers, 'upload-length': '1001' });
    expect([large.statusCode, large.json().code]).toEqual([413, 'RECORDING_TOO_LARGE']);
    const endless = await ask('POST', '/v1/uploads', { ...ann.headers, 'upload-defer-length': '1' });
    expect([endless.statusCode, endless.json().code]).toEqual([400, 'REQUEST_INVALID']);
    const other = await server.app.inject({
      method: 'POST',
      url: '/v1/uploads',
      headers: { ...ann.headers, 'upload-length': '5' },
    });
    expect(other.statusCode).toBe(412);
    expect(await known()).toEqual([]);
  });

  it('is refused more bytes than it announced', async () => {
    await start();
    const url = await create(ann, 100);
    expect((await append(url, 0, sound)).statusCode).toBe(413);
    expect((await ask('HEAD', url, ann.headers)).headers['upload-offset']).toBe('0');
  });

  it('is replaced by a newer upload when its account has too many', async () => {
    await start();
    const first = await create();
    for (let n = 0; n < 32; n += 1) await create();
    expect(await known()).toHaveLength(32);
    expect((await ask('HEAD', first, ann.headers)).statusCode).toBe(404);
  });
});

describe('A request that sends part of a resumable upload', () => {
  const patch = (url: string, offset: number, length: number, token = ann.token): string =>
    `PATCH ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: ${offset}\r\n` +
    `Content-Type: application/offset+octet-stream\r\nContent-Length: ${length}\r\n\r\n`;
  const offsetOf = async (url: string) => Number((await ask('HEAD', url, ann.headers)).headers['upload-offset']);

  /** Sizes of what is arriving. */
  async function arrivingSizes(): Promise<number[]> {
    const folder = join(server.dataDir, 'scratch/drafts');
    const names = await readdir(folder).catch(() => []);
    return (await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))).map((found) => found?.size ?? 0);
  }

  /** Sends 20,000 bytes of a recording, and leaves the connection open. */
  async function beginSending(token?: () => Promise<string>) {
    await start();
    const client = await openRawClient(await server.listen());
    const url = await create();
    client.write(patch(url, 0, sound.length, await token?.()));
    client.write(sound.subarray(0, 20_000));
    await eventually(async () => expect(await arrivingSizes()).toContain(20_000));
    return { client, url };
  }

  it('and breaks off leaves what has arrived', async () => {
    const { client, url } = await beginSending();
    client.cut();
    expect(await offsetOf(url)).toBe(20_000);
    expect((await append(url, 20_000, sound.subarray(20_000))).statusCode).toBe(204);
  });

  it('and hangs is ended by the next request, which continues the upload', async () => {
    const { client, url } = await beginSending();
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const begun = performance.now();
    expect(await offsetOf(url)).toBe(20_000);
    expect((await append(url, 20_000, sound.subarray(20_000))).statusCode).toBe(204);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - begun).toBeLessThan(2500);
    expect(await client.until('"SERVER_BUSY"')).toMatch(/^HTTP\/1\.1 503 /);
    client.cut();
  });

  it('is answered 404 when its account is deleted meanwhile', async () => {
    const { client } = await beginSending();
    expect((await ann.send('DELETE', '/v1/account')).status).toBe(200);
    expect(await client.until('"UPLOAD_NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /);
    client.cut();
  });

  describe('with an API token', () => {
    let made: { readonly secret: string; readonly token: { readonly id: string } };
    const makeToken = async (): Promise<string> => {
      made = (await ann.send('POST', '/v1/account/tokens', { name: 'x', scopes: ['predict'], expiresInDays: 17 })).body;
      return made.secret;
    };

    it('is ended when the token is revoked, and leaves what has arrived', async () => {
      const { client, url } = await beginSending(makeToken);
      await ann.send('DELETE', `/v1/account/tokens/${made.token.id}`);
      expect(await client.until('"UPLOAD_NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /);
      expect(await offsetOf(url)).toBe(20_000);
      client.cut();
    });

    it('is ended when the token expires', async () => {
      const timers = vi.spyOn(globalThis, 'setTimeout');
      const { client } = await beginSending(makeToken);
      const [expire] = timers.mock.calls.find(([, ms = 0]) => Math.round(ms / 86_400_000) === 17) ?? [];
      expire?.();
      expect(await client.until('"UPLOAD_NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /);
      client.cut();
    });
  });

  it('and also creates it is ended when the account is deleted', async () => {
    await start();
    const client = await openRawClient(await server.listen());
    client.write(
      patch('/v1/uploads', 0, sound.length)
        .replace('PATCH', 'POST')
        .replace('Upload-Offset: 0', `Upload-Length: ${sound.length}`),
    );
    client.write(sound.subarray(0, 20_000));
    await eventually(async () => expect(await arrivingSizes()).toContain(20_000));
    expect((await ann.send('DELETE', '/v1/account')).status).toBe(200);
    expect(await client.until('"UPLOAD_NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await stored()).toEqual([]);
    client.cut();
  });

  it('is answered 404 when a newer upload of its account replaces it', async () => {
    const { client, url } = await beginSending();
    for (let n = 0; n < 32; n += 1) await create();
    client.write(sound.subarray(20_000));
    expect(await client.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
    await client.until('"UPLOAD_NOT_FOUND"');
    expect(await stored()).toEqual([]);
    expect((await known()).map(({ id }) => id)).not.toContain(url.slice(12));
    client.cut();
  });

  it('and stops sending is answered UPLOAD_TIMEOUT', async () => {
    await start({ limits: { uploadPace: { ...arrivalPace, milliseconds: 1_500, minBytes: 1000 } } });
    const client = await openRawClient(await server.listen());
    const url = await create();
    client.write(patch(url, 0, sound.length));
    client.write(sound.subarray(0, 10));
    expect(await client.until('"UPLOAD_TIMEOUT"')).toMatch(/^HTTP\/1\.1 408 /);
    client.cut();
  });
});

describe('An abandoned resumable upload', () => {
  it('is removed after a day, and a part without a row in the database at once', async () => {
    await start();
    const letPass = (hours: number) =>
      server.database.change({}, (query) =>
        query
          .updateTable('resumableUploads')
          .set(({ eb }) => ({ createdAtMs: eb('createdAtMs', '-', hours * 3_600_000) }))
          .execute(),
      );
    const url = await create();
    await append(url, 0, sound.subarray(0, 10));
    const path = await server.storage.draftPathFor();
    await writeFile(path, 'x');
    await server.storage.put('resumable-uploads/unknown.0-1', path);
    await server.resumable.sweep();
    expect(await stored()).toEqual([`resumable-uploads/${url.slice(12)}.0-10`]);
    await letPass(23);
    await server.resumable.sweep();
    expect(await stored()).toHaveLength(1);
    await letPass(2);
    await server.resumable.sweep();
    expect(await stored()).toEqual([]);
    expect((await ask('HEAD', url, ann.headers)).statusCode).toBe(404);
  });
});

describe('Resumable uploads by pages of other origins', () => {
  it('are accepted if the origin is allowed, and its pages can read the upload offset', async () => {
    await start({ environment: { ALLOWED_ORIGINS: 'https://birds.example.org' } });
    const origin = 'https://birds.example.org';
    const preflight = await server.app.inject({
      method: 'OPTIONS',
      url: '/v1/uploads',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'upload-offset' },
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    expect(preflight.headers['access-control-allow-headers']).toMatch(/Upload-Offset/);
    expect(preflight.headers['tus-version']).toBe('1.0.0');
    const created = await ask('POST', '/v1/uploads', { ...ann.headers, origin, 'upload-length': '5' });
    expect(created.headers['access-control-allow-origin']).toBe(origin);
    expect(created.headers['access-control-expose-headers']).toMatch(/Location, Upload-Offset.*Tus-Resumable/);
    const foreign = await ask('POST', '/v1/uploads', { ...ann.headers, origin: 'https://evil.example', 'upload-length': '5' });
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
  });
});
