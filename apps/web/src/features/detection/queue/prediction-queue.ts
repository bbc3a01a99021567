import type { Prediction } from '@chiffchaff/contract';
import type { ApiError } from '../../../platform/api/api-error.ts';
import { createStore } from '../../../platform/browser/store.ts';
import type { DeviceAnswer, DeviceQuestion } from '../../../platform/on-device/device-recognizer.ts';
import { createPredictionKey } from '../../../platform/sending/prediction-key.ts';
import type { PredictionRequest, SendPrediction } from '../../../platform/sending/request-prediction.ts';
import { nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { flagsOf, idle, type PredictionAction, type PredictionState, reducePrediction } from '../prediction-state.ts';

/** A submitted recording and the state of its prediction; `idle` while it waits for its turn. */
export interface QueueEntry {
  readonly id: string;
  readonly request: PredictionRequest;
  readonly state: PredictionState;
  /** Its prediction is in an account's history. */
  readonly isKept: boolean;
  /** It was a visitor's prediction, and is kept since the visitor has signed in. */
  readonly wasUnkept?: boolean;
  /** The page was reloaded: it still has the prediction, but not the recording. */
  readonly isAudioMissing?: boolean;
  /** It waits in the outbox, which sends it to the history. */
  readonly isPutAside?: boolean;
  /** More details of a prediction that this page made; null for one of the server. */
  readonly device: DeviceAnswer | null;
}

/** An entry that was removed, and where it stood in the list at that time. */
export interface RemovedEntry {
  readonly entry: QueueEntry;
  readonly at: number;
}

export interface QueueSnapshot {
  readonly entries: readonly QueueEntry[];
  /** The entry on screen; null while recordings are being chosen. */
  readonly shown: QueueEntry | null;
  /** A request that was submitted alone and cancelled: the form starts with it. */
  readonly takenBack: PredictionRequest | null;
}

/** Placeholder for the request of a prediction from before a reload, which is not stored. */
const unknownRequest: Omit<PredictionRequest, 'file'> = {
  ...nothingKnown,
  language: null,
  keepAudio: null,
  listeningCopy: false,
  isForDevice: false,
};

/** @param logFailure called on every failure: the specification demands a line in the console */
export function createPredictionQueue(logFailure: (error: ApiError) => void) {
  /** That of the latest submission. */
  let sender: SendPrediction | null = null;
  let entries: readonly QueueEntry[] = [];
  let shownId: string | null = null;
  let takenBack: PredictionRequest | null = null;
  const { set, ...store } = createStore<QueueSnapshot>({ entries, shown: null, takenBack });
  let underWay: { readonly id: string; readonly controller: AbortController } | null = null;
  let held = false;
  let keptAtSignIn: readonly string[] = [];

  const publish = () => set({ entries, shown: entries.find(({ id }) => id === shownId) ?? null, takenBack });
  const change = (id: string, changed: (entry: QueueEntry) => QueueEntry) => {
    entries = entries.map((entry) => (entry.id === id ? changed(entry) : entry));
    publish();
  };
  const dispatch = (id: string, action: PredictionAction) =>
    change(id, (entry) => ({ ...entry, state: reducePrediction(entry.state, action) }));

  async function run({ id, request }: QueueEntry, send: SendPrediction): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    underWay = { id, controller };
    const unlessStopped = (action: PredictionAction) => {
      if (!signal.aborted) dispatch(id, action);
    };
    dispatch(id, { type: 'start' });
    if (request.isForDevice) dispatch(id, { type: 'uploadProgress', progress: 1 }); // there is nothing to send
    const outcome = await send(request, {
      key: id,
      signal,
      onUploadProgress: (progress) => unlessStopped({ type: 'uploadProgress', progress }),
      onAnalysis: (report) => unlessStopped({ type: 'listenProgress', report }),
      onSpeechCheck: (progress) => unlessStopped({ type: 'speechCheck', progress }),
    });
    if (signal.aborted) return; // cancelled by the user, which is no failure
    underWay = null;
    if (outcome.kind === 'failed') {
      logFailure(outcome.error);
      dispatch(id, { type: 'failure', error: outcome.error });
    } else {
      const { prediction: result, isKept = false, device = null } = outcome;
      change(id, ({ state, ...entry }) => ({
        ...{ ...entry, isKept, device },
        state: reducePrediction(state, { type: 'success', result }),
      }));
    }
    startNext();
  }
  function startNext(): void {
    const next = entries.find(({ state }) => state.kind === 'idle');
    if (next && sender && !underWay && !held) void run(next, sender);
  }
  /** Removes entries; if the one on screen is removed, its neighbour is shown. */
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
   * Sends recordings that no account has to the server, again or for the first time: the server keeps nothing of a visitor's requests, and
   * predictions of this page exist only here.
   */
  function sendAgain(ids: readonly string[], changes: Partial<PredictionRequest> = {}): void {
    entries = entries.map((entry) => {
      const { isKept, isAudioMissing, isPutAside, state } = entry;
      if (!ids.includes(entry.id) || isKept || isAudioMissing || isPutAside || !flagsOf(state).done) return entry;
      const request = { ...entry.request, ...changes, isForDevice: false };
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
    /** Adds recordings; the first is sent immediately if none is being sent. Skips those that are still waiting or in progress. */
    submit(requests: readonly PredictionRequest[], send: SendPrediction) {
      const inHand = new Set(entries.filter(({ state }) => !flagsOf(state).done).map(({ request }) => request.file));
      const added = requests
        .filter(({ file }) => !inHand.has(file))
        .map((request) => ({ id: createPredictionKey(), request, state: idle, isKept: false, device: null }));
      if (added.length === 0) return;
      sender = send;
      entries = [...entries, ...added];
      takenBack = null;
      held = false;
      shownId = added[0]?.id ?? null;
      publish();
      startNext();
    },
    /** Cancels and removes a recording. The request of a single one is kept, to be changed and sent again, unless it failed. */
    cancel(id: string) {
      const [only] = entries;
      takenBack = entries.length === 1 && only?.id === id && only.state.kind !== 'failed' ? only.request : null;
      remove((entry) => entry.id === id);
    },
    retry(id: string) {
      const failed = entries.find((entry) => entry.id === id);
      if (failed?.state.kind !== 'failed') return;
      // A refused request gets a new key. One whose response was lost keeps its key, so that the server does not repeat the work.
      const again = { ...failed, id: failed.state.error.kind === 'problem' ? createPredictionKey() : id, state: idle };
      if (shownId === id) shownId = again.id;
      held = false;
      change(id, () => again);
      startNext();
    },
    keep: (ids: readonly string[]) => sendAgain(ids),
    /** Replaces a prediction that no account has by one for other conditions. */
    sendAgain: (id: string, question: DeviceQuestion) => sendAgain([id], question),
    putAside: (id: string) => change(id, (entry) => ({ ...entry, isPutAside: true })),
    /** Remembers which predictions the next account that signs in will keep. */
    keepAtSignIn(ids: readonly string[]) {
      keptAtSignIn = ids;
    },
    signedIn() {
      const ids = keptAtSignIn;
      keptAtSignIn = [];
      if (ids.length > 0) sendAgain(ids);
    },
    /** Adds a visitor's predictions from before a reload; does nothing if the queue already has recordings. */
    restore(answers: readonly Prediction[]) {
      if (answers.length === 0 || entries.length > 0) return;
      entries = answers.map((result) => ({
        id: createPredictionKey(),
        request: { ...unknownRequest, file: new File([], result.recording.fileName ?? '') },
        state: { kind: 'done', result },
        isKept: false,
        isAudioMissing: true,
        device: null,
      }));
      shownId = entries.length === 1 ? (entries[0]?.id ?? null) : null;
      publish();
    },
    /** null shows the form for choosing more */
    show(id: string | null) {
      shownId = id;
      publish();
    },
    reconsidered: (id: string, result: Prediction) => dispatch(id, { type: 'reconsidered', result }),
    /** While held, no further recording is sent, until a new submission or retry. */
    hold(isHeld: boolean) {
      held = isHeld;
      startNext();
    },
    /** Puts back what was removed, in that order, each where it stood; what had not been finished begins again. */
    putBack(removed: readonly RemovedEntry[]) {
      const again = (entry: QueueEntry) => ({ ...entry, id: createPredictionKey(), state: idle });
      for (const { entry, at } of removed.toReversed())
        entries = entries.toSpliced(at, 0, flagsOf(entry.state).done ? entry : again(entry));
      publish();
      startNext();
    },
    /** Removes all finished entries, answered and failed. */
    forgetAnswered: () => remove(({ state }) => flagsOf(state).done),
    reset() {
      takenBack = null;
      keptAtSignIn = [];
      remove(() => true);
    },
  };
}

/** Sends recordings one after another. Lives outside any component, so that visiting another screen loses none. */
export type PredictionQueue = ReturnType<typeof createPredictionQueue>;
