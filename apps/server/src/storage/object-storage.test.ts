import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openS3Storage } from '../machines/s3/s3-storage.ts';
import { isS3Installed, S3_CREDENTIALS, startS3, type TestS3 } from '../testing/start-s3.ts';
import { openFolderStorage } from './folder-storage.ts';
import type { ObjectStorage } from './object-storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-storage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const ownFolder = (): string => {
  made += 1;
  return join(folder, String(made));
};
const { signal } = new AbortController();

const openBucket = ({ endpoint }: Pick<TestS3, 'endpoint'>, prefix: string, patienceMs?: number): Promise<ObjectStorage> =>
  openS3Storage({
    ...{ endpoint, region: 'us-east-1', address: { bucket: 'chiffchaff', prefix }, scratchFolder: ownFolder(), patienceMs },
    credentials: S3_CREDENTIALS,
  });

async function put(storage: ObjectStorage, name: string, bytes: string | Buffer): Promise<void> {
  const path = await storage.draftPathFor();
  writeFileSync(path, bytes);
  await storage.put(name, path);
  expect(existsSync(path)).toBe(false);
}
async function textOf(storage: ObjectStorage, name: string, firstByte?: number, lastByte = 0): Promise<string | null> {
  const stream = await storage.read(name, firstByte === undefined ? null : { firstByte, lastByte }, signal);
  return stream && (await buffer(stream)).toString();
}
async function namesIn(storage: ObjectStorage, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.list(prefix)) names.push(name);
  return names.sort();
}

describe.each(['folder', 'bucket'] as const)('Objects stored in a %s', (kind) => {
  let server: TestS3 | null = null;
  let storage: ObjectStorage;
  beforeAll(async () => {
    if (kind === 'bucket' && isS3Installed()) server = await startS3();
  });
  afterAll(() => server?.stop());
  beforeEach(async ({ skip }) => {
    if (kind === 'folder') storage = openFolderStorage(ownFolder());
    else if (server === null) skip('juicefs is not installed');
    else storage = await openBucket(server, `run-${made}`);
    return () => storage.close();
  });

  it('are read as they were stored, whole, in parts, and as a file', async () => {
    await put(storage, 'audio/one/moments', 'a chiffchaff');
    expect(await textOf(storage, 'audio/one/moments')).toBe('a chiffchaff');
    expect(await textOf(storage, 'audio/one/moments', 2, 6)).toBe('chiff');
    expect(await textOf(storage, 'audio/one/moments', 11, 11)).toBe('f');
    expect(await storage.bytesOf('audio/one/moments')).toBe(12);
    await using file = await storage.open('audio/one/moments', signal);
    expect(file && readFileSync(file.path, 'utf8')).toBe('a chiffchaff');
  });

  it('can be empty, or large', async () => {
    await put(storage, 'empty', '');
    expect(await storage.bytesOf('empty')).toBe(0);
    expect(await textOf(storage, 'empty')).toBe('');
    const bytes = randomBytes(20_000_000);
    const hashOf = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
    await put(storage, 'large', bytes);
    expect(await storage.bytesOf('large')).toBe(bytes.length);
    const stream = await storage.read('large', null, signal);
    expect(stream && hashOf(await buffer(stream))).toBe(hashOf(bytes));
  });

  it('that do not exist are read as null', async () => {
    expect(await storage.bytesOf('uploads/none')).toBeNull();
    expect(await storage.read('uploads/none', null, signal)).toBeNull();
    expect(await storage.open('uploads/none', signal)).toBeNull();
    expect(await storage.move('uploads/none', 'uploads/other')).toBe(false);
    expect(await namesIn(storage, 'uploads/')).toEqual([]);
    await storage.remove(['uploads/none']);
  });

  it('are replaced by what is stored later', async () => {
    await put(storage, 'a', 'first');
    await (await storage.open('a', signal))?.[Symbol.asyncDispose]();
    await put(storage, 'a', 'second');
    expect(await textOf(storage, 'a')).toBe('second');
    await using file = await storage.open('a', signal);
    expect(file && readFileSync(file.path, 'utf8')).toBe('second');
  });

  it('are moved and removed', async () => {
    await put(storage, 'uploads/one', 'a recording');
    await put(storage, 'uploads/two', 'another');
    expect(await storage.move('uploads/one', 'audio/one/original')).toBe(true);
    expect(await namesIn(storage, '')).toEqual(['audio/one/original', 'uploads/two']);
    expect(await textOf(storage, 'audio/one/original')).toBe('a recording');
    await storage.remove(['uploads/two', 'audio/one/original', 'none']);
    expect(await namesIn(storage, '')).toEqual([]);
    expect(await storage.open('audio/one/original', signal)).toBeNull();
  });

  it('are listed by the beginning of their names, with size and age', async () => {
    const beforeMs = Date.now() - 2_000;
    for (const name of ['uploads/1', 'uploads/1.checkpoint/1', 'uploads/2', 'audio/1/moments', 'uploads-of-another/1']) {
      await put(storage, name, name);
    }
    expect(await namesIn(storage, 'uploads/')).toEqual(['uploads/1', 'uploads/1.checkpoint/1', 'uploads/2']);
    expect(await namesIn(storage, 'uploads/1')).toEqual(['uploads/1', 'uploads/1.checkpoint/1']);
    for await (const { bytes, changedAtMs } of storage.list('audio/')) {
      expect(bytes).toBe('audio/1/moments'.length);
      expect(changedAtMs).toBeGreaterThan(beforeMs);
      expect(changedAtMs).toBeLessThan(Date.now() + 2_000);
    }
  });

  it('do not exist before they are stored completely', async () => {
    const path = await storage.draftPathFor();
    writeFileSync(path, 'half a rec');
    expect(await namesIn(storage, '')).toEqual([]);
    expect(await storage.bytesOf('uploads/one')).toBeNull();
  });

  it('do not exist if the file to be stored cannot be read', async () => {
    await expect(storage.put('uploads/one', join(folder, 'no such file'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await storage.bytesOf('uploads/one')).toBeNull();
  });

  it('are not opened or read for a reader who has gone', async () => {
    await put(storage, 'a', 'a');
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(storage.open('a', gone)).rejects.toThrow('gone');
    await expect(storage.read('a', null, gone)).rejects.toThrow('gone');
  });
});

describe('An S3 bucket', () => {
  let server: TestS3;
  beforeAll(async () => {
    if (isS3Installed()) server = await startS3();
  });
  afterAll(() => server?.stop());
  beforeEach(({ skip }) => {
    if (!isS3Installed()) skip('juicefs is not installed');
  });

  it('is used only below the prefix that is configured for it', async () => {
    const all = await openBucket(server, '');
    const own = await openBucket(server, 'of/one');
    const other = await openBucket(server, 'of/one-more');
    await put(own, 'uploads/1', 'own');
    await put(other, 'uploads/1', 'other');
    expect(await textOf(own, 'uploads/1')).toBe('own');
    expect(await namesIn(own, '')).toEqual(['uploads/1']);
    expect(await namesIn(all, 'of/')).toEqual(['of/one-more/uploads/1', 'of/one/uploads/1']);
  });

  it('is asked once for an object that is opened again, also by several readers at once', async () => {
    const writer = await openBucket(server, 'once');
    await put(writer, 'a', 'as it was');
    const reader = await openBucket(server, 'once');
    const files = await Promise.all([reader.open('a', signal), reader.open('a', signal)]);
    await put(writer, 'a', 'changed by another machine');
    files.push(await reader.open('a', signal));
    expect(files.map((file) => file && readFileSync(file.path, 'utf8'))).toEqual(['as it was', 'as it was', 'as it was']);
    expect(new Set(files.map((file) => file?.path)).size).toBe(1);
  });

  it('keeps copies on this machine of objects up to a total size, not counting objects that are being read', async () => {
    const scratchFolder = ownFolder();
    const storage = await openS3Storage({
      ...{ endpoint: server.endpoint, region: 'us-east-1', address: { bucket: 'chiffchaff', prefix: 'few' }, scratchFolder },
      ...{ credentials: S3_CREDENTIALS, localBytes: 1_000 },
    });
    for (const name of ['a', 'b', 'c']) await put(storage, name, name.repeat(400));
    const held = await storage.open('a', signal);
    for (const name of ['b', 'c']) await (await storage.open(name, signal))?.[Symbol.asyncDispose]();
    const copies = (): string[] => readdirSync(join(scratchFolder, 'copies'));
    const bytes = (): number => copies().reduce((sum, name) => sum + statSync(join(scratchFolder, 'copies', name)).size, 0);
    expect(bytes()).toBe(800);
    expect(held && readFileSync(held.path, 'utf8')).toBe('a'.repeat(400));
    await storage.remove(['a']);
    expect(held && readFileSync(held.path, 'utf8')).toBe('a'.repeat(400));
    await held?.[Symbol.asyncDispose]();
    await storage.remove(['b', 'c']);
    expect(copies()).toEqual([]);
  });

  it('keeps no copy on this machine of an object that was not read for a while', async () => {
    const scratchFolder = ownFolder();
    const storage = await openS3Storage({
      ...{ endpoint: server.endpoint, region: 'us-east-1', address: { bucket: 'chiffchaff', prefix: 'idle' }, scratchFolder },
      ...{ credentials: S3_CREDENTIALS, localIdleMs: 50 },
    });
    await put(storage, 'a', 'a');
    await (await storage.open('a', signal))?.[Symbol.asyncDispose]();
    await expect.poll(() => readdirSync(join(scratchFolder, 'copies'))).toEqual([]);
    await using again = await storage.open('a', signal);
    expect(again && readFileSync(again.path, 'utf8')).toBe('a');
    storage.close();
  });

  it('that is missing or forbidden is reported with the code REFUSED', async () => {
    const storage = await openS3Storage({
      ...{ endpoint: server.endpoint, region: 'us-east-1', address: { bucket: 'another', prefix: '' } },
      ...{ credentials: S3_CREDENTIALS, scratchFolder: ownFolder() },
    });
    const refused = { name: 'StorageError', code: 'REFUSED' };
    await expect(put(storage, 'a', 'a')).rejects.toMatchObject(refused);
    await expect(storage.read('a', null, signal)).rejects.toMatchObject(refused);
    await expect(namesIn(storage, '')).rejects.toMatchObject(refused);
  });
});

describe('An object storage that fails', () => {
  const everything = (storage: ObjectStorage): readonly (() => Promise<unknown>)[] => [
    () => put(storage, 'a', 'a'.repeat(100_000)),
    () => storage.read('a', null, signal),
    () => storage.open('a', signal),
    () => storage.bytesOf('a'),
    () => storage.move('a', 'b'),
    () => storage.remove(['a']),
    () => namesIn(storage, ''),
  ];
  let server: Server | null = null;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = null;
  });
  async function listen(answer: RequestListener): Promise<string> {
    const listening = createServer(answer);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  }

  it('counts as unreachable at once if no server is there', async () => {
    const storage = await openBucket({ endpoint: 'http://127.0.0.1:1' }, '');
    for (const use of everything(storage)) await expect(use()).rejects.toMatchObject({ name: 'StorageError', code: 'AWAY' });
  });

  it('counts as unreachable after a while if it accepts a request and stays silent', async () => {
    const endpoint = await listen((request) => void request.resume());
    const storage = await openBucket({ endpoint }, '', 200);
    for (const use of everything(storage)) await expect(use()).rejects.toMatchObject({ name: 'StorageError', code: 'AWAY' });
  });

  it('counts as unreachable if it stops in the middle of an object', async () => {
    const endpoint = await listen(
      (_request, response) => void response.writeHead(200, { 'content-length': '1000' }).write('half'),
    );
    const storage = await openBucket({ endpoint }, '', 200);
    await expect(storage.open('a', signal)).rejects.toMatchObject({ name: 'StorageError', code: 'AWAY' });
  });

  it('counts as full if it answers 507', async () => {
    const endpoint = await listen((request, response) => {
      request.resume();
      response.writeHead(507, { 'content-type': 'application/xml' });
      response.end('<Error><Code>XMinioStorageFull</Code><Message>full</Message></Error>');
    });
    const storage = await openBucket({ endpoint }, '');
    await expect(put(storage, 'a', 'a')).rejects.toMatchObject({ name: 'StorageError', code: 'FULL' });
  });
});
