import { type PredictionEvent, predictionEventSchema } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FORM_TYPE, file, form } from '../testing/multipart.ts';
import { openRawClient } from '../testing/raw-client.ts';
import { type SignedInUser, signUp } from '../testing/signed-in.ts';
import { isOnPostgres } from '../testing/test-database.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let origin: string;
let walker: SignedInUser;

beforeEach(async () => {
  server = await createTestServer({ limits: { jobsPerWorker: 1, heartbeatMs: 20 } });
  origin = await server.listen();
  walker = await signUp(server, 'walker@example.org');
});
afterEach(() => server.close());

/** Reads events as a page does, with `fetch`. */
async function listen(id: string, headers: Record<string, string> = {}, query = '') {
  const stop = new AbortController();
  const response = await fetch(`${origin}/v1/predictions/${id}/events${query}`, {
    headers: { ...walker.headers, ...headers },
    signal: stop.signal,
  });
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  })();
  ended.catch(() => {});
  const events = (): (PredictionEvent & { id: number })[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => !block.startsWith(':'))
      .map((block) => {
        const [, id_, type, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        return { id: Number(id_), ...predictionEventSchema.parse({ type, ...JSON.parse(data) }) };
      });
  return { response, events, ended, text: () => text, cut: () => stop.abort() };
}
const until = (stream: Awaited<ReturnType<typeof listen>>, count: number): Promise<void> =>
  eventually(() => expect(stream.events().length).toBeGreaterThanOrEqual(count));

/** Sends the first half of a recording, or another share of it. */
async function beginUpload(key: string, share = 0.5) {
  const client = await openRawClient(origin);
  const body = form([file('x'.repeat(1000))]);
  client.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: ${walker.headers.authorization}\r\nIdempotency-Key: ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const sentBytes = Math.floor(body.length * share);
  client.write(body.subarray(0, sentBytes));
  await eventually(async () => expect((await walker.send('GET', `/v1/predictions/${key}`)).status).toBe(200));
  return { sendRest: () => client.write(body.subarray(sentBytes)), cut: client.cut };
}

describe('GET /v1/predictions/:id/events', () => {
  it('reports progress in the queue and in the analysis, sends the prediction, and ends', async () => {
    const gate = server.analyzer.hold();
    const first = walker.predict([file('first')], 'first');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const second = walker.predict([file('second')], 'second');
    await eventually(async () => expect((await walker.send('GET', '/v1/predictions')).body.inWork).toHaveLength(2));
    const [running, waiting] = [await listen('first'), await listen('second')];
    expect(running.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(running.response.headers.get('cache-control')).toBe('private, no-store, no-transform');
    expect(running.response.headers.get('x-accel-buffering')).toBe('no');
    await Promise.all([until(running, 1), until(waiting, 1)]);
    // Progress through the database arrives a moment later.
    if (isOnPostgres) await eventually(() => expect(running.events().at(-1)).toMatchObject({ fraction: 0.5 }));
    expect(running.events().slice(isOnPostgres ? -1 : 0)).toMatchObject([
      { type: 'progress', stage: 'listening', fraction: 0.5, detections: [] },
    ]);
    expect(waiting.events()).toMatchObject([{ type: 'progress', stage: 'queued', fraction: null, behindOthers: true }]);
    const { inWork } = (await walker.send('GET', '/v1/predictions')).body;
    expect(inWork.map(({ behindOthers }: { behindOthers: boolean }) => behindOthers)).toEqual([true, false]);
    expect((await walker.send('GET', '/v1/predictions/second')).body.work.behindOthers).toBe(true);
    gate.release();
    await Promise.all([running.ended, waiting.ended]);
    expect(running.events().at(-1)).toMatchObject({ type: 'done', prediction: { id: (await first).body.id } });
    if (!isOnPostgres) expect(waiting.events().map(({ type }) => type)).toEqual(['progress', 'progress', 'progress', 'done']);
    expect((await second).status).toBe(200);
  });

  it('sends the latest progress, with increasing ids, to a client that connects again', async () => {
    const gate = server.analyzer.hold();
    const answer = walker.predict([file('sound')], 'key');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const cut = await listen('key');
    await until(cut, 1);
    cut.cut();
    const again = await listen('key', { 'last-event-id': '41' });
    await until(again, 1);
    gate.release();
    await again.ended;
    const events = again.events().map(({ id, type }) => [id, type]);
    const last = 42 + events.length - 1;
    expect([events[0], events.at(-1)]).toEqual([
      [42, 'progress'],
      [last, 'done'],
    ]);
    if (!isOnPostgres) expect(events).toHaveLength(2);
    await answer;
    const late = await listen('key');
    await late.ended;
    expect(late.events()).toMatchObject([{ id: 1, type: 'done' }]);
  });

  it('begins while the recording is still being uploaded', async () => {
    const upload = await beginUpload('slow');
    const stream = await listen('slow');
    await until(stream, 1);
    expect(stream.events()).toMatchObject([{ type: 'progress', stage: 'queued', behindOthers: false }]);
    upload.sendRest();
    await stream.ended;
    expect(stream.events().at(-1)).toMatchObject({ type: 'done' });
    // No other recording was sent, so it never waited behind one.
    expect(stream.events().some((event) => event.type === 'progress' && event.behindOthers)).toBe(false);
    upload.cut();
  });

  it('begins before the recording arrives, for a client that asks to wait', async () => {
    const looked = vi.spyOn(server.predictions, 'find');
    const early = listen('early', {}, '?wait=30');
    await eventually(() => expect(looked).toHaveBeenCalled());
    const answer = walker.predict([file('sound')], 'early');
    const stream = await early;
    expect(stream.response.status).toBe(200);
    await stream.ended;
    expect(stream.events().at(-1)).toMatchObject({ type: 'done', prediction: { id: (await answer).body.id } });
  });

  it('is answered 404 if no recording arrives, at once for a client that does not wait', async () => {
    const looked = vi.spyOn(server.predictions, 'find');
    expect((await listen('never')).response.status).toBe(404);
    expect(looked).toHaveBeenCalledTimes(1);
    expect((await listen('never', {}, '?wait=1')).response.status).toBe(404);
    expect(looked).toHaveBeenCalledTimes(6);
    for (const wrong of ['31', '-1', '0.5', 'x']) expect((await listen('never', {}, `?wait=${wrong}`)).response.status).toBe(400);
  });

  it('does not delay a server that is being stopped', async () => {
    const looked = vi.spyOn(server.predictions, 'find');
    const waiting = listen('never', {}, '?wait=30');
    await eventually(() => expect(looked).toHaveBeenCalled());
    server.predictions.beginClosing();
    expect((await waiting).response.status).toBe(404);
    expect(looked.mock.calls.length).toBeLessThan(30);
  });

  it('reports that an uploaded recording waits in the queue behind others', async () => {
    const gate = server.analyzer.hold();
    const first = walker.predict([file('first')], 'first');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const upload = await beginUpload('slow');
    const stream = await listen('slow');
    await until(stream, 1);
    upload.sendRest();
    await until(stream, 2);
    expect(stream.events()).toMatchObject([
      { stage: 'queued', behindOthers: false },
      { stage: 'queued', behindOthers: true },
    ]);
    gate.release();
    await Promise.all([first, stream.ended]);
    upload.cut();
  });

  it('reports an upload as interrupted wherever in it the connection is lost; sent again with its key, it is answered once', async () => {
    const keys = Array.from({ length: 10 }, (_, n) => `cut-at-${10 * n}`);
    for (const [n, key] of keys.entries()) {
      const upload = await beginUpload(key, n / keys.length);
      const stream = await listen(key);
      await until(stream, 1);
      upload.cut();
      await stream.ended;
      expect(stream.events().at(-1)).toMatchObject({ type: 'failed', problem: { code: 'UPLOAD_INTERRUPTED', retryable: true } });
      expect((await walker.predict([file('x'.repeat(1000))], key)).status).toBe(200);
    }
    expect((await walker.send('GET', '/v1/predictions')).body.predictions).toHaveLength(keys.length);
    expect(server.analyzer.requests).toHaveLength(keys.length);
  });

  it('reports an upload that another machine received and lost as interrupted', async () => {
    const become = async () => ({ id: 'lost' });
    const lost = { id: 'lost', apiTokenId: null, createdAtMs: 1, cancel: become, become };
    vi.spyOn(server.predictions, 'find').mockResolvedValue(lost);
    const stream = await listen('lost');
    await stream.ended;
    expect(stream.events().at(-1)).toMatchObject({ type: 'failed', problem: { code: 'UPLOAD_INTERRUPTED' } });
  });

  it.each(['DELETE', 'failure'])('reports “failed” when the prediction is cancelled or its analysis fails: %s', async (how) => {
    const gate = server.analyzer.hold();
    const answer = walker.predict([file('sound')], 'key');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const stream = await listen('key');
    if (how === 'DELETE') await walker.send('DELETE', '/v1/predictions/key');
    else {
      server.analyzer.failWith(new Error('broken'));
      gate.release();
    }
    await stream.ended;
    const code = how === 'DELETE' ? 'PREDICTION_CANCELLED' : 'INTERNAL';
    expect(stream.events().at(-1)).toMatchObject({ type: 'failed', problem: { code } });
    expect((await answer).body.code).toBe(code);
  });

  it('keeps the connection open with comments, and ends it when the server stops', async () => {
    server.analyzer.hold();
    void walker.predict([file('sound')], 'key');
    await eventually(() => expect(server.analyzer.requests).toHaveLength(1));
    const stream = await listen('key');
    await eventually(() => expect(stream.text().split(': still here').length).toBeGreaterThan(3));
    // biome-ignore lint/plugin: sleeps; to become a gate
    setTimeout(server.hurry, 100);
    await server.app.close();
    await stream.ended;
    const types = stream.events().map(({ type }) => type);
    expect(isOnPostgres ? new Set(types) : types).toEqual(isOnPostgres ? new Set(['progress']) : ['progress']);
  });
});
