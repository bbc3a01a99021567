import { beforeEach, expect, it } from 'vitest';
import { fakePrediction } from '../../testing/fake-data.ts';
import { fakeRequest } from '../../testing/fake-request.ts';
import { nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from '../api/http-client.ts';
import { requestPrediction } from './request-prediction.ts';

beforeEach(useFakeTransport);

const file = new File(['sound'], 'morning.wav');
const http = () => overFakeTransport(createHttpClient(''));
const unknown = fakeRequest({ file });
const quiet = {
  key: 'k-1',
  signal: new AbortController().signal,
  isKept: false,
  onUploadProgress: () => {},
};

it('A recording is sent to the server as one multipart form, with the settings before the file', async () => {
  const answer = requestPrediction(
    http(),
    fakeRequest({
      ...{ file, place: { latitude: 50.83, longitude: 12.92 }, placeSource: 'file' },
      ...{ date: '2026-05-01', language: 'de', keepAudio: 'moments', listeningCopy: true },
    }),
    quiet,
  );
  const request = await nextRequest();
  expect([request.method, request.url]).toEqual(['POST', '/get_prediction']);
  if (!(request.body instanceof FormData)) throw new Error('The body is no form');
  expect([...request.body.keys()]).toEqual([
    ...['latitude', 'longitude', 'placeSource', 'date', 'language', 'keepAudio', 'listeningCopy', 'file'],
  ]);
  expect(request.requestHeaders['idempotency-key']).toBe('k-1');
  expect(request.body.get('latitude')).toBe('50.83');
  expect(request.body.get('file')).toMatchObject({ name: 'morning.wav', size: 5 });
  request.answer(200, fakePrediction());
  expect(await answer).toEqual(fakePrediction());
});

it('A recording is sent to the server without empty fields, and the browser sets the content type', async () => {
  const answer = requestPrediction(http(), unknown, quiet);
  const request = await nextRequest();
  expect(request.requestHeaders['content-type'] ?? '').not.toContain('audio');
  expect(request.requestHeaders['content-type'] ?? '').not.toBe('multipart/form-data');
  if (!(request.body instanceof FormData)) throw new Error('The body is no form');
  expect([...request.body.keys()]).toEqual(['file']);
  request.answer(200, fakePrediction());
  await answer;
});

it('A recording that is sent to the server reports how much of it has been sent', async () => {
  const heard: number[] = [];
  const answer = requestPrediction(http(), unknown, { ...quiet, onUploadProgress: (progress) => heard.push(progress) });
  const request = await nextRequest();
  request.progress(50, 200);
  request.progress(200, 200);
  request.answer(200, fakePrediction());
  await answer;
  expect(heard[0]).toBe(0.25);
  expect(heard.at(-1)).toBe(1);
});

it('A response of the server to a recording that is not a prediction is refused by the page', async () => {
  const answer = requestPrediction(http(), unknown, quiet);
  (await nextRequest()).answer(200, { bird: 'yes' });
  await expect(answer).rejects.toThrow();
});
