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
const work = {
  id: 'p-1',
  createdAt: '2026-05-01T05:12:44Z',
  fileName: null,
  stage: 'listening',
  fraction: 0.5,
  behindOthers: false,
};
const report = (fraction: number, ...names: readonly string[]) => ({
  stage: 'listening',
  fraction,
  behindOthers: false,
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

describe('Following an analysis on the server', () => {
  it('reports progress and birds as the server sends events, in pieces of any size', async () => {
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

  it('asks the server to wait for an unknown recording only while the page is still sending it', async () => {
    const { outcome, post } = await sent();
    expect((await nextStream()).query).toEqual({ wait: 30 });
    post.breakOff('network');
    const again = await nextStream();
    expect(again.query).toBeUndefined();
    again.say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('continues an interrupted event stream at its last event', async () => {
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

  it('opens another event stream, and reports further birds, if opening one failed once', async () => {
    const { outcome, post, reports } = await sent();
    const first = await nextStream();
    first.say('progress', report(0.2, 'Robin'), 3);
    await eventually(() => expect(reports).toHaveLength(1));
    openStream.mockRejectedValueOnce(new AxiosError('Network Error', 'ERR_NETWORK'));
    first.breakOff();
    const third = await nextStream();
    third.say('progress', report(0.4, 'Robin', 'Wren'), 4);
    await eventually(() => expect(reports.map(({ detections }) => detections.length)).toEqual([1, 2]));
    post.answer(200, fakePrediction());
    expect(await outcome).toEqual(answer);
  });

  it('falls back to polling if event streams fail', async () => {
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

  it('does not take place for a prediction that the server does not store', async () => {
    const { outcome, post } = await sent({ isKept: false });
    post.answer(200, fakePrediction());
    expect(await outcome).toEqual(answer);
    expect(openStream).not.toHaveBeenCalled();
  });
});

describe('A connection lost during a prediction', () => {
  it('after everything was sent is no failure: the page gets the result from the event stream', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.breakOff('network');
    const again = await nextStream();
    again.say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('after everything was sent, without event streams, is no failure: the page requests the result', async () => {
    refusal = 'network';
    const { outcome, post } = await sent();
    post.breakOff('network');
    const asked = await nextRequest();
    asked.breakOff('network');
    (await nextRequest()).answer(200, { state: 'done', prediction: fakePrediction(), keptAudio: null });
    expect(await outcome).toEqual(answer);
  });

  it('is a failure if the server cannot be reached for a long time', async () => {
    refusal = 'network';
    const { outcome, post } = await sent();
    post.breakOff('network');
    const refuse = setInterval(() => FakeRequest.sent.shift()?.breakOff('network'), 1);
    expect(await outcome).toEqual({ kind: 'failed', error: { kind: 'network', message: 'Network Error' } });
    clearInterval(refuse);
  });

  it('is a failure if the server does not know the recording', async () => {
    refusal = 404;
    const { outcome, post } = await sent();
    post.breakOff('timeout');
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'timeout' } });
  });

  it('is a failure while the recording is being sent', async () => {
    const { outcome, post } = await ask();
    post.progress(50, 100);
    post.breakOff('network');
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'network' } });
    expect(openStream).not.toHaveBeenCalled();
  });

  it('is no failure if a stopping server announces it: the page gets the result after the restart', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.answer(503, fakeProblem('SERVER_BUSY', { status: 503, retryable: true }));
    (await nextStream()).say('done', { prediction: fakePrediction() });
    expect(await outcome).toEqual(answer);
  });

  it('is a failure if the server is busy and has not accepted the recording', async () => {
    refusal = 404;
    const { outcome, post } = await sent();
    post.answer(503, fakeProblem('SERVER_BUSY', { status: 503, retryable: true }));
    expect(await outcome).toMatchObject({ kind: 'failed', error: { problem: { code: 'SERVER_BUSY' } } });
  });

  it('ends with the server’s refusal of the recording if the event stream reports one', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.breakOff('network');
    (await nextStream()).say('failed', { problem: fakeProblem('RECORDING_DAMAGED') });
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'problem', problem: { code: 'RECORDING_DAMAGED' } } });
  });
});

describe('The server’s response to a sent recording', () => {
  it('is a failure at once if it refuses the recording', async () => {
    const { outcome, post } = await sent();
    await nextStream();
    post.answer(422, fakeProblem('RECORDING_DAMAGED'));
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'problem', problem: { code: 'RECORDING_DAMAGED' } } });
  });

  it('is shown as a failure if it has status 200 but contains no prediction', async () => {
    const { outcome, post } = await ask();
    post.answer(200, { bird: 'yes' });
    expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'unexpected' } });
  });
});

describe('Cancelling a prediction on the page', () => {
  it('ends the request and tells the server, by the recording’s idempotency key', async () => {
    const { outcome, post, stop } = await sent();
    await nextStream();
    stop.abort();
    expect(post.wasAborted).toBe(true);
    const told = await nextRequest();
    expect([told.method, told.url]).toEqual(['DELETE', 'http://here.example/v1/predictions/k-1']);
    await outcome;
  });

  it('sends nothing to the server if the prediction would not be stored', async () => {
    const { outcome, stop } = await sent({ isKept: false });
    stop.abort();
    await outcome;
    expect(FakeRequest.sent).toEqual([]);
  });
});
