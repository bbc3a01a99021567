import { beforeEach, describe, expect, it } from 'vitest';
import { workInFlight } from '../../../platform/browser/store.ts';
import type { SendOptions } from '../../../platform/sending/request-prediction.ts';
import { type AuthSession, createAuthSession } from '../../../platform/session/create-auth-session.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import { createFakeStorage } from '../../../testing/fake-storage.ts';
import { signIn } from '../../../testing/sign-in.ts';
import { connectQueueToSession } from './connect-queue-to-session.ts';
import { createPredictionQueue, type PredictionQueue } from './prediction-queue.ts';

const request = fakeRequest();
const second = { ...request, file: new File(['y'], 'b.wav') };

let session: AuthSession;
let page: EventTarget;
let queue: PredictionQueue;
let signals: AbortSignal[];
let sent: SendOptions[];
let answer: () => void;

const ask = (...requests: readonly (typeof request)[]) =>
  queue.submit(requests, (_request, options) => {
    sent.push(options);
    signals.push(options.signal);
    return new Promise((resolve) => {
      answer = () => resolve({ kind: 'answered', prediction: fakePrediction() });
    });
  });
const answered = async () => {
  answer();
  await Promise.resolve();
  await Promise.resolve();
};
const expire = () => session.refused(session.snapshot().state.token ?? '');
const kinds = () => queue.snapshot().entries.map(({ state }) => state.kind);

beforeEach(async () => {
  const { storage, events } = createFakeStorage().openTab();
  const renew = async () => Promise.reject(new Error('No renewal was expected'));
  session = createAuthSession({ storage, tabStorage: null, events, renew, revoke: () => {} });
  queue = createPredictionQueue(() => {});
  signals = [];
  sent = [];
  await signIn(session, 'ada');
  page = new EventTarget();
  workInFlight.set(false);
  connectQueueToSession(queue, session, page);
  connectQueueToSession(queue, session, page);
});

describe('A prediction being made or shown on the page', () => {
  it('is discarded, and its request ended, when its account signs out', async () => {
    ask(request);
    session.signOut();
    expect(queue.snapshot()).toMatchObject({ entries: [], takenBack: null });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('goes on when the session expires, and is shown when its account signs in again', async () => {
    ask(request);
    expire();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await answered();
    await signIn(session, 'ada');
    expect(kinds()).toEqual(['done']);
  });

  it('that waits when the session expires is requested once its account has signed in again', async () => {
    ask(request, second);
    expire();
    await answered();
    expect(kinds()).toEqual(['done', 'idle']);
    await signIn(session, 'ada');
    expect(kinds()).toEqual(['done', 'uploading']);
  });

  it('is discarded when the session expires if it is finished', async () => {
    ask(request);
    await answered();
    expect(kinds()).toEqual(['done']);
    expire();
    expect(kinds()).toEqual([]);
  });

  it('is never shown to another account', async () => {
    ask(request);
    expire();
    await answered();
    await signIn(session, 'eva');
    expect(kinds()).toEqual([]);
    ask(request);
    await answered();
    expect(kinds()).toEqual(['done']);
  });
});

describe('The page offers no new version (`workInFlight`)', () => {
  it('from the submission of a recording to its result', async () => {
    expect(workInFlight.snapshot()).toBe(false);
    ask(request);
    expect(workInFlight.snapshot()).toBe(true);
    await answered();
    expect(workInFlight.snapshot()).toBe(false);
  });

  it('from the submission of a recording until it is removed', () => {
    ask(request);
    expect(workInFlight.snapshot()).toBe(true);
    queue.reset();
    expect(workInFlight.snapshot()).toBe(false);
  });
});

function leave(): 'asked' | 'left' {
  const event = new Event('beforeunload', { cancelable: true });
  page.dispatchEvent(event);
  return event.defaultPrevented ? 'asked' : 'left';
}

describe('Leaving the page', () => {
  it('asks for confirmation only while an upload or a waiting recording would be lost', async () => {
    expect(leave()).toBe('left');
    ask(request);
    sent[0]?.onUploadProgress(0.5);
    expect(leave()).toBe('asked');
    sent[0]?.onUploadProgress(1);
    expect(leave()).toBe('left');
    expire();
    expect(leave()).toBe('asked');
    await signIn(session, 'ada');
    expect(leave()).toBe('left');
    ask(second);
    expect(leave()).toBe('asked');
    queue.cancel(queue.snapshot().entries[1]?.id ?? '');
    await answered();
    expect(leave()).toBe('left');
  });
});
