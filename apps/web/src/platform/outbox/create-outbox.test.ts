import { eventually } from '@chiffchaff/testing';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { createFakeStorage } from '../../testing/fake-storage.ts';
import { signIn } from '../../testing/sign-in.ts';
import { createStore } from '../browser/store.ts';
import type { Outcome } from '../sending/request-prediction.ts';
import { type AuthSession, createAuthSession } from '../session/create-auth-session.ts';
import { createOutbox, type NewItem, type Outbox } from './create-outbox.ts';
import type { OutboxPage } from './outbox-page.ts';
import type { OutboxStore, StoredItem } from './outbox-store.ts';

/** The device's storage, shared by several tabs and visits. */
function createFakeDevice() {
  const items = new Map<string, StoredItem>();
  const sounds = new Map<string, Blob>();
  const removeSound = async (id: string) => void sounds.delete(id);
  const store: OutboxStore = {
    items: async () => [...items.values()],
    async add(item, sound) {
      sounds.set(item.id, sound);
      items.set(item.id, item);
    },
    async change(id, part) {
      const present = items.get(id);
      if (present) items.set(id, { ...present, ...part });
    },
    async sound({ id, fileName, type }) {
      const sound = sounds.get(id);
      return sound ? new File([sound], fileName, { type }) : null;
    },
    removeSound,
    async remove(id) {
      items.delete(id);
      await removeSound(id);
    },
    sweep: async () => {},
  };
  return { store, items, sounds };
}

/** Web Locks shared by all tabs: one holder at a time. */
function createFakeLocks() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: (_name: string, work: () => Promise<unknown>) => {
      last = last.catch(() => {}).then(work);
      return last;
    },
  };
}

interface Attempt {
  readonly item: StoredItem;
  readonly signal: AbortSignal;
  readonly account: string | null;
  readonly answer: (outcome: Outcome) => void;
}

let device: ReturnType<typeof createFakeDevice>;
let session: AuthSession;
let connection: ReturnType<typeof createStore<boolean>> & { check(): void };
let attempts: Attempt[];

const answered = (part = {}): Outcome => ({ kind: 'answered', prediction: fakePrediction(part) });
const unreachable: Outcome = { kind: 'failed', error: { kind: 'network', message: 'Network Error' } };
const failedWith = (status: number, retryable: boolean): Outcome => {
  const problem = fakeProblem('RECORDING_DAMAGED', { status, retryable });
  return { kind: 'failed', error: { kind: 'problem', message: problem.detail, problem, retryAfterSeconds: null } };
};

function openTab(): Outbox {
  const page: OutboxPage = {
    session,
    connection,
    queries: new QueryClient(),
    openHttp: () => Promise.reject(new Error('No call was expected')),
  };
  return createOutbox({
    openStore: async () => device.store,
    page,
    send: (_openHttp, item, _file, { signal }) =>
      new Promise((resolve) => {
        attempts.push({ item, signal, account: session.snapshot().state.localId, answer: resolve });
      }),
  });
}
const put = (outbox: Outbox, part: Partial<NewItem> = {}) =>
  outbox.add({
    sound: new Blob(['sound']),
    fileName: 'dawn.wav',
    startedAt: '2026-05-01T05:12:00.000Z',
    question: {
      place: null,
      placeSource: 'stated',
      timeZone: 'Europe/Berlin',
      date: '2026-05-01',
      minScore: 0.1,
      language: 'en',
    },
    prediction: fakePrediction(),
    localId: 'ada',
    ...part,
  });
const standings = (outbox: Outbox) => outbox.snapshot().entries.map(({ standing }) => standing);
async function attempt(number: number): Promise<Attempt> {
  await eventually(() => expect(attempts.length).toBeGreaterThanOrEqual(number));
  const made = attempts[number - 1];
  if (!made) throw new Error('There was no such attempt');
  return made;
}

beforeEach(async () => {
  vi.stubGlobal('navigator', { ...navigator, locks: createFakeLocks(), storage: {}, languages: ['en'] });
  device = createFakeDevice();
  attempts = [];
  const { storage, events } = createFakeStorage().openTab();
  const renew = async () => Promise.reject(new Error('No renewal was expected'));
  session = createAuthSession({ storage, tabStorage: null, events, renew, revoke: () => {} });
  connection = { ...createStore(true), check: () => {} };
  await signIn(session, 'ada');
});
afterEach(() => vi.useRealTimers());

describe('A recording in the outbox', () => {
  it('is sent as soon as it is added, and removed when it has arrived', async () => {
    const outbox = openTab();
    await put(outbox);
    (await attempt(1)).answer(answered());
    await eventually(() => expect(outbox.snapshot()).toMatchObject({ entries: [], arrived: 1 }));
    expect(device.items.size + device.sounds.size).toBe(0);
    expect(attempts).toHaveLength(1);
  });

  it('waits for a connection', async () => {
    connection.set(false);
    const outbox = openTab();
    await put(outbox);
    await eventually(() => expect(standings(outbox)).toEqual(['waiting']));
    expect(attempts).toHaveLength(0);
    connection.set(true);
    (await attempt(1)).answer(answered());
    await eventually(() => expect(outbox.snapshot().arrived).toBe(1));
  });

  it('is sent again by the next tab, with the same idempotency key and marked as tried, if its tab was killed while sending', async () => {
    await put(openTab());
    const killed = await attempt(1);
    // The browser ends the tab with its lock and its requests.
    vi.stubGlobal('navigator', { ...navigator, locks: createFakeLocks() });
    const outbox = openTab();
    const again = await attempt(2);
    expect(again.item).toMatchObject({ key: killed.item.key, wasTried: true });
    again.answer(answered());
    await eventually(() => expect(outbox.snapshot().arrived).toBe(1));
  });

  it('is sent by only one of two tabs', async () => {
    const [one, other] = [openTab(), openTab()];
    await put(one);
    (await attempt(1)).answer(answered());
    await eventually(() => expect(one.snapshot().entries).toEqual([]));
    await eventually(() => expect(other.snapshot().entries).toEqual([]));
    await put(other, { fileName: 'noon.wav' });
    (await attempt(2)).answer(answered());
    await eventually(() => expect(one.snapshot().arrived + other.snapshot().arrived).toBe(2));
    expect(attempts.map(({ item }) => item.fileName)).toEqual(['dawn.wav', 'noon.wav']);
  });

  it('stays when the connection is lost while it is sent, and is tried again later', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const outbox = openTab();
    await put(outbox);
    (await attempt(1)).answer(unreachable);
    await eventually(() =>
      expect(outbox.snapshot().entries[0]).toMatchObject({ standing: 'waiting', error: { kind: 'network' } }),
    );
    await vi.advanceTimersByTimeAsync(30_000);
    (await attempt(2)).answer(answered());
    await eventually(() => expect(outbox.snapshot().arrived).toBe(1));
  });

  it('is not sent again by itself if the server refuses it, but on request with a new idempotency key', async () => {
    const outbox = openTab();
    await put(outbox);
    const first = await attempt(1);
    first.answer(failedWith(422, false));
    await eventually(() => expect(standings(outbox)).toEqual(['refused']));
    await outbox.sendNow(first.item.id);
    const second = await attempt(2);
    expect(second.item.key).not.toBe(first.item.key);
    expect(second.item.wasTried).toBe(false);
  });

  it('that the user leaves out is no longer sent, except on request', async () => {
    const outbox = openTab();
    await put(outbox);
    const { item, signal } = await attempt(1);
    await outbox.leaveOut(item.id);
    await eventually(() => expect(signal.aborted).toBe(true));
    attempts[0]?.answer(unreachable);
    await put(outbox, { fileName: 'noon.wav' });
    expect((await attempt(2)).item.fileName).toBe('noon.wav');
    expect(standings(outbox)).toEqual(['leftOut', 'sending']);
    await outbox.sendNow(item.id);
    attempts[1]?.answer(answered());
    expect((await attempt(3)).item.id).toBe(item.id);
  });

  it('stays in the list, without its audio, if the server names other birds than the device did', async () => {
    const outbox = openTab();
    await put(outbox);
    const [bird] = fakePrediction().candidates;
    if (!bird) throw new Error('The fake answer names no bird');
    const verdict = { ...fakePrediction().verdict, named: [{ ...bird, scientificName: 'Turdus merula', firstSeconds: 1 }] };
    (await attempt(1)).answer(answered({ verdict }));
    await eventually(() => expect(standings(outbox)).toEqual(['arrived']));
    expect(device.sounds.size).toBe(0);
    expect(outbox.snapshot().entries[0]?.serverPrediction?.verdict).toEqual(verdict);
  });
});

describe('An account with recordings in the outbox', () => {
  it('keeps them when its session ends, and never sees those of another account', async () => {
    const outbox = openTab();
    await put(outbox);
    const first = await attempt(1);
    session.refused(session.snapshot().state.token ?? '');
    expect(first.signal.aborted).toBe(true);
    first.answer(unreachable);
    await eventually(() => expect(outbox.snapshot()).toMatchObject({ entries: [], waitingForSignIn: 1 }));
    await signIn(session, 'eva');
    await eventually(() => expect(outbox.snapshot()).toMatchObject({ entries: [], waitingForSignIn: 0 }));
    session.signOut();
    await signIn(session, 'ada');
    const again = await attempt(2);
    expect(again).toMatchObject({ account: 'ada', item: { key: first.item.key } });
    expect(attempts).toHaveLength(2);
  });

  it('loses them if a visitor who is signed out deletes them, but not if another account tries to', async () => {
    const outbox = openTab();
    await put(outbox);
    const first = await attempt(1);
    session.signOut();
    first.answer(unreachable);
    await eventually(() => expect(outbox.snapshot().waitingForSignIn).toBe(1));
    await signIn(session, 'eva');
    await outbox.removeWaitingForSignIn();
    expect(device.sounds.size).toBe(1);
    session.signOut();
    await outbox.removeWaitingForSignIn();
    expect(outbox.snapshot().waitingForSignIn).toBe(0);
    expect(device.sounds.size).toBe(0);
  });

  it('removes those that have arrived when it signs out, and keeps those that are nowhere else', async () => {
    connection.set(false);
    const outbox = openTab();
    for (const localId of ['ada', 'ada', 'ada', 'eva']) await put(outbox, { localId });
    const [waiting, refused, arrived, others] = [...device.items.values()];
    if (!waiting || !refused || !arrived || !others) throw new Error('Not all recordings were added');
    await device.store.change(refused.id, { state: 'refused' });
    for (const { id } of [arrived, others]) await device.store.change(id, { state: 'arrived' });
    session.refused('ada.token');
    await signIn(session, 'ada');
    expect(device.items.size).toBe(4);
    session.signOut();
    await eventually(() => expect([...device.items.keys()]).toEqual([waiting.id, refused.id, others.id]));
    expect(device.sounds.has(waiting.id) && device.sounds.has(refused.id)).toBe(true);
  });

  it('takes over recordings that belong to no account only on request', async () => {
    const outbox = openTab();
    await put(outbox, { localId: null });
    await eventually(() => expect(standings(outbox)).toEqual(['waiting']));
    expect(attempts).toHaveLength(0);
    await outbox.keep(outbox.snapshot().entries[0]?.id ?? '');
    expect((await attempt(1)).item.owner).toBe('ada');
  });

  it('removes only its own when it is deleted', async () => {
    connection.set(false);
    const outbox = openTab();
    await put(outbox);
    await put(outbox, { localId: 'eva' });
    await outbox.removeAllOf('ada');
    expect([...device.items.values()].map(({ owner }) => owner)).toEqual(['eva']);
    expect(device.sounds.size).toBe(1);
  });
});
