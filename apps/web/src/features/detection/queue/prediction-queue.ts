import type { Prediction } from '@chiffchaff/contract';
import type { ApiError } from '../../../platform/api/api-error.ts';
import { createStore } from '../../../platform/browser/store.ts';
import { flagsOf, idle, type PredictionAction, type PredictionState, reducePrediction } from '../prediction-state.ts';
import type { PredictionRequest, SendPrediction } from '../sending/request-prediction.ts';

/** A random UUID. `crypto.randomUUID` exists on secure origins only; a server in a home network is often reached by plain http. */
export function createPredictionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40; // version 4
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80; // variant of RFC 9562
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A recording that was handed in, and where its prediction stands; `idle` while it waits for its turn. */
export interface QueueEntry {
  readonly id: string;
  readonly request: PredictionRequest;
  readonly state: PredictionState;
}

export interface QueueSnapshot {
  readonly entries: readonly QueueEntry[];
  /** The one that is looked at; null while recordings are chosen. */
  readonly shown: QueueEntry | null;
  /** What was handed in alone and cancelled: the form begins with it. */
  readonly takenBack: PredictionRequest | null;
}

/** @param logFailure hears of every failure: the specification asks for a line in the console */
export function createPredictionQueue(logFailure: (error: ApiError) => void) {
  const senders = new WeakMap<File, SendPrediction>();
  let entries: readonly QueueEntry[] = [];
  let shownId: string | null = null;
  let takenBack: PredictionRequest | null = null;
  const { set, ...store } = createStore<QueueSnapshot>({ entries, shown: null, takenBack });
  let underWay: { readonly id: string; readonly controller: AbortController } | null = null;
  let held = false;

  const publish = () => set({ entries, shown: entries.find(({ id }) => id === shownId) ?? null, takenBack });
  const dispatch = (id: string, action: PredictionAction) => {
    const changed = entries.map((entry) =>
      entry.id === id ? { ...entry, state: reducePrediction(entry.state, action) } : entry,
    );
    if (changed.every(({ state }, index) => state === entries[index]?.state)) return;
    entries = changed;
    publish();
  };

  async function run({ id, request }: QueueEntry, send: SendPrediction): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    underWay = { id, controller };
    const unlessStopped = (action: PredictionAction) => {
      if (!signal.aborted) dispatch(id, action);
    };
    unlessStopped({ type: 'start' });
    const outcome = await send(request, {
      key: id,
      signal,
      onUploadProgress: (progress) => unlessStopped({ type: 'uploadProgress', progress }),
      onListening: (report) => unlessStopped({ type: 'listenProgress', report }),
    });
    if (signal.aborted) return; // the person stopped it; that is no failure
    underWay = null;
    if (outcome.kind === 'failed') logFailure(outcome.error);
    dispatch(
      id,
      outcome.kind === 'answered' ? { type: 'success', result: outcome.prediction } : { type: 'failure', error: outcome.error },
    );
    startNext();
  }
  function startNext(): void {
    const next = entries.find(({ state }) => state.kind === 'idle');
    const send = next && senders.get(next.request.file);
    if (next && send && !underWay && !held) void run(next, send);
  }
  /** Takes entries out; who was looking at one of them looks at its neighbour. */
  function remove(isGone: (entry: QueueEntry) => boolean): void {
    const index = entries.findIndex(({ id }) => id === shownId);
    const shownIsGone = entries.some((entry) => entry.id === shownId && isGone(entry));
    if (underWay && entries.some((entry) => entry.id === underWay?.id && isGone(entry))) {
      underWay.controller.abort();
      underWay = null;
    }
    entries = entries.filter((entry) => !isGone(entry));
    if (shownIsGone) shownId = (entries[index] ?? entries.at(-1))?.id ?? null;
    publish();
    startNext();
  }

  return {
    ...store,
    /** Takes recordings in; the first is sent at once if none is on its way. One that is not answered yet is not taken in twice. */
    submit(requests: readonly PredictionRequest[], send: SendPrediction) {
      const inHand = new Set(entries.filter(({ state }) => !flagsOf(state).done).map(({ request }) => request.file));
      const added = requests
        .filter(({ file }) => !inHand.has(file))
        .map((request) => ({ id: createPredictionKey(), request, state: idle }));
      for (const { request } of added) senders.set(request.file, send);
      if (added.length === 0) return;
      entries = [...entries, ...added];
      takenBack = null;
      held = false;
      shownId = added[0]?.id ?? null;
      publish();
      startNext();
    },
    /** Stops a recording's request and takes it out. What was asked of a single one stays, to be changed and sent again. */
    cancel(id: string) {
      const [only] = entries;
      takenBack = entries.length === 1 && only?.id === id ? only.request : null;
      remove((entry) => entry.id === id);
    },
    retry(id: string) {
      const failed = entries.find((entry) => entry.id === id);
      if (failed?.state.kind !== 'failed') return;
      // A refused request is asked anew; one whose answer was lost keeps its key, so that the server does not work twice.
      const again = { ...failed, id: failed.state.error.kind === 'problem' ? createPredictionKey() : id, state: idle };
      entries = entries.map((entry) => (entry === failed ? again : entry));
      if (shownId === id) shownId = again.id;
      held = false;
      publish();
      startNext();
    },
    /** null leads to choosing further ones. */
    show(id: string | null) {
      shownId = id;
      publish();
    },
    reconsidered: (id: string, result: Prediction) => dispatch(id, { type: 'reconsidered', result }),
    /** While it holds, no further recording is sent, until one is asked for anew. */
    hold(isHeld: boolean) {
      held = isHeld;
      startNext();
    },
    /** Takes out all that wait for nothing any more: answered and failed ones. */
    forgetAnswered: () => remove(({ state }) => flagsOf(state).done),
    reset() {
      takenBack = null;
      remove(() => true);
    },
  };
}

/** Recordings one after another, outside of any component, so that looking something up on another screen loses none. */
export type PredictionQueue = ReturnType<typeof createPredictionQueue>;
