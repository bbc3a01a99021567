import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrivalPace } from './arrival-pace.ts';
import { receiveUpload } from './receive-upload.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-upload-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('The receiver of uploads (`receiveUpload`) reads a whole recording even if the first bytes of its form arrive alone', async () => {
  const limits = { maxBytes: 1e9, pace: { ...arrivalPace, minBytes: 1 } };
  const received = Promise.withResolvers<number>();
  const server = createServer((incoming, response) => {
    const handOver = () => Promise.reject(new Error('nothing has arrived before'));
    const { signal } = new AbortController();
    receiveUpload(incoming, { path: join(folder, 'upload'), limits, signal, handOver }).then(
      ({ bytes }) => received.resolve(bytes),
      received.reject,
    );
    // The rest is sent after the first bytes were read, so that they arrive in two pieces.
    incoming.once('data', () => response.writeContinue());
    received.promise.then(
      () => response.end(),
      () => response.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server is a string only for a pipe.
  const { port } = server.address() as AddressInfo;
  const first = Buffer.from('--b\r\n');
  const head = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  const rest = Buffer.concat([Buffer.from(head), Buffer.alloc(300_000), Buffer.from('\r\n--b--\r\n')]);
  // With a stated length there are no chunk headers in between, and the first full buffer is as long as possible.
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': first.length + rest.length };
  const outgoing = request({ port, method: 'POST', headers });
  outgoing.on('error', () => undefined);
  outgoing.write(first);
  await once(outgoing, 'continue');
  outgoing.end(rest);
  try {
    expect(await received.promise).toBe(300_000);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
