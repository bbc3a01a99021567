import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@tus/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openS3Storage } from '../../storage/s3-storage.ts';
import { isS3Installed, S3_CREDENTIALS, startS3, type TestS3 } from '../../testing/start-s3.ts';
import { openPieceBucket } from './piece-bucket.ts';
import type { Pieces } from './piece-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-piece-bucket-'));
const credentials = S3_CREDENTIALS;
const { signal } = new AbortController();
/** Long enough for a later part to be stored meanwhile. */
const BREAKS_AFTER_MS = 300;
const MIB = 1024 * 1024;
const sound = randomBytes(20 * MIB);
const sha256 = createHash('sha256').update(sound).digest('hex');

/** The connection to the storage, which a test can break. */
class Line {
  #passes: (nth: number) => boolean = () => true;
  #requests = 0;
  readonly #server: Server;

  constructor(endpoint: string) {
    const { hostname, port } = new URL(endpoint);
    this.#server = createServer((incoming, outgoing) => {
      this.#requests += 1;
      // biome-ignore lint/plugin: sleeps; to become a gate
      if (!this.#passes(this.#requests - 1)) return void setTimeout(() => incoming.socket.destroy(), BREAKS_AFTER_MS);
      const { method, url, headers } = incoming;
      const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Applies from the next request on, which has number 0. */
  limit(passes: (nth: number) => boolean): void {
    this.#requests = 0;
    this.#passes = passes;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe('A resumable upload in a bucket', () => {
  let s3: TestS3 | null = null;
  beforeAll(async () => {
    if (isS3Installed()) s3 = await startS3();
  }, 60_000);
  afterAll(async () => {
    await s3?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the pieces as a machine finds them at startup. */
  async function openMachine(endpoint: string, opened: AsyncDisposableStack): Promise<Pieces> {
    const storage = await openS3Storage({
      ...{ endpoint, region: 'us-east-1', address: { bucket: 'chiffchaff', prefix: 'p' }, credentials },
      ...{ scratchFolder: join(folder, randomBytes(4).toString('hex')), patienceMs: 1000 },
    });
    opened.defer(() => storage.close());
    if (storage.bucket === null) throw new Error('no bucket');
    return openPieceBucket(storage, storage.bucket, { lifetimeMs: 86_400_000, store: null as never });
  }

  it.for([
    { what: 'the machine is killed before', passes: (nth: number, cut: number) => nth < cut },
    { what: 'the line breaks at', passes: (nth: number, cut: number) => nth !== cut },
  ])('loses nothing that was acknowledged, whichever request $what', { timeout: 120_000 }, async ({ passes }, { skip }) => {
    if (s3 === null) return skip('juicefs is not installed');
    const seen: number[] = [];
    for (let cut = 0; ; cut += 1) {
      await using opened = new AsyncDisposableStack();
      const line = new Line(s3.endpoint);
      opened.defer(() => line.close());
      const id = randomBytes(8).toString('hex');
      const killed = (await openMachine(await line.open(), opened)).datastore;
      await killed.create(new Upload({ id, offset: 0, size: sound.length, metadata: {} }));
      const offset = await killed.write(Readable.from([sound.subarray(0, 3 * MIB)]), id, 0);
      expect(offset).toBe(3 * MIB);

      line.limit((nth) => passes(nth, cut));
      const whole = await killed.write(Readable.from([sound.subarray(offset)]), id, offset).then(
        () => true,
        () => false,
      );
      if (whole) break;

      const pieces = await openMachine(s3.endpoint, opened);
      const kept = (await pieces.bytesOf(id)) ?? 0;
      seen.push(kept / MIB);
      expect(kept).toBeGreaterThanOrEqual(offset);
      if (kept < sound.length) await pieces.datastore.write(Readable.from([sound.subarray(kept)]), id, kept);
      expect(await pieces.hashOf(id, signal)).toBe(sha256);
    }
    expect(new Set(seen)).toEqual(new Set([3, 8, 16, 20]));
  });
});
