import { describe, expect, it, vi } from 'vitest';
import type { ApiError } from '../../../platform/api/api-error.ts';
import type { Outcome, PredictionRequest, SendPrediction } from '../../../platform/sending/request-prediction.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import { createPredictionQueue } from './prediction-queue.ts';

const requestOf = (name: string) => fakeRequest({ file: new File(['x'], name) });
const [one, two, three] = [requestOf('1.wav'), requestOf('2.wav'), requestOf('3.wav')];
const network: ApiError = { kind: 'network', message: 'Network Error' };
const unexpected: ApiError = { kind: 'unexpected', message: 'odd', status: null };
const answered = (id = 'made-up'): Outcome => ({ kind: 'answered', prediction: fakePrediction({ id }) });
const failed = (error: ApiError): Outcome => ({ kind: 'failed', error });

/** A queue with a server that responds when the test says so. */
function start(...requests: readonly PredictionRequest[]) {
  const log = vi.fn();
  const sent: { name: string; key: string; signal: AbortSignal; settle: (outcome: Outcome) => Promise<void> }[] = [];
  const send = vi.fn<SendPrediction>(({ file }, { key, signal }) => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const settle = async (outcome: Outcome) => {
      resolve(outcome);
      await promise;
      await Promise.resolve();
    };
    sent.push({ name: file.name, key, signal, settle });
    return promise;
  });
  const queue = createPredictionQueue(log);
  queue.submit(requests, send);
  const states = () => queue.snapshot().entries.map(({ request, state }) => `${request.file.name} ${state.kind}`);
  const idOf = (index: number) => queue.snapshot().entries[index]?.id ?? '';
  return { queue, send, log, sent, states, idOf };
}

describe('A single recording in the list of the Detect Bird screen', () => {
  it('is not sent twice while its request is running', () => {
    const { queue, send, states } = start(one);
    queue.submit([one], send);
    expect(send).toHaveBeenCalledTimes(1);
    expect(states()).toEqual(['1.wav uploading']);
  });

  it('is shown as being searched for speech until it is sent', () => {
    const { send, states } = start(one);
    const { onSpeechCheck, onUploadProgress } = send.mock.lastCall?.[1] ?? {};
    onSpeechCheck?.(0.5);
    expect(states()).toEqual(['1.wav checking']);
    onUploadProgress?.(0.1);
    expect(states()).toEqual(['1.wav uploading']);
  });

  it('keeps its whole result, and beside the result for another place also the first one', async () => {
    const { queue, sent, idOf } = start(one);
    await sent[0]?.settle(answered());
    expect(queue.snapshot().shown?.state).toEqual({ kind: 'done', result: fakePrediction() });
    queue.reconsidered(idOf(0), fakePrediction({ id: 'other' }));
    expect(queue.snapshot().shown?.state).toEqual({
      kind: 'done',
      result: fakePrediction({ id: 'other' }),
      first: fakePrediction(),
    });
  });

  it('keeps and logs a failure, and is sent again with the same idempotency key only if the response was lost', async () => {
    const { queue, send, sent, log, idOf, states } = start(one);
    await sent[0]?.settle(failed(network));
    expect(log).toHaveBeenCalledExactlyOnceWith(network);
    expect(states()).toEqual(['1.wav failed']);
    queue.retry(idOf(0));
    expect(send).toHaveBeenCalledTimes(2);
    expect(sent[1]?.key).toBe(sent[0]?.key);
    expect(queue.snapshot().shown?.state.kind).toBe('uploading');
    const problem = { type: '', title: '', status: 503, detail: '', instance: '', code: 'SERVER_BUSY', retryable: true };
    await sent[1]?.settle(failed({ kind: 'problem', message: '', problem, retryAfterSeconds: null }));
    queue.retry(idOf(0));
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
    expect(queue.snapshot().shown?.id).toBe(sent[2]?.key);
  });

  it('has its request ended when it is cancelled, and its settings stay in the form', async () => {
    const { queue, log, sent, idOf } = start(one);
    queue.cancel(idOf(0));
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(queue.snapshot()).toEqual({ entries: [], shown: null, takenBack: one });
    await sent[0]?.settle(failed(unexpected));
    expect(queue.snapshot().entries).toEqual([]);
    expect(log).not.toHaveBeenCalled();
  });

  it('that was removed does not pass its late result to the next recording', async () => {
    const { queue, send, sent, states } = start(one);
    queue.reset();
    expect(queue.snapshot().takenBack).toBeNull();
    queue.submit([one], send);
    await sent[0]?.settle(answered('late'));
    expect(states()).toEqual(['1.wav uploading']);
  });
});

it('The list of the Detect Bird screen does not send recordings again that wait in the outbox', async () => {
  const { queue, send, sent, states, idOf } = start(one);
  await sent[0]?.settle(answered());
  queue.putAside(idOf(0));
  queue.keep([idOf(0)]);
  expect(states()).toEqual(['1.wav done']);
  expect(send).toHaveBeenCalledTimes(1);
});

describe('Several recordings in the list of the Detect Bird screen', () => {
  it('are sent one after another, each with an idempotency key of its own', async () => {
    const { sent, states } = start(one, two, three);
    expect(states()).toEqual(['1.wav uploading', '2.wav idle', '3.wav idle']);
    await sent[0]?.settle(answered());
    expect(states()).toEqual(['1.wav done', '2.wav uploading', '3.wav idle']);
    await sent[1]?.settle(answered());
    await sent[2]?.settle(answered());
    expect(states()).toEqual(['1.wav done', '2.wav done', '3.wav done']);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
  });

  it('continue to be sent when one of them fails', async () => {
    const { sent, states } = start(one, two);
    await sent[0]?.settle(failed(unexpected));
    expect(states()).toEqual(['1.wav failed', '2.wav uploading']);
  });

  it('continue to be sent when a recording being sent or waiting is removed', () => {
    const { queue, sent, states, idOf } = start(one, two, three);
    queue.cancel(idOf(1));
    expect(states()).toEqual(['1.wav uploading', '3.wav idle']);
    queue.cancel(idOf(0));
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(states()).toEqual(['3.wav uploading']);
    expect(queue.snapshot().shown?.request.file.name).toBe('3.wav');
  });

  it('show the result of the recording that the user opens', async () => {
    const { queue, sent, idOf } = start(one, two);
    await sent[0]?.settle(answered());
    expect(queue.snapshot().shown?.id).toBe(idOf(0));
    queue.show(idOf(1));
    expect(queue.snapshot().shown?.request).toBe(two);
    queue.show(null);
    expect(queue.snapshot().shown).toBeNull();
  });

  it('can be joined by more recordings while they are sent', async () => {
    const { queue, send, sent, states } = start(one);
    queue.show(null);
    queue.submit([two], send);
    expect(queue.snapshot().shown?.request).toBe(two);
    expect(states()).toEqual(['1.wav uploading', '2.wav idle']);
    await sent[0]?.settle(answered());
    expect(states()).toEqual(['1.wav done', '2.wav uploading']);
  });

  it('can be put back after all were removed, and the one that was being sent is sent again', async () => {
    const { queue, sent, states } = start(one, two, three);
    await sent[0]?.settle(answered());
    const removed = queue.snapshot().entries.map((entry) => ({ entry, at: 0 }));
    queue.reset();
    expect(sent[1]?.signal.aborted).toBe(true);
    queue.putBack(removed);
    expect(states()).toEqual(['1.wav done', '2.wav uploading', '3.wav idle']);
    expect(sent[2]).toMatchObject({ name: '2.wav' });
    expect(sent[2]?.key).not.toBe(sent[1]?.key);
  });

  it('wait while the page holds them back after a session expired, and are sent once it no longer does', async () => {
    const { queue, sent, states } = start(one, two);
    queue.hold(true);
    await sent[0]?.settle(answered());
    expect(states()).toEqual(['1.wav done', '2.wav idle']);
    queue.forgetAnswered();
    queue.hold(false);
    expect(states()).toEqual(['2.wav uploading']);
  });

  it('are no longer held back after an expired session once the user submits a recording', () => {
    const { queue, send, states } = start();
    queue.hold(true);
    queue.submit([one], send);
    expect(states()).toEqual(['1.wav uploading']);
  });
});

describe('A recording analysed in the browser', () => {
  const here = { ...one, isForDevice: true };
  const device = { prediction: fakePrediction(), reconsider: async () => fakePrediction(), speech: [] };

  it('is analysed at once, without sending anything', async () => {
    const { queue, sent, states } = start(here);
    expect(states()).toEqual(['1.wav listening']);
    await sent[0]?.settle({ kind: 'answered', prediction: fakePrediction(), device });
    expect(queue.snapshot().shown).toMatchObject({ isKept: false, device });
  });

  it('is sent to the server when it is saved', async () => {
    const { queue, send, sent, idOf, states } = start(here);
    await sent[0]?.settle({ kind: 'answered', prediction: fakePrediction(), device });
    queue.keep([idOf(0)]);
    expect(states()).toEqual(['1.wav uploading']);
    expect(send.mock.lastCall?.[0]).toEqual(one);
    expect(queue.snapshot().shown?.device).toBeNull();
  });

  it('can be sent to the server if its analysis failed', async () => {
    const { queue, send, sent, idOf, states } = start(here);
    await sent[0]?.settle(failed({ kind: 'device', message: 'odd', why: 'undecodable' }));
    expect(states()).toEqual(['1.wav failed']);
    queue.keep([idOf(0)]);
    expect(states()).toEqual(['1.wav uploading']);
    expect(send.mock.lastCall?.[0]).toEqual(one);
  });
});
