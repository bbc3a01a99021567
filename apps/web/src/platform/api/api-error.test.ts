import { beforeEach, describe, expect, it } from 'vitest';
import { isRetryable } from '../../features/detection/failure-stage.tsx';
import { fakeProblem } from '../../testing/fake-data.ts';
import { type FakeRequest, nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { type ApiError, toApiError } from './api-error.ts';
import { createHttpClient } from './http-client.ts';

beforeEach(useFakeTransport);

const client = () => overFakeTransport(createHttpClient('https://api.example'));

/** The rejection of a call whose request the test handles. */
async function failureOf(answer: (request: FakeRequest) => void, options: { timeout?: number } = {}): Promise<ApiError> {
  const failure = client()
    .get('/v1/places', options)
    .then(
      () => {
        throw new Error('The call was not rejected');
      },
      (error: unknown) => toApiError(error),
    );
  answer(await nextRequest());
  return failure;
}

describe('The HTTP client of the page', () => {
  it('sends requests to the configured address, without a timeout and with no headers but Accept', async () => {
    const answer = client().get('/v1/places');
    const request = await nextRequest();
    request.answer(200, { fine: true });
    expect((await answer).data).toEqual({ fine: true });
    expect(request.url).toBe('https://api.example/v1/places');
    expect(request.timeout).toBe(0);
    expect(Object.keys(request.requestHeaders)).toEqual(['accept']);
  });

  it.each([201, 202, 204, 206, 302, 404, 500])('treats status %i as a failure', async (status) => {
    expect(await failureOf((request) => request.answer(status, 'whatever'))).toMatchObject({ kind: 'unexpected', status });
  });
});

describe('An API error on the page', () => {
  it('keeps the problem that the server’s response names, and how long to wait', async () => {
    const body = fakeProblem('SERVER_BUSY', { status: 503, retryable: true });
    const error = await failureOf((request) => request.answer(503, body, { 'retry-after': '7' }));
    expect(error).toEqual({ kind: 'problem', message: 'Detail of SERVER_BUSY', problem: body, retryAfterSeconds: 7 });
    expect(isRetryable(error)).toBe(true);
  });

  it('can be retried only if its problem says so', async () => {
    const error = await failureOf((request) => request.answer(415, fakeProblem('RECORDING_UNSUPPORTED')));
    expect(isRetryable(error)).toBe(false);
  });

  it('says Network Error when the server cannot be reached', async () => {
    expect(await failureOf((request) => request.breakOff('network'))).toEqual({ kind: 'network', message: 'Network Error' });
  });

  it('says Request aborted when the browser ends the request', async () => {
    expect(await failureOf((request) => request.breakOff('abort'))).toEqual({ kind: 'aborted', message: 'Request aborted' });
  });

  it('names the time limit when a call exceeds it', async () => {
    expect(await failureOf((request) => request.breakOff('timeout'), { timeout: 9000 })).toEqual({
      kind: 'timeout',
      message: 'timeout of 9000 ms exceeded',
    });
  });

  it('says Request aborted when the caller cancels the request by its signal', async () => {
    const controller = new AbortController();
    const call = client().get('/v1/places', { signal: controller.signal });
    const request = await nextRequest();
    controller.abort();
    expect(await call.catch(toApiError)).toEqual({ kind: 'aborted', message: 'Request aborted' });
    expect(request.wasAborted).toBe(true);
  });

  it('keeps only the message of an error that was not caused by a failed request', () => {
    expect(toApiError(new Error('odd'))).toEqual({ kind: 'unexpected', message: 'odd', status: null });
    expect(toApiError('odd')).toEqual({ kind: 'unexpected', message: 'odd', status: null });
  });
});
