import { beforeEach, describe, expect, it } from 'vitest';
import type { AuthSession } from '../../platform/auth-session/auth-session.ts';
import { createAuthSession } from '../../platform/auth-session/create-auth-session.ts';
import { madeUpPrediction } from '../../testing/made-up.ts';
import { createMadeUpStorage } from '../../testing/made-up-storage.ts';
import { followAccount } from './follow-account.ts';
import { createPredictionJob, type PredictionJob } from './prediction-job.ts';

const request = { file: new File(['x'], 'a.wav'), place: null, date: null, language: null };

let session: AuthSession;
let job: PredictionJob;
let signals: AbortSignal[];
let answer: () => void;

const signIn = (localId: string) =>
  session.signIn(`${localId}@example.org`, false, async () => ({
    token: `${localId}.id.token`,
    refreshToken: 'refresh',
    expiresInSeconds: 3600,
    localId,
  }));
const ask = () =>
  job.submit(request, (_request, { signal }) => {
    signals.push(signal);
    return new Promise((resolve) => {
      answer = () => resolve(madeUpPrediction());
    });
  });
const answered = async () => {
  answer();
  await Promise.resolve();
  await Promise.resolve();
};
const expire = () => session.refused(session.snapshot().state.token ?? '');
const kind = () => job.snapshot().state.kind;

beforeEach(async () => {
  const { storage, events } = createMadeUpStorage().openTab();
  const renew = async () => Promise.reject(new Error('No renewal was expected'));
  session = createAuthSession({ storage, events, renew, revoke: () => {} });
  job = createPredictionJob(() => {});
  signals = [];
  await signIn('ada');
  followAccount(job, session);
  followAccount(job, session);
});

describe('a prediction', () => {
  it('is dropped with its request when its owner signs out', async () => {
    ask();
    session.signOut();
    expect(job.snapshot()).toMatchObject({ state: { kind: 'idle' }, request: null });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('goes on at expiry while it is in flight, for its owner to find', async () => {
    ask();
    expire();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await answered();
    await signIn('ada');
    expect(kind()).toBe('done');
  });

  it('is dropped at expiry when it has been answered', async () => {
    ask();
    await answered();
    expect(kind()).toBe('done');
    expire();
    expect(kind()).toBe('idle');
  });

  it('is never shown to another account', async () => {
    ask();
    expire();
    await answered();
    await signIn('eva');
    expect(kind()).toBe('idle');
    ask();
    await answered();
    expect(kind()).toBe('done');
  });
});
