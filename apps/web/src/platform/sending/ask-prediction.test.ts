import { eventually } from '@chiffchaff/testing';
import { type AxiosAdapter, AxiosError, AxiosHeaders, type AxiosInstance } from 'axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { fakeRequest } from '../../testing/fake-request.ts';
import { FakeRequest, nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from '../api/http-client.ts';
import { type AskOptions, askPrediction } from './ask-prediction.ts';
import type { AnalysisReport } from './request-prediction.ts';

const request = fakeRequest({ file: new File(['sound'], 'morning.wav') });
const answer = { kind: 'answered', prediction: fakePrediction() };
const work = { id: 'p-1', createdAt: '2026-05-01T05:12:44Z', fileName: null, stage: 'listening', fraction: 0.5 };
const report = (fraction: number, ...names: readonly string[]) => ({
  stage: 'listening',
  fraction,
  detections: names.map((commonName) => ({ scientificName: commonName, commonName, startSeconds: 0, endSeconds: 3, score: 0.5 })),
});

/** An event stream of the server, and the request for it. */
interface FakeStream {
  readonly headers: AxiosHeaders;
  readonly url: string;
  readonly query: unknown;
  say(type: string, data: unknown, id?: number): void;
  write(text: string): void;
  breakOff(): void;
}
let streams: FakeStream[] = [];
/** What happens instead of a stream. */
let refusal: number | 'network' | null = null;

/** Replaces the browser's `fetch`, for which the test DOM has no streams. */
const openStream = vi.fn<AxiosAdapter>(async (config) => {
  if (refusal === 'network') throw new AxiosError('Network Error', 'ERR_NETWORK', config);
  const answerWith = (status: number, data: unknown) => ({ data, status, statusText: '', headers: {}, config });
  if (refusal !== null) throw new AxiosError('refused', 'ERR_BAD_RESPONSE', config, null, answerWith(refusal, null));
  const encoder = new TextEncoder();
  const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({ start: resolve });
  const controller = await promise;
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  streams.push({
    headers: AxiosHeaders.from(config.headers),
    url: `${config.baseURL}${config.url}`,
    query: config.params,
    write,
    say: (type, data, id = 1) => write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    breakOff: () => controller.error(new TypeError('network error')),
  });
  config.signal?.addEventListener?.('abort', () => controller.error(new DOMException('stopped', 'AbortError')));
  return answerWith(200, body);
});

function fakeServer(): AxiosInstance {
  const http = overFakeTransport(createHttpClient('http://here.example'));
  http.interceptors.request.use((config) => (config.adapter === 'fetch' ? { ...config, adapter: openStream } : config));
  return http;
}

beforeEach(() => {
  useFakeTransport();
  streams = [];
  refusal = null;
  openStream.mockClear();
});
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops) stop.abort();
});

const nextStream = () =>
  eventually(() => {
    const stream = streams.shift();
    if (!stream) throw new Error('No stream has been asked for');
    return stream;
  });

/** Proceeds until the recording is being sent. */
async function ask(options: Partial<AskOptions> = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const reports: AnalysisReport[] = [];
  const outcome = askPrediction(fakeServer(), request, {
    key: 'k-1',
    signal: stop.signal,
    onUploadProgress: () => {},
    onAnalysis: (heard) => reports.push(heard),
    isKept: true,
    retryMs: [1, 1, 1, 1],
    pollMs: 1,
    ...options,
  });
  const post = await nextRequest();
  return { outcome, post, reports, stop };
}
const sent = async (options: Partial<AskOptions> = {}) => {
  const asked = await ask(options);
  asked.post.progress(100, 100);
  return asked;
};

describe('while the server listens', () => {
  it('tells how far it is and what it has heard, as the events come, in whatever pieces', async () => {
    const { outcome, post, reports } = await sent();
    const stream = await nextStream();
    expect(stream.url).toBe('http://here.example/v1/predictions/k-1/events');
    const text = `: still here\n\nid: 1\nevent: progress\ndata: ${JSON.stringify(report(0.25, 'Blåmeis'))}\n\n`;
    const cut = text.indexOf('frac');
    stream.write(text.slice(0, cut));
    stream.write(text.slice(cut));
    stream.say('progress', { nonsense: true }, 2);
    stream.say('news', {}, 3);
    stream.write('event: progress\ndata: {"half\n\n');
    stream.say('progress', report(0.5, 'Blåmeis', 'Rotkehlchen'), 4);
    await eventually(() => expect(reports.map(({ fraction }) => fraction)).toEqual([0.25, 0.5]));
    expect(reports[1]?.detections.map(({ commonName }) => commonName)).toEqual(['Blåmeis', 'Rotkehlchen']);
    post.answer(200, fakePrediction());
    expect(await outcome).toEqual(answer);
  });

  it('has the server wait for what it does not know yet, and only while the recording is on its way', async () => {
    const { outcome, post } = await sent();
    expect((await nextStream()).query).toEqual({ wait: 30 });
    post.breakOff('network');
    const again = await nextStream();
    expect(again.query).toBeUndefined();
    again.say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('takes a stream up again where it broke off', async () => {
    const { outcome, post, reports } = await sent();
    const first = await nextStream();
    expect(first.headers.get('last-event-id')).toBeUndefined();
    first.say('progress', report(0.25), 7);
    await eventually(() => expect(reports).toHaveLength(1));
    first.breakOff();
    const second = await nextStream();
    expect(second.headers.get('last-event-id')).toBe('7');
    second.say('progress', report(0.75), 8);
    await eventually(() => expect(reports).toHaveLength(2));
    post.answer(200, fakePrediction());
    await outcome;
  });

  it('asks from time to time where streams are not answered', async () => {
    refusal = 502;
    const { outcome, post, reports } = await sent();
    const poll = await nextRequest();
    expect([poll.method, poll.url]).toEqual(['GET', 'http://here.example/v1/predictions/k-1']);
    poll.answer(200, { state: 'inWork', work });
    await eventually(() => expect(reports).toEqual([{ stage: 'listening', fraction: 0.5, behindOthers: false, detections: [] }]));
    post.answer(200, fakePrediction());
    expect(await outcome).toEqual(answer);
    expect(openStream).toHaveBeenCalledTimes(1);
  });

  it('follows nothing that is kept for nobody', async () => {
    const { outcome, post } = await sent({ isKept: false });
    post.answer(200, fakePrediction());
    expect(await outcome).toEqual(answer);
    expect(openStream).not.toHaveBeenCalled();
  });
});

describe('a connection that is lost', () => {
  it('when everything has been sent, is no failure: the answer comes by the stream', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.breakOff('network');
    const again = await nextStream();
    again.say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('nor when streams fail too: the answer is asked for', async () => {
    refusal = 'network';
    const { outcome, post } = await sent();
    post.breakOff('network');
    const asked = await nextRequest();
    asked.breakOff('network');
    (await nextRequest()).answer(200, { state: 'done', prediction: fakePrediction(), keptAudio: null });
    expect(await outcome).toEqual(answer);
  });

  it('is a failure when nothing can be reached for long', async () => {
    refusal = 'network';
    const { outcome, post } = await sent();
    post.breakOff('network');
    const refuse = setInterval(() => FakeRequest.sent.shift()?.breakOff('network'), 1);
    expect(await outcome).toEqual({ kind: 'failed', error: { kind: 'network', message: 'Network Error' } });
    clearInterval(refuse);
  });

  it('is one when the server knows nothing of it', async () => {
    refusal = 404;
    const { outcome, post } = await sent();
    post.breakOff('timeout');
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'timeout' } });
  });

  it('is one while the recording is being sent', async () => {
    const { outcome, post } = await ask();
    post.progress(50, 100);
    post.breakOff('network');
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'network' } });
    expect(openStream).not.toHaveBeenCalled();
  });

  it('is none when a server that stops says so: it goes on when it has started again', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.answer(503, fakeProblem('SERVER_BUSY', { status: 503, retryable: true }));
    (await nextStream()).say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('is one when the server is busy and has taken nothing', async () => {
    refusal = 404;
    const { outcome, post } = await sent();
    post.answer(503, fakeProblem('SERVER_BUSY', { status: 503, retryable: true }));
    expect(await outcome).toMatchObject({ kind: 'failed', error: { problem: { code: 'SERVER_BUSY' } } });
  });

  it('brings the server’s own refusal later', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.breakOff('network');
    (await nextStream()).say('failed', { problem: fakeProblem('RECORDING_DAMAGED') });
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'problem', problem: { code: 'RECORDING_DAMAGED' } } });
  });
});

describe('an answer', () => {
  it('that is a refusal is a failure at once', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.answer(422, fakeProblem('RECORDING_DAMAGED'));
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'problem', problem: { code: 'RECORDING_DAMAGED' } } });
  });

  it('that is no prediction is a failure', async () => {
    const { outcome, post } = await ask();
    post.answer(200, { bird: 'yes' });
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'unexpected' } });
  });
});

describe('stopping', () => {
  it('aborts the request and tells the server by the key', async () => {
    const { outcome, post, stop } = await sent();
    await nextStream();
    stop.abort();
    expect(post.wasAborted).toBe(true);
    const told = await nextRequest();
    expect([told.method, told.url]).toEqual(['DELETE', 'http://here.example/v1/predictions/k-1']);
    await outcome;
  });

  it('of work that is kept for nobody needs no word', async () => {
    const { outcome, stop } = await sent({ isKept: false });
    stop.abort();
    await outcome;
    expect(FakeRequest.sent).toEqual([]);
  });
});
