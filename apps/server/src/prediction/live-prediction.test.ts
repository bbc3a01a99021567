import { predictionSchema } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { FORM_TYPE, field, file, form } from '../testing/multipart.ts';
import { openRawClient, type RawClient } from '../testing/raw-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts';
import { arrivalPace } from './incoming/arrival-pace.ts';

let server: TestServer;
let origin: string;
const clients: RawClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.cut();
  await server.close();
});

async function start(options?: TestServerOptions): Promise<void> {
  server = await createTestServer(options);
  origin = await server.listen();
}

async function connect(): Promise<RawClient> {
  const client = await openRawClient(origin);
  clients.push(client);
  return client;
}

const head = (length: number, type = FORM_TYPE): string =>
  `POST /get_prediction HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
const send = (body = form([file('x')])) =>
  fetch(`${origin}/get_prediction`, { method: 'POST', body: new Uint8Array(body), headers: { 'content-type': FORM_TYPE } });
/** Waits until this many recordings wait or are analysed. */
const accepted = (count: number): Promise<void> =>
  eventually(async () => {
    const rows = await server.database.query.selectFrom('predictions').select('id').execute();
    expect(rows).toHaveLength(count);
  });
const noFiles = async (): Promise<void> => expect(await server.uploadedFiles()).toEqual([]);

describe('A connection lost', () => {
  it('during the upload leaves neither file nor job', async () => {
    await start();
    const client = await connect();
    client.write(head(1_000_000));
    client.write(form([file('x'.repeat(200_000))], { end: false }));
    await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
    client.cut();
    await eventually(noFiles);
    expect(server.analyzer.requests).toEqual([]);
  });

  it('during the analysis stops it and removes the file', async () => {
    await start();
    server.analyzer.hold();
    const client = await connect();
    const body = form([file('x')]);
    client.write(head(body.length));
    client.write(body);
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    client.cut();
    await eventually(() => expect(server.analyzer.aborted).toBe(1));
    await eventually(noFiles);
  });

  it('while the recording waits in the queue releases its permit', async () => {
    await start({ limits: { jobsPerWorker: 1 }, environment: { INFERENCE_QUEUE: '1' } });
    const gate = server.analyzer.hold();
    const first = send();
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const client = await connect();
    const body = form([file('waiting')]);
    client.write(head(body.length));
    client.write(body);
    await accepted(2);
    expect((await send()).status).toBe(503);
    client.cut();
    await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
    await accepted(1);
    const third = send();
    gate.release();
    expect((await first).status).toBe(200);
    expect((await third).status).toBe(200);
    expect(server.analyzer.requests.map(({ content }) => content)).toEqual(['x', 'x']);
  });
});

describe('POST /get_prediction with a full queue', () => {
  it('answers SERVER_BUSY with Retry-After, before it reads the request body', async () => {
    await start({ limits: { jobsPerWorker: 1 }, environment: { INFERENCE_QUEUE: '1' } });
    const gate = server.analyzer.hold();
    const taken = [send(), send()];
    await accepted(2);
    const client = await connect();
    client.write(head(1_000_000));
    const answer = await client.until('"SERVER_BUSY"');
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/);
    gate.release();
    await Promise.all(taken);
  });
});

describe('A response sent before the end of the request body', () => {
  it('reaches a client that is still sending, and the connection serves the next request', async () => {
    await start({ environment: { MAX_UPLOAD_BYTES: '1000' } });
    const client = await connect();
    client.write(head(1_000_000));
    client.write('x'.repeat(10_000));
    expect(await client.until('"RECORDING_TOO_LARGE"')).toMatch(/^HTTP\/1\.1 413 /);
    client.write('x'.repeat(990_000));
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.until('"status":"ok"');
  });

  it('is followed by the end of the connection if the client still sends too much', async () => {
    await start({
      environment: { MAX_UPLOAD_BYTES: '1000' },
      limits: { drain: { maxBytes: 100_000, milliseconds: 60_000 } },
    });
    const client = await connect();
    client.write(head(50_000_000));
    await client.until('"RECORDING_TOO_LARGE"');
    client.write(Buffer.alloc(1_000_000));
    await client.closed;
  });

  it('is followed by the end of the connection if the client sends nothing more', async () => {
    await start({
      environment: { MAX_UPLOAD_BYTES: '1000' },
      limits: { drain: { maxBytes: 8_000_000, milliseconds: 50 } },
    });
    const client = await connect();
    client.write(head(50_000_000));
    await client.until('"RECORDING_TOO_LARGE"');
    await client.closed;
  });

  it('and in the middle of a form leaves the connection usable for the next request', async () => {
    await start();
    const client = await connect();
    const wrong = form([file('x'), file('y'), field('language', 'x'.repeat(500_000))]);
    client.write(head(wrong.length));
    client.write(wrong.subarray(0, 1000));
    await client.until('"errors":[{"field":"file"');
    client.write(wrong.subarray(1000));
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.until('"status":"ok"');
  });

  it('is sent as soon as a form turns out to be wrong', async () => {
    await start();
    const client = await connect();
    client.write(head(1_000_000_000));
    client.write(form([file('x'), file('y')], { end: false }));
    expect(await client.until('"errors":[{"field":"file"')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('A request body without end', () => {
  const chunkedHead = `POST /get_prediction HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunk = (bytes: Buffer | string): Buffer =>
    Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);

  it.each([
    ['the recording', form([file('')], { end: false }), 'RECORDING_TOO_LARGE'],
    ['bytes before the first part', Buffer.from('no boundary'), 'REQUEST_INVALID'],
    ['a text field', form([field('language', '')], { end: false }).subarray(0, -2), 'REQUEST_INVALID'],
    ['a later text field', form([field('top', '1'), field('language', '')], { end: false }).subarray(0, -2), 'REQUEST_INVALID'],
    ['bytes after the last part', form([file('x')]), 'REQUEST_INVALID'],
    ['the header of a part', Buffer.from(`--${FORM_TYPE.split('=')[1]}\r\nX-Endless: `), 'REQUEST_INVALID'],
  ])('is cut off at the size limit for its endless part: %s', async (_what, start_, code) => {
    await start({ environment: { MAX_UPLOAD_BYTES: '1000000' } });
    const client = await connect();
    client.write(chunkedHead);
    client.write(chunk(start_));
    for (let sent = 0; sent < 3_000_000; sent += 100_000) client.write(chunk(Buffer.alloc(100_000, 'x')));
    await client.until(`"code":"${code}"`);
    await eventually(noFiles);
  });

  it('that stops arriving is answered UPLOAD_TIMEOUT', async () => {
    await start({ limits: { uploadPace: { ...arrivalPace, milliseconds: 30, minBytes: 1000 } } });
    const client = await connect();
    client.write(head(1_000_000));
    client.write(form([file('x'.repeat(20))], { end: false }));
    expect(await client.until('"UPLOAD_TIMEOUT"')).toMatch(/^HTTP\/1\.1 408 /);
    await eventually(noFiles);
  });
});

describe('Stopping the server', () => {
  it('waits for running predictions and accepts no new ones', async () => {
    await start();
    const gate = server.analyzer.hold();
    const inFlight = send();
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const closing = server.app.close();
    await eventually(() => expect(fetch(`${origin}/healthz`)).rejects.toThrow());
    gate.release();
    const answer = await inFlight;
    expect(answer.status).toBe(200);
    expect(predictionSchema.parse(await answer.json()).recording.fileName).toBe('morning.wav');
    expect(answer.headers.get('connection')).toBe('close');
    await closing;
  });

  it('does not wait for idle connections', async () => {
    await start();
    const fresh = await connect();
    const used = await connect();
    used.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await used.until('"ok"');
    await server.app.close();
    await Promise.all([fresh.closed, used.closed]);
  });

  it('ends uploads that take too long, with a response that says to come again', async () => {
    await start();
    const client = await connect();
    client.write(head(1_000_000));
    client.write(form([file('x'.repeat(1000))], { end: false }));
    await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
    server.hurry();
    await client.until('"SERVER_BUSY"');
    await eventually(noFiles);
  });

  it('ends analyses that take too long, with a response that says to come again', async () => {
    await start();
    server.analyzer.hold();
    const inFlight = send();
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    server.hurry();
    const answer = await inFlight;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(await answer.json()).toMatchObject({ code: 'SERVER_BUSY' });
    await noFiles();
  });
});

describe('The memory of the server', () => {
  it('does not grow with the size of the recording', async () => {
    await start();
    const megabyte = Buffer.alloc(1_000_000, 'x');
    let peak = 0;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const before = process.memoryUsage().rss;
    async function* body() {
      yield form([file('')], { end: false }).subarray(0, -2);
      for (let n = 0; n < 300; n += 1) {
        yield megabyte;
        // biome-ignore lint/plugin: measures; to become a row of a benchmark
        peak = Math.max(peak, process.memoryUsage().rss - before);
      }
      yield Buffer.concat([Buffer.from('\r\n'), form([])]);
    }
    const response = await fetch(`${origin}/get_prediction`, {
      method: 'POST',
      body: ReadableStream.from(body()),
      duplex: 'half',
      headers: { 'content-type': FORM_TYPE },
    });
    expect(response.status).toBe(200);
    expect(peak).toBeLessThan(150_000_000);
  });
});
