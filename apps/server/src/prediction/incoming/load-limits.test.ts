import { PredictionError } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { afterEach, expect, it } from 'vitest';
import { FORM_TYPE, file, form } from '../../testing/multipart.ts';
import { openRawClient, type RawClient } from '../../testing/raw-client.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

/** The limits on what one sender, and all senders together, may send, as HTTP clients see them: before a body is read. */

let server: TestServer;
afterEach(() => server.close());

async function answerBeforeBody(environment: Record<string, string>, before = 0): Promise<string> {
  server = await createTestServer({ environment });
  const payload = form([file('x')]);
  const send = () =>
    server.app.inject({ method: 'POST', url: '/get_prediction', headers: { 'content-type': FORM_TYPE }, payload });
  for (let n = 0; n < before; n += 1) expect((await send()).statusCode).toBe(200);
  const client = await openRawClient(await server.listen());
  client.write(`POST /get_prediction HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 5000000\r\n\r\n`);
  const answer = await client.until('"code"');
  client.cut();
  expect(await server.uploadedFiles()).toEqual([]);
  return answer;
}

it('A quota of recordings refuses the next recording with QUOTA_EXCEEDED before its body arrives', async () => {
  const answer = await answerBeforeBody({ QUOTA_PER_CLIENT: '2/3600' }, 2);
  expect(answer).toMatch(/^HTTP\/1\.1 429 /);
  expect(answer).toMatch(/retry-after: 3\d{3}\r\n/);
  expect(answer).toContain('Your network has sent as many recordings as it can for now.');
});

it('A quota of megabytes refuses a recording with QUOTA_EXCEEDED before its body arrives', async () => {
  const answer = await answerBeforeBody({ QUOTA_MEGABYTES_PER_CLIENT: '4/3600' });
  expect(answer).toMatch(/^HTTP\/1\.1 429 /);
  expect(answer).toContain('as much audio as it can for now');
});

it('A recording is refused with STORAGE_FULL if it would use the required free disk space', async () => {
  const answer = await answerBeforeBody({ MIN_FREE_DISK_BYTES: '1099511627776' });
  expect(answer).toMatch(/^HTTP\/1\.1 507 /);
  expect(answer).toMatch(/retry-after: 600\r\n/);
  expect(answer).toContain('"STORAGE_FULL"');
});

it('Quotas also apply to uploads in pieces, and do not count a repeated request', async () => {
  server = await createTestServer({
    environment: { OPEN_PREDICTION: 'false', QUOTA_PER_ACCOUNT: '1/60', QUOTA_MEGABYTES_PER_ACCOUNT: '3/60' },
  });
  const ann = await signUp(server, 'ann@example.org');
  const first = await ann.predict([file('x')], 'a-key');
  expect(await ann.predict([file('x')], 'a-key')).toEqual(first);
  expect((await ann.predict([file('x')], 'other-key')).body.code).toBe('QUOTA_EXCEEDED');
  const begin = (bytes: number) =>
    server.app.inject({
      method: 'POST',
      url: '/v1/uploads',
      headers: { ...ann.headers, 'tus-resumable': '1.0.0', 'upload-length': String(bytes) },
    });
  expect((await begin(3_000_001)).json().code).toBe('QUOTA_EXCEEDED');
  const created = await begin(2_000_000);
  expect(created.statusCode).toBe(201);
  const send = (offset: number, bytes: number) =>
    server.app.inject({
      method: 'PATCH',
      url: String(created.headers.location),
      headers: {
        ...{ ...ann.headers, 'tus-resumable': '1.0.0', 'upload-offset': String(offset) },
        'content-type': 'application/offset+octet-stream',
      },
      payload: Buffer.alloc(bytes),
    });
  // Announced bytes count when they arrive.
  expect((await begin(2_000_000)).statusCode).toBe(201);
  expect((await send(0, 2_000_000)).statusCode).toBe(204);
  expect((await begin(2_000_000)).json().code).toBe('QUOTA_EXCEEDED');
});

/** Begins to send recordings, then stalls. */
async function dribble(who: SignedInUser, times: number, bytes = 500_000): Promise<{ client: RawClient; length: number }[]> {
  const origin = await server.listen();
  return Promise.all(
    Array.from({ length: times }, async () => {
      const client = await openRawClient(origin);
      const { authorization } = who.headers;
      client.write(
        `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${bytes}\r\n\r\n`,
      );
      client.write(form([file('x')], { end: false }));
      return { client, length: bytes };
    }),
  );
}

it('An incoming upload needs no permit of the queue', async () => {
  server = await createTestServer({
    limits: { jobsPerWorker: 1 },
    environment: { OPEN_PREDICTION: 'false', INFERENCE_QUEUE: '1' },
  });
  const ann = await signUp(server, 'ann@example.org');
  const bob = await signUp(server, 'bob@example.org');
  const clients = await dribble(ann, 6);
  await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(6));
  expect(await bob.predict([file('y')])).toMatchObject({ status: 200 });
  for (const { client } of clients) client.cut();
});

it('Uploads of one account beyond its limit are refused, and an upload of another account is answered meanwhile', async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  const ann = await signUp(server, 'ann@example.org');
  const bob = await signUp(server, 'bob@example.org');
  const clients = await dribble(ann, 12);
  const answers: string[] = [];
  for (const { client } of clients)
    client.until('"SERVER_BUSY"').then(
      (answer) => answers.push(answer),
      () => {},
    );
  await eventually(() => expect(answers).toHaveLength(4));
  expect(answers[0]).toMatch(/^HTTP\/1\.1 503 /);
  expect(answers[0]).toMatch(/\r\nretry-after: \d+\r\n/);
  expect(answers[0]).toContain('This account already has as many recordings in progress as it can have at once.');
  const upload = await server.app.inject({
    method: 'POST',
    url: '/v1/uploads',
    headers: { ...ann.headers, 'tus-resumable': '1.0.0', 'upload-length': '5' },
  });
  expect(upload.json()).toMatchObject({ code: 'SERVER_BUSY' });
  expect((await bob.predict([file('x')])).status).toBe(200);
  for (const { client } of clients) client.cut();
  await eventually(async () => expect((await ann.predict([file('x')])).status).toBe(200));
});

it('A recording that has arrived is answered although other accounts have filled the queue meanwhile', async () => {
  server = await createTestServer({
    limits: { jobsPerWorker: 1 },
    environment: { OPEN_PREDICTION: 'false', INFERENCE_QUEUE: '0' },
  });
  const ann = await signUp(server, 'ann@example.org');
  const bob = await signUp(server, 'bob@example.org');
  const body = form([file('of ann')]);
  const [sending] = await dribble(ann, 1, form([file('x')], { end: false }).length + 2 + body.length);
  await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
  const gate = server.analyzer.hold();
  const ofBob = bob.predict([file('of bob')]);
  await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
  expect((await bob.predict([file('of bob, too')])).body).toMatchObject({ code: 'SERVER_BUSY' });
  const end = Buffer.from('-- \r\n--chiffchaff-test-boundary--\r\n');
  sending?.client.write(Buffer.concat([Buffer.alloc(2 + body.length - end.length, 'x'), end]));
  await eventually(async () => {
    const rows = await server.database.query.selectFrom('predictions').select('accountId').execute();
    expect(rows).toHaveLength(2);
  });
  gate.release();
  expect((await ofBob).status).toBe(200);
  expect(await sending?.client.until('"verdict"')).toMatch(/^HTTP\/1\.1 200 /);
  sending?.client.cut();
});

it('A recording announced as large is refused with UPLOAD_TIMEOUT if it arrives too slowly for its size', async () => {
  server = await createTestServer({
    limits: { uploadPace: { milliseconds: 50, minBytes: 1, wholeSeconds: 1, mostBytesPerSecond: 1e9 } },
  });
  const ann = await signUp(server, 'ann@example.org');
  const [large] = await dribble(ann, 1, 1_000_000_000);
  const trickle = setInterval(() => large?.client.write('x'.repeat(100)), 10);
  try {
    expect(await large?.client.until('"UPLOAD_TIMEOUT"')).toMatch(/^HTTP\/1\.1 408 /);
  } finally {
    clearInterval(trickle);
    large?.client.cut();
  }
});

it('An idempotency key repeated with another recording counts towards the quota', async () => {
  server = await createTestServer({ environment: { QUOTA_PER_ACCOUNT: '3/3600', QUOTA_MEGABYTES_PER_ACCOUNT: '9/3600' } });
  const ann = await signUp(server, 'ann@example.org');
  const large = (letter: string) => [file(letter.repeat(2_000_000))];
  const first = await ann.predict(large('a'), 'a-key');
  for (let n = 0; n < 6; n += 1) expect(await ann.predict(large('a'), 'a-key')).toEqual(first);
  for (const letter of ['b', 'c']) {
    expect((await ann.predict(large(letter), 'a-key')).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  }
  // Three recordings and six megabytes have been counted: no other recording is accepted, but the answer is still available.
  expect((await ann.predict([file('x')], 'other-key')).body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect(await ann.predict(large('a'), 'a-key')).toEqual(first);
  expect((await ann.predict(large('d'), 'a-key')).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await ann.predict(large('e'), 'a-key')).body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

it('An idempotency key whose prediction was deleted during the upload allows no recording beyond the quota', async () => {
  server = await createTestServer({ environment: { QUOTA_PER_ACCOUNT: '1/3600' } });
  const ann = await signUp(server, 'ann@example.org');
  const { id } = (await ann.predict([file('x')], 'a-key')).body;
  const body = form([file('x')]);
  const client = await openRawClient(await server.listen());
  client.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: ${ann.headers.authorization}\r\nIdempotency-Key: a-key\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  client.write(body.subarray(0, -10));
  await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
  // By its key, the request that is arriving would be cancelled, too.
  expect((await ann.send('DELETE', `/v1/predictions/${id}`)).status).toBe(200);
  client.write(body.subarray(-10));
  expect(await client.until('"QUOTA_EXCEEDED"')).toMatch(/^HTTP\/1\.1 429 /);
  client.cut();
  expect(server.analyzer.requests).toHaveLength(1);
});

it('A request body sent in chunks without a length is counted towards the quota as it arrives', async () => {
  server = await createTestServer({ environment: { QUOTA_MEGABYTES_PER_CLIENT: '3/3600' } });
  const client = await openRawClient(await server.listen());
  client.write(`POST /get_prediction HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  client.write(chunk(form([file('x'.repeat(1_500_000))], { end: false })));
  await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(1));
  client.write(chunk(Buffer.alloc(2_000_000)));
  const answer = await client.until('"code"');
  client.cut();
  expect(answer).toMatch(/^HTTP\/1\.1 429 /);
  await eventually(async () => expect(await server.uploadedFiles()).toEqual([]));
});

it('A repeated idempotency key counts towards the quota if its recording failed temporarily, and not if it failed for good', async () => {
  server = await createTestServer({ environment: { QUOTA_PER_ACCOUNT: '2/60' } });
  const ann = await signUp(server, 'ann@example.org');
  server.analyzer.failWith(new PredictionError('RECORDING_DAMAGED', { container: 'wav', why: 'it ends too early' }));
  const lasting = await ann.predict([file('x')], 'lasting');
  expect(await ann.predict([file('x')], 'lasting')).toMatchObject({ status: lasting.status });
  server.analyzer.failWith(new Error('a moment of weakness'));
  expect((await ann.predict([file('y')], 'passing')).status).toBe(500);
  server.analyzer.failWith(null);
  expect((await ann.predict([file('y')], 'passing')).body.code).toBe('QUOTA_EXCEEDED');
});

it('A recording is analysed before those that another account sent earlier and that still wait', async () => {
  server = await createTestServer({ limits: { jobsPerWorker: 1 }, environment: { OPEN_PREDICTION: 'false' } });
  const ann = await signUp(server, 'ann@example.org');
  const bob = await signUp(server, 'bob@example.org');
  const gate = server.analyzer.hold();
  const answers: Promise<{ status: number }>[] = [];
  const jobs = [
    [ann, 'ann 1'],
    [ann, 'ann 2'],
    [ann, 'ann 3'],
    [ann, 'ann 4'],
    [bob, 'bob 1'],
  ] as const;
  for (const [who, content] of jobs) {
    answers.push(who.predict([file(content)]));
    await eventually(async () => expect(await server.uploadedFiles()).toHaveLength(answers.length));
    // Accepted, at a different millisecond than the next one.
    await eventually(async () => {
      const rows = await server.database.query.selectFrom('predictions').select('createdAtMs').execute();
      expect(rows).toHaveLength(answers.length);
      expect(Math.max(...rows.map(({ createdAtMs }) => createdAtMs))).toBeLessThan(Date.now());
    });
    if (answers.length === 1) await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
  }
  gate.release();
  for (const answer of answers) expect((await answer).status).toBe(200);
  expect(server.analyzer.requests.map(({ content }) => content)).toEqual(['ann 1', 'bob 1', 'ann 2', 'ann 3', 'ann 4']);
});
