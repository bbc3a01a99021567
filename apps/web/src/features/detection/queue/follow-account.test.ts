import { beforeEach, describe, expect, it } from 'vitest';
import type { AuthSession } from '../../../platform/session/auth-session.ts';
import { createAuthSession } from '../../../platform/session/create-auth-session.ts';
import { fakePrediction } from '../../../testing/fake-data.ts';
import { fakeRequest } from '../../../testing/fake-request.ts';
import { createFakeStorage } from '../../../testing/fake-storage.ts';
import { followAccount } from './follow-account.ts';
import { createPredictionQueue, type PredictionQueue } from './prediction-queue.ts';

const request = fakeRequest();
const second = { ...request, file: new File(['y'], 'b.wav') };

let session: AuthSession;
let queue: PredictionQueue;
let signals: AbortSignal[];
let answer: () => void;

const signIn = (localId: string) =>
  session.signIn(`${localId}@example.org`, false, async () => ({
    token: `${localId}.id.token`,
    refreshToken: 'refresh',
    expiresInSeconds: 3600,
    localId,
  }));
const ask = (...requests: readonly (typeof request)[]) =>
  queue.submit(requests, (_request, { signal }) => {
    signals.push(signal);
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
  await signIn('ada');
  followAccount(queue, session);
  followAccount(queue, session);
});

describe('a prediction', () => {
  it('is dropped with its request when its owner signs out', async () => {
    ask(request);
    session.signOut();
    expect(queue.snapshot()).toMatchObject({ entries: [], takenBack: null });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('goes on at expiry while it is in flight, for its owner to find', async () => {
    ask(request);
    expire();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await answered();
    await signIn('ada');
    expect(kinds()).toEqual(['done']);
  });

  it('that waits at expiry is sent when its owner has signed in again', async () => {
    ask(request, second);
    expire();
    await answered();
    expect(kinds()).toEqual(['done', 'idle']);
    await signIn('ada');
    expect(kinds()).toEqual(['done', 'uploading']);
  });

  it('is dropped at expiry when it has been answered', async () => {
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
    await signIn('eva');
    expect(kinds()).toEqual([]);
    ask(request);
    await answered();
    expect(kinds()).toEqual(['done']);
  });
});
