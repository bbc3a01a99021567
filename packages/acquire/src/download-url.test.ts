import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ObtainOptions, obtainFile } from './obtain-file.ts';

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

/** Starts a server with this handler on a free port, and returns the source of its file. */
async function serve(answer: RequestListener) {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { kind: 'url' as const, url: `http://127.0.0.1:${port}/archive.zip?download=1`, bytes: content.byteLength, sha256 };
}

const obtain = (source: Awaited<ReturnType<typeof serve>>, options: Partial<ObtainOptions> = {}) =>
  obtainFile([source], { folder, retryDelaysMs: [], ...options });
const code = (value: string, part = '') =>
  expect.objectContaining({ name: 'AcquireError', code: value, message: expect.stringContaining(part) });

it('A downloaded file is fetched whole, and the reported progress rises to 1', async () => {
  const source = await serve((_request, response) => response.end(content));
  const fractions: number[] = [];
  expect(await obtain(source, { onProgress: (_, fraction) => fraction !== null && fractions.push(fraction) })).toBe(target());
  expect(await readFile(target())).toEqual(content);
  expect(fractions.at(-1)).toBe(1);
  expect(fractions).toEqual([...fractions].sort((first, second) => first - second));
});

it('A download fails with SOURCE_UNAVAILABLE and the status when the server answers 403', async () => {
  const source = await serve((_request, response) => response.writeHead(403).end('no'));
  await expect(obtain(source)).rejects.toThrow(code('SOURCE_UNAVAILABLE', '403'));
});

it('A download fails when the server sends nothing at all', async () => {
  const source = await serve(() => undefined);
  await expect(obtain(source, { idleTimeoutMs: 50 })).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'did not respond'));
});

it('A download fails when the server stops sending halfway', async () => {
  const source = await serve((_request, response) => response.write(content.subarray(0, 1000)));
  await expect(obtain(source, { idleTimeoutMs: 50 })).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'did not respond'));
});

it('A download from a slow server continues as long as bytes keep arriving', async () => {
  // Thirty pieces that together take longer than the allowed silence, while each gap is far shorter.
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
  await obtain(source, { idleTimeoutMs: 1000 });
  expect(await readFile(target())).toEqual(content);
});

it.each([
  ['answers 503', (response: ServerResponse) => response.writeHead(503).end()],
  ['hangs up in the midst', (response: ServerResponse) => response.write(content.subarray(0, 1000), () => response.destroy())],
  ['says nothing', () => undefined],
])('A download is retried when the server %s, but not when the server refuses it', async (_, fail) => {
  let asked = 0;
  const source = await serve((_request, response) => {
    asked += 1;
    if (asked < 3) fail(response);
    else response.end(content);
  });
  const sentences = new Set<string>();
  const onProgress = (sentence: string) => sentences.add(sentence);
  expect(await obtain(source, { retryDelaysMs: [1, 1], idleTimeoutMs: 200, onProgress })).toBe(target());
  expect([...sentences].map((sentence) => sentence.split(', ')[1])).toEqual([undefined, 'attempt 2', 'attempt 3']);
  const refusing = await serve((_request, response) => {
    asked += 1;
    response.writeHead(404).end();
  });
  await expect(obtain(refusing, { retryDelaysMs: [1, 1] })).rejects.toThrow(code('SOURCE_UNAVAILABLE', '404'));
  expect(asked).toBe(4);
});

it('A download tries the next source when a source fails, and gives the reason of each when all fail', async () => {
  const refusing = await serve((_request, response) => response.writeHead(404).end());
  const other = { ...refusing, url: refusing.url.replace('127.0.0.1', 'localhost') };
  await expect(obtainFile([refusing, other], { folder })).rejects.toThrow(
    /^127\.0\.0\.1:\d+: it responded with status 404; localhost:/,
  );
  const giving = await serve((_request, response) => response.end(content));
  expect(await obtainFile([refusing, giving], { folder })).toBe(target());
});

it('Downloading a file at set-up fails with SOURCE_UNAVAILABLE when the server that has it cannot be reached', async () => {
  const source = await serve(() => undefined);
  server?.close();
  await once(server ?? process, 'close');
  await expect(obtain(source)).rejects.toThrow(code('SOURCE_UNAVAILABLE', 'cannot be reached'));
});

it('A download whose size or hash differs from the published file is refused', async () => {
  const answers = [content.subarray(1), Buffer.concat([content, content]), Buffer.from(content).fill(1, 0, 1)];
  for (const answer of answers) {
    const source = await serve((_request, response) => response.end(answer));
    await expect(obtain(source)).rejects.toThrow(code('CHECKSUM_MISMATCH', 'sha256'));
    server?.close();
  }
});

it('A download that is cancelled by its signal rejects with AbortError', async () => {
  const controller = new AbortController();
  const source = await serve((_request, response) => {
    response.write(content.subarray(0, 1000));
    controller.abort();
  });
  await expect(obtain(source, { signal: controller.signal })).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
});
