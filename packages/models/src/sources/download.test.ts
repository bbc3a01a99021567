import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Download, download } from './download.ts';

let folder = '';
let server: Server | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'));
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});

const content = Buffer.from('an archive '.repeat(20_000));
const target = (): string => join(folder, 'archive.zip');

/** A server on a free port that answers like this, and the file it is asked for. */
async function serve(answer: RequestListener): Promise<Download> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { url: `http://127.0.0.1:${port}/archive.zip`, bytes: content.byteLength, sha256 };
}

const code = (value: string, part = '') =>
  expect.objectContaining({ name: 'ModelError', code: value, message: expect.stringContaining(part) });

it('a file is fetched whole, and its share is told as it grows', async () => {
  const source = await serve((_request, response) => response.end(content));
  const fractions: number[] = [];
  await download(source, target(), { onFraction: (fraction) => fractions.push(fraction) });
  expect(await readFile(target())).toEqual(content);
  expect(fractions.at(-1)).toBe(1);
  expect(fractions).toEqual([...fractions].sort((first, second) => first - second));
});

it('a server that refuses is given up with its answer', async () => {
  const source = await serve((_request, response) => response.writeHead(403).end('no'));
  await expect(download(source, target())).rejects.toThrow(code('SOURCE_UNAVAILABLE', '403'));
});

it('a server that says nothing is given up', async () => {
  const source = await serve(() => undefined);
  await expect(download(source, target(), { silenceMs: 50 })).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'did not answer'));
});

it('a server that falls silent in the midst is given up', async () => {
  const source = await serve((_request, response) => response.write(content.subarray(0, 1000)));
  await expect(download(source, target(), { silenceMs: 50 })).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'did not answer'));
});

it('a slow server is not given up while it keeps sending', async () => {
  // Thirty pieces, together longer than the silence that is allowed, each far shorter.
  const source = await serve((_request, response) => {
    const size = Math.ceil(content.byteLength / 30);
    let sent = 0;
    const timer = setInterval(() => {
      response.write(content.subarray(sent, sent + size));
      sent += size;
      if (sent < content.byteLength) return;
      clearInterval(timer);
      response.end();
    }, 40);
  });
  await download(source, target(), { silenceMs: 1000 });
  expect(await readFile(target())).toEqual(content);
});

it('a server that is not there is given up', async () => {
  const source = await serve(() => undefined);
  server?.close();
  await once(server ?? process, 'close');
  await expect(download(source, target())).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'cannot be reached'));
});

it('a file that is shorter, longer or another is refused', async () => {
  const answers = [content.subarray(1), Buffer.concat([content, content]), Buffer.from(content).fill(1, 0, 1)];
  for (const answer of answers) {
    const source = await serve((_request, response) => response.end(answer));
    await expect(download(source, target())).rejects.toThrow(code('CHECKSUM_MISMATCH', 'sha256'));
    server?.close();
  }
});

it('the signal stops it as an AbortError', async () => {
  const controller = new AbortController();
  const source = await serve((_request, response) => {
    response.write(content.subarray(0, 1000));
    controller.abort();
  });
  await expect(download(source, target(), { signal: controller.signal })).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  );
});
