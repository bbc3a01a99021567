import type { Prediction } from '@chiffchaff/contract';
import type { ApiError } from '../../../platform/api/api-error.ts';
import { createStore } from '../../../platform/browser/store.ts';
import type { DeviceAnswer } from '../../../platform/on-device/device-recognizer.ts';
import { createPredictionKey } from '../../../platform/sending/prediction-key.ts';
import type { PredictionRequest, SendPrediction } from '../../../platform/sending/request-prediction.ts';
import { flagsOf, idle, type PredictionAction, type PredictionState, reducePrediction } from '../prediction-state.ts';

/** A recording that was handed in, and where its prediction stands; `idle` while it waits for its turn. */
export interface QueueEntry {
  readonly id: string;
  readonly request: PredictionRequest;
  readonly state: PredictionState;
  /** Its answer is in the history of an account. */
  readonly isKept: boolean;
  /** It was answered to a visitor before, and is kept since the visitor has signed in. */
  readonly wasUnkept?: boolean;
  /** The page was loaded again: it still has the answer, and the recording no more. */
  readonly isSoundGone?: boolean;
  /** It waits in the outbox, from where it goes to the history by itself. */
  readonly isPutAside?: boolean;
  /** What the page itself knows of an answer of its own; null for one of the server. */
  readonly device: DeviceAnswer | null;
}

export interface QueueSnapshot {
  readonly entries: readonly QueueEntry[];
  /** The one that is looked at; null while recordings are chosen. */
  readonly shown: QueueEntry | null;
  /** What was handed in alone and cancelled: the form begins with it. */
  readonly takenBack: PredictionRequest | null;
}

/** How an answer was asked for that came before the page was loaded again: that is not kept. */
const unknownRequest: Omit<PredictionRequest, 'file'> = {
  place: null,
  placeSource: 'stated',
  timeZone: null,
  date: null,
  language: null,
  keepAudio: null,
  listeningCopy: false,
  isForDevice: false,
};

/** @param logFailure hears of every failure: the specification asks for a line in the console */
export function createPredictionQueue(logFailure: (error: ApiError) => void) {
  const senders = new WeakMap<File, SendPrediction>();
  let entries: readonly QueueEntry[] = [];
  let shownId: string | null = null;
  let takenBack: PredictionRequest | null = null;
  const { set, ...store } = createStore<QueueSnapshot>({ entries, shown: null, takenBack });
  let underWay: { readonly id: string; readonly controller: AbortController } | null = null;
  let held = false;
  let keptAtSignIn: readonly string[] = [];

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
    if (request.isForDevice) unlessStopped({ type: 'uploadProgress', progress: 1 }); // there is nothing to send
    const outcome = await send(request, {
      key: id,
      signal,
      onUploadProgress: (progress) => unlessStopped({ type: 'uploadProgress', progress }),
      onListening: (report) => unlessStopped({ type: 'listenProgress', report }),
    });
    if (signal.aborted) return; // the person stopped it; that is no failure
    underWay = null;
    const isKept = outcome.kind === 'answered' && outcome.isKept === true;
    const device = outcome.kind === 'answered' ? outcome.device : null;
    entries = entries.map((entry) => (entry.id === id ? { ...entry, isKept, device: device ?? null } : entry));
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

  /**
   * Sends recordings that no account has to the server, again or for the first time: of what a visitor asks, it keeps nothing, and an answer of
   * this page is only here.
   *
   * @param fileOf what is sent of a recording: other bytes where something in it was silenced; null for nothing
   */
  function keep(ids: readonly string[], fileOf: (file: File) => File | null = (file) => file): void {
    entries = entries.map((entry) => {
      const { isKept, isSoundGone, isPutAside, state } = entry;
      if (!ids.includes(entry.id) || isKept || isSoundGone || isPutAside || !flagsOf(state).done) return entry;
      const file = fileOf(entry.request.file);
      const send = senders.get(entry.request.file);
      if (!file || !send) return entry;
      senders.set(file, send);
      const request = { ...entry.request, file, isForDevice: false };
      const wasUnkept = entry.state.kind === 'done';
      const again = { ...entry, id: createPredictionKey(), request, state: idle, device: null, wasUnkept };
      if (shownId === entry.id) shownId = again.id;
      return again;
    });
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
        .map((request) => ({ id: createPredictionKey(), request, state: idle, isKept: false, device: null }));
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
    keep,
    putAside(id: string) {
      entries = entries.map((entry) => (entry.id === id ? { ...entry, isPutAside: true } : entry));
      publish();
    },
    /** Remembers what is to be kept by the account that signs in next. */
    keepAtSignIn(ids: readonly string[]) {
      keptAtSignIn = ids;
    },
    signedIn() {
      const ids = keptAtSignIn;
      keptAtSignIn = [];
      if (ids.length > 0) keep(ids);
    },
    /** Takes answers in that a visitor had before the page was loaded again. Where recordings are in hand already, nothing is shown over them. */
    restore(answers: readonly Prediction[]) {
      if (answers.length === 0 || entries.length > 0) return;
      entries = answers.map((result) => ({
        id: createPredictionKey(),
        request: { ...unknownRequest, file: new File([], result.recording.fileName ?? '') },
        state: { kind: 'done', result },
        isKept: false,
        isSoundGone: true,
        device: null,
      }));
      shownId = entries.length === 1 ? (entries[0]?.id ?? null) : null;
      publish();
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
      keptAtSignIn = [];
      remove(() => true);
    },
  };
}

/** Recordings one after another, outside of any component, so that looking something up on another screen loses none. */
export type PredictionQueue = ReturnType<typeof createPredictionQueue>;
