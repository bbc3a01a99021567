import type { BirdReview, ProblemBody } from '@chiffchaff/contract';
import { type AxiosAdapter, AxiosError } from 'axios';
import { beforeEach, expect, it } from 'vitest';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { FakeRequest, nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { createHttpClient } from '../api/http-client.ts';
import type { StoredItem } from './outbox-store.ts';
import { sendItem } from './send-item.ts';

beforeEach(useFakeTransport);

const item: StoredItem = {
  id: 'item',
  key: 'key',
  owner: 'ada',
  fileName: 'dawn.wav',
  type: 'audio/wav',
  bytes: 5,
  startedAt: '2026-05-01T05:12:00.000Z',
  addedAt: '2026-05-01T05:20:00.000Z',
  question: {
    place: { latitude: 50.8, longitude: 12.9 },
    placeSource: 'file',
    timeZone: 'Europe/Berlin',
    date: '2026-05-01',
    minScore: 0.1,
    language: 'de',
  },
  prediction: fakePrediction(),
  state: 'waiting',
  wasTried: false,
  uploadUrl: null,
  error: null,
  serverPrediction: null,
};
/** Requests made with `fetch`. */
let asked: string[] = [];
/** How the server ended an earlier try; null: it does not know it. */
let ended: ProblemBody | null = null;
const events: AxiosAdapter = async (config) => {
  asked.push(config.url ?? '');
  const answer = { data: null, status: 404, statusText: '', headers: {}, config };
  if (ended === null) throw new AxiosError('refused', 'ERR_BAD_REQUEST', config, null, answer);
  const { body } = new Response(`id: 1\nevent: failed\ndata: ${JSON.stringify({ problem: ended })}\n\n`);
  return { ...answer, status: 200, data: body };
};

function send(part: Partial<StoredItem> = {}, earlier: ProblemBody | null = null) {
  asked = [];
  ended = earlier;
  const http = overFakeTransport(createHttpClient('', { tokenForCall: async () => 'a-token', refused: () => {} }));
  http.interceptors.request.use((config) => (config.adapter === 'fetch' ? { ...config, adapter: events } : config));
  const options = { onUploadProgress: () => {}, onAnalysis: () => {}, onUploadUrl: () => {} };
  const file = new File(['sound'], item.fileName);
  return sendItem(http, { ...item, ...part }, file, { ...options, signal: new AbortController().signal });
}

it('Sending a recording from the outbox sends its audio, idempotency key and settings, but not the device’s result', async () => {
  const outcome = send();
  const request = await nextRequest();
  expect(request.url).toBe('/get_prediction');
  expect(request.requestHeaders['idempotency-key']).toBe('key');
  if (!(request.body instanceof FormData)) throw new Error('The body is no form');
  expect(
    Object.fromEntries([...request.body].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])),
  ).toEqual({
    latitude: '50.8',
    longitude: '12.9',
    placeSource: 'file',
    date: '2026-05-01',
    language: 'de',
    minScore: '0.1',
    file: 'dawn.wav',
  });
  request.answer(200, fakePrediction());
  expect((await outcome).kind).toBe('answered');
});

it('Sending a recording from the outbox includes the audio retention chosen for it', async () => {
  const outcome = send({ keepAudio: 'nothing' });
  const request = await nextRequest();
  if (!(request.body instanceof FormData)) throw new Error('The body is no form');
  expect(request.body.get('keepAudio')).toBe('nothing');
  request.answer(200, fakePrediction());
  expect((await outcome).kind).toBe('answered');
});

it('Sending a recording from the outbox again first requests the result of the earlier try', async () => {
  const outcome = send({ wasTried: true });
  const sent = await nextRequest();
  expect([...asked, sent.url]).toEqual(['/v1/predictions/key/events', '/get_prediction']);
  sent.answer(200, fakePrediction());
  expect((await outcome).kind).toBe('answered');
});

const said = (scientificName: string, verdict: BirdReview['verdict']): BirdReview => ({
  ...{ scientificName, commonName: scientificName, verdict },
  ...{ to: null, toCommonName: null, at: '2026-05-01T05:12:50.000Z' },
});
const reviewed = {
  prediction: fakePrediction({ reviews: [said('Turdus merula', 'rejected'), said('Wren & co', 'confirmed')] }),
};

it('Sending a recording from the outbox ends with sending the reviews of its birds', async () => {
  const outcome = send(reviewed);
  (await nextRequest()).answer(200, fakePrediction({ id: 'p' }));
  const rejected = await nextRequest();
  expect([rejected.method, rejected.url, rejected.body]).toEqual([
    'PUT',
    '/v1/predictions/p/reviews/Turdus%20merula',
    JSON.stringify({ verdict: 'rejected' }),
  ]);
  // The server does not name it.
  rejected.answer(404, fakeProblem('SPECIES_NOT_MENTIONED', { retryable: false }));
  const confirmed = await nextRequest();
  expect([confirmed.url, confirmed.body]).toEqual([
    '/v1/predictions/p/reviews/Wren%20%26%20co',
    JSON.stringify({ verdict: 'added' }),
  ]);
  confirmed.answer(200, { reviews: [said('Wren & co', 'added')] });
  expect(await outcome).toMatchObject({ kind: 'answered', prediction: { id: 'p', reviews: [{ verdict: 'added' }] } });
});

it('Sending a recording from the outbox fails if a review of its birds does not arrive', async () => {
  const outcome = send(reviewed);
  (await nextRequest()).answer(200, fakePrediction());
  (await nextRequest()).breakOff('network');
  expect(await outcome).toMatchObject({ kind: 'failed', error: { kind: 'network' } });
});

it.each(['UPLOAD_INTERRUPTED', 'UPLOAD_TIMEOUT', 'DECODER_FAILED'] as const)(
  'A recording from the outbox whose earlier try ended with %s is sent again with the same idempotency key',
  async (code) => {
    const outcome = send({ wasTried: true }, fakeProblem(code, { retryable: true }));
    const sent = await nextRequest();
    expect([sent.url, sent.requestHeaders['idempotency-key']]).toEqual(['/get_prediction', 'key']);
    sent.answer(200, fakePrediction());
    expect((await outcome).kind).toBe('answered');
  },
);

it.each(['RECORDING_DAMAGED', 'PREDICTION_CANCELLED'] as const)(
  'A recording from the outbox whose earlier try ended with %s fails without being sent again',
  async (code) => {
    const outcome = await send({ wasTried: true }, fakeProblem(code, { retryable: false }));
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'problem', problem: { code, retryable: false } } });
    expect(FakeRequest.sent).toEqual([]);
  },
);
