import { beforeEach, describe, expect, it } from 'vitest';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { fakeRequest } from '../../testing/fake-request.ts';
import { FakeRequest, nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from '../api/http-client.ts';
import { requestPrediction } from './request-prediction.ts';
import { sendInPieces } from './send-in-pieces.ts';

beforeEach(useFakeTransport);

const session = { tokenForCall: async () => 'a-token', refused: () => {} };
const http = () => overFakeTransport(createHttpClient('https://api.example.org', session));
const MEGABYTE = 1024 * 1024;
const file = new File([new Uint8Array(40 * MEGABYTE)], 'dawn chorus.wav');
const url = 'https://api.example.org/v1/uploads/abc';

function start(controller = new AbortController()) {
  const heard: number[] = [];
  const options = { signal: controller.signal, onProgress: (progress: number) => heard.push(progress), retryMs: [0, 0] };
  return { heard, controller, sent: sendInPieces(http(), file, options) };
}

async function expectRequest(method: string, address: string) {
  const request = await nextRequest();
  expect([request.method.toUpperCase(), request.url]).toEqual([method, address]);
  expect(request.requestHeaders).toMatchObject({ 'tus-resumable': '1.0.0', authorization: 'Bearer a-token' });
  return request;
}

async function create() {
  const request = await expectRequest('POST', 'https://api.example.org/v1/uploads');
  expect(request.requestHeaders['upload-length']).toBe(String(file.size));
  expect(request.requestHeaders['upload-metadata']).toBe(`filename ${btoa(file.name)}`);
  request.answer(201, '', { location: '/v1/uploads/abc' });
}

describe('Sending a large recording in pieces from the page', () => {
  it('sends one piece after another, and returns the id of the upload', async () => {
    const { sent, heard } = start();
    await create();
    const first = await expectRequest('PATCH', url);
    expect(first.requestHeaders['upload-offset']).toBe('0');
    expect(first.body).toMatchObject({ size: 32 * MEGABYTE });
    first.progress(10 * MEGABYTE, 32 * MEGABYTE);
    first.answer(204, '', { 'upload-offset': String(32 * MEGABYTE) });
    const second = await expectRequest('PATCH', url);
    expect(second.requestHeaders['upload-offset']).toBe(String(32 * MEGABYTE));
    expect(second.body).toMatchObject({ size: 8 * MEGABYTE });
    second.answer(204, '', { 'upload-offset': String(file.size) });
    expect(await sent).toBe('abc');
    expect(heard).toContain(0.25);
    expect(heard.at(-1)).toBe(1);
  });

  it('continues where a page that was closed had stopped', async () => {
    const urls: string[] = [];
    const options = { signal: new AbortController().signal, onProgress: () => {}, retryMs: [] };
    const sent = sendInPieces(http(), file, { ...options, pieces: { url, onUrl: (found) => urls.push(found) } });
    (await expectRequest('HEAD', url)).answer(200, '', { 'upload-offset': '33000000', 'upload-length': String(file.size) });
    const rest = await expectRequest('PATCH', url);
    expect(rest.body).toMatchObject({ size: file.size - 33_000_000 });
    rest.answer(204, '', { 'upload-offset': String(file.size) });
    expect(await sent).toBe('abc');
    expect(urls).toEqual([url]);
  });

  it('begins again if the server no longer has the pieces that a closed page sent', async () => {
    const urls: string[] = [];
    const controller = new AbortController();
    const pieces = { url: `${url}-gone`, onUrl: (found: string) => void urls.push(found) };
    const sent = sendInPieces(http(), file, { signal: controller.signal, onProgress: () => {}, retryMs: [], pieces });
    (await expectRequest('HEAD', `${url}-gone`)).answer(404, '');
    await create();
    await expectRequest('PATCH', url);
    expect(urls).toEqual([url]);
    controller.abort();
    await expect(sent).rejects.toThrow();
  });

  it('continues by itself after a lost connection, at the server’s offset', async () => {
    const { sent } = start();
    await create();
    (await expectRequest('PATCH', url)).breakOff('network');
    (await expectRequest('HEAD', url)).answer(200, '', { 'upload-offset': '30000000', 'upload-length': String(file.size) });
    const rest = await expectRequest('PATCH', url);
    expect(rest.requestHeaders['upload-offset']).toBe('30000000');
    rest.answer(204, '', { 'upload-offset': String(file.size) });
    expect(await sent).toBe('abc');
  });

  it('fails with the error of the last request when it gives up', async () => {
    const { sent } = start();
    for (let n = 0; n < 3; n += 1) (await nextRequest()).breakOff('network');
    await expect(sent).rejects.toMatchObject({ code: 'ERR_NETWORK' });
  });

  it('fails at once with the server’s refusal, without another try', async () => {
    const { sent } = start();
    (await nextRequest()).answer(507, { code: 'STORAGE_FULL' }, { 'content-type': 'application/problem+json' });
    await expect(sent).rejects.toMatchObject({ response: { status: 507, data: { code: 'STORAGE_FULL' } } });
    expect(FakeRequest.sent).toEqual([]);
  });

  it('tells the server to discard the pieces when it is cancelled', async () => {
    const { sent, controller } = start();
    await create();
    const patch = await expectRequest('PATCH', url);
    controller.abort(new DOMException('', 'AbortError'));
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
    expect(patch.wasAborted).toBe(true);
    (await expectRequest('DELETE', url)).answer(204, '');
  });

  it('stores nothing in the browser’s storage', async () => {
    const { sent } = start();
    await create();
    (await nextRequest()).answer(204, '', { 'upload-offset': String(file.size) });
    await sent;
    expect(localStorage.length).toBe(0);
  });
});

describe('Requesting a prediction from the page', () => {
  const request = fakeRequest({ file });
  const ask = (isKept: boolean, heard: number[] = []) => {
    const { signal } = new AbortController();
    const onUploadProgress = (progress: number) => heard.push(progress);
    return requestPrediction(http(), request, { key: 'k', signal, isKept, onUploadProgress });
  };
  const formOf = ({ body }: FakeRequest) => {
    if (!(body instanceof FormData)) throw new Error('The body is no form');
    return body;
  };

  it('names the upload of a large recording sent in pieces, and only then reports the recording as sent', async () => {
    const heard: number[] = [];
    const answer = ask(true, heard);
    await create();
    (await nextRequest()).answer(204, '', { 'upload-offset': String(file.size) });
    const asked = await nextRequest();
    expect(Math.max(...heard)).toBeLessThan(1);
    expect([...formOf(asked).entries()]).toEqual([['upload', 'abc']]);
    asked.progress(100, 100);
    expect(heard.at(-1)).toBe(1);
    asked.answer(200, fakePrediction());
    expect(await answer).toEqual(fakePrediction());
  });

  it.each([
    ['stopped', true],
    ['refused', false],
  ])('discards the pieces of a large recording if the request is %s', async (_what, isStopped) => {
    const control = new AbortController();
    const options = { key: 'k', signal: control.signal, isKept: true, onUploadProgress: () => {} };
    const answer = requestPrediction(http(), request, options);
    await create();
    (await nextRequest()).answer(204, '', { 'upload-offset': String(file.size) });
    const asked = await nextRequest();
    if (isStopped) control.abort();
    else asked.answer(503, fakeProblem('SERVER_BUSY'));
    await expect(answer).rejects.toThrow();
    await expectRequest('DELETE', url);
  });

  it('sends the whole recording at once if the server accepts no pieces, or no account is signed in', async () => {
    void ask(true).catch(() => {});
    (await nextRequest()).answer(404, { code: 'NOT_FOUND' });
    expect([...formOf(await nextRequest()).keys()]).toEqual(['file']);
    void ask(false).catch(() => {});
    expect([...formOf(await nextRequest()).keys()]).toEqual(['file']);
  });
});
