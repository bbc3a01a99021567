import { namedBirds, type Prediction } from '@chiffchaff/contract';
import type { ApiError } from '../api/api-error.ts';
import { refreshStoredPredictions } from '../api/use-stored-predictions.ts';
import { openOnce } from '../browser/open-once.ts';
import { createStore } from '../browser/store.ts';
import { createPredictionKey } from '../sending/prediction-key.ts';
import type { Outcome } from '../sending/request-prediction.ts';
import type { OpenHttp } from '../session/page-session.ts';
import { keepAnswer } from '../storage/kept-answers.ts';
import { type OutboxPage, outboxCount } from './outbox-page.ts';
import type { OutboxStore, StoredItem } from './outbox-store.ts';
import type { ItemOptions } from './send-item.ts';

/** Web Lock of the one tab that sends. */
const SENDING = 'chiffchaff outbox sending';
/** Delay before the next attempt, unless the server states a longer one. */
const RETRY_MS = 30_000;

export interface OutboxEntry
  extends Pick<
    StoredItem,
    'id' | 'owner' | 'fileName' | 'bytes' | 'startedAt' | 'addedAt' | 'prediction' | 'serverPrediction' | 'error'
  > {
  /** `sending`: this page is uploading it. `listening`: the server is analysing it. The others are those of `StoredItem.state`. */
  readonly standing: StoredItem['state'] | 'sending' | 'listening';
  /** Fraction that has been sent or analysed, 0–1; null while unknown. */
  readonly progress: number | null;
}

export interface OutboxSnapshot {
  /** The entries that may be shown, oldest first: those of the signed-in account and those that belong to the device. */
  readonly entries: readonly OutboxEntry[];
  /** While no account is signed in: how many recordings wait for their account to sign in. Nothing else about them is shown. */
  readonly waitingForSignIn: number;
  /** How many have been analysed by the server during this visit. */
  readonly arrived: number;
}

export interface NewItem extends Pick<StoredItem, 'fileName' | 'startedAt' | 'question' | 'keepAudio' | 'prediction'> {
  readonly sound: Blob;
  /** of the account that it is for; null: it belongs to the device until an account keeps it */
  readonly localId: string | null;
}

interface Parts {
  readonly openStore: () => Promise<OutboxStore>;
  /** null without a page, as in a test of a screen: then nothing is sent */
  readonly page: OutboxPage | null;
  readonly send: (openHttp: OpenHttp, item: StoredItem, file: File, options: ItemOptions) => Promise<Outcome>;
}

interface UnderWay {
  readonly id: string;
  readonly owner: string;
  readonly controller: AbortController;
  readonly standing: 'sending' | 'listening';
  readonly progress: number | null;
}

const namesOf = (prediction: Prediction): string =>
  namedBirds(prediction)
    .map(({ scientificName }) => scientificName)
    .toSorted()
    .join();

const isForSignIn = ({ owner, state }: StoredItem): boolean => owner !== null && state !== 'arrived';

/** An error that would be the same at the next attempt; an ended session is not one. */
const isForGood = (error: ApiError): boolean =>
  error.kind === 'problem' && !error.problem.retryable && error.problem.status !== 401;

/** Recordings on this device that wait for a connection or a sign-in, and the code that uploads them. */
export function createOutbox({ openStore, page, send }: Parts) {
  const { set, ...snapshot } = createStore<OutboxSnapshot>({ entries: [], waitingForSignIn: 0, arrived: 0 });
  /** Stays open for the lifetime of the page. */
  let otherTabs: BroadcastChannel | null = null;
  let items: readonly StoredItem[] = [];
  let arrived = 0;
  let underWay: UnderWay | null = null;
  /** The item to send before the others. */
  let wantedNext: string | null = null;
  let pumping = false;
  let pumpAgain = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const open = openOnce(openStore);
  const account = (): string | null => page?.session.snapshot().state.localId ?? null;

  function publish(): void {
    const localId = account();
    const entries = items
      .filter(({ owner }) => owner === null || owner === localId)
      .map((item): OutboxEntry => {
        const { standing, progress } = underWay?.id === item.id ? underWay : { standing: item.state, progress: null };
        return { ...item, standing, progress };
      })
      .toSorted((one, other) => one.addedAt.localeCompare(other.addedAt));
    const waitingForSignIn = localId === null ? items.filter(isForSignIn).length : 0;
    set({ entries, waitingForSignIn, arrived });
    outboxCount.set(entries.length);
  }

  async function read(): Promise<void> {
    items = await (await open()).items();
    if (underWay && !items.some(({ id, state }) => id === underWay?.id && state === 'waiting')) underWay.controller.abort();
    publish();
  }
  async function changed(): Promise<void> {
    otherTabs?.postMessage('changed');
    await read();
    void pump();
  }

  /** @returns whether the next item can be tried now */
  async function sendOne({ openHttp, queries }: OutboxPage, item: StoredItem, owner: string): Promise<boolean> {
    const store = await open();
    const file = await store.sound(item);
    if (!file) {
      await store.remove(item.id); // the browser has cleared its storage
      return true;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const show = (part: Pick<UnderWay, 'standing' | 'progress'>) => {
      if (signal.aborted) return;
      underWay = { id: item.id, owner, controller, ...part };
      publish();
    };
    show({ standing: 'sending', progress: 0 });
    await store.change(item.id, { wasTried: true });
    let outcome: Outcome;
    try {
      outcome = await send(openHttp, item, file, {
        signal,
        onUploadProgress: (progress) =>
          show(progress < 1 ? { standing: 'sending', progress } : { standing: 'listening', progress: null }),
        onAnalysis: ({ fraction }) => show({ standing: 'listening', progress: fraction }),
        onUploadUrl: (uploadUrl) => void store.change(item.id, { uploadUrl }),
      });
    } finally {
      underWay = null;
    }
    if (signal.aborted) return true; // left out, removed, or its account is no longer signed in
    if (outcome.kind === 'answered') {
      await arrive(store, item, outcome.prediction);
      await refreshStoredPredictions(queries);
      return true;
    }
    const { error } = outcome;
    await store.change(item.id, { error, ...(isForGood(error) && { state: 'refused' }) });
    if (isForGood(error)) return true;
    const seconds = error.kind === 'problem' ? (error.retryAfterSeconds ?? 0) : 0;
    timer = setTimeout(pump, Math.max(RETRY_MS, seconds * 1000));
    return false;
  }

  async function arrive(store: OutboxStore, item: StoredItem, answer: Prediction): Promise<void> {
    arrived += 1;
    if (namesOf(answer) === namesOf(item.prediction)) await store.remove(item.id);
    else {
      await store.change(item.id, { state: 'arrived', serverPrediction: answer, error: null });
      await store.removeSound(item.id);
    }
    if (item.owner !== null && item.owner === account())
      keepAnswer(item.owner, { state: 'done', prediction: answer, keptAudio: null });
    otherTabs?.postMessage('changed');
  }

  /** Sends the waiting items one by one. @returns false if one failed and has to be retried later */
  async function sendAll(): Promise<boolean> {
    for (;;) {
      const owner = account();
      await read();
      if (!page || owner === null || owner !== account() || !page.connection.snapshot()) return true;
      const waiting = items.filter((item) => item.owner === owner && item.state === 'waiting');
      const next = waiting.find(({ id }) => id === wantedNext) ?? waiting[0];
      wantedNext = null;
      if (!next) return true;
      if (await sendOne(page, next, owner)) continue;
      await read();
      return false;
    }
  }

  async function pump(): Promise<void> {
    pumpAgain = true;
    if (pumping) return;
    pumping = true;
    clearTimeout(timer);
    try {
      while (pumpAgain) {
        pumpAgain = false;
        const goesOn = await navigator.locks.request(SENDING, sendAll);
        if (!goesOn) pumpAgain = false; // the timer retries
      }
    } catch {
      timer = setTimeout(pump, RETRY_MS); // a chunk of the page could not be fetched
    } finally {
      pumping = false;
      publish();
    }
  }

  const change = async (id: string, part: Partial<StoredItem>) => {
    await (await open()).change(id, part);
    await changed();
  };
  async function removeWhere(isGone: (item: StoredItem) => boolean): Promise<void> {
    const store = await open();
    await Promise.all((await store.items()).filter(isGone).map(({ id }) => store.remove(id)));
    await changed();
  }
  /** Watches sign-ins and sign-outs, the connection, and other tabs. */
  function follow({ session, connection }: OutboxPage): void {
    session.subscribe(() => {
      // A recording of one account must never be sent with the token of another.
      if (underWay && underWay.owner !== account()) underWay.controller.abort();
      publish();
      void pump();
    });
    session.onEnd((how, localId) => {
      // What has arrived is in the account's history.
      if (how !== 'expired') removeWhere(({ owner, state }) => owner === localId && state === 'arrived').catch(() => {});
    });
    connection.subscribe(() => void pump());
    otherTabs = new BroadcastChannel('chiffchaff outbox');
    otherTabs.onmessage = () => void read();
  }

  async function start(): Promise<void> {
    await (await open()).sweep();
    await read();
    void pump();
  }
  if (page) {
    follow(page);
    start().catch(() => {}); // without storage, nothing can be waiting
  }

  return {
    ...snapshot,

    /**
     * Adds a recording.
     *
     * @returns the key of its prediction on the server
     * @throws DOMException `QuotaExceededError` when the disk is full, another one if the browser stores nothing
     */
    async add({ sound, localId, ...item }: NewItem): Promise<string> {
      const key = createPredictionKey();
      // Asks the browser not to clear the storage when the device runs out of space.
      void navigator.storage.persist?.();
      await (await open()).add(
        {
          ...item,
          id: createPredictionKey(),
          key,
          owner: localId,
          type: sound.type,
          bytes: sound.size,
          addedAt: new Date().toISOString(),
          state: 'waiting',
          wasTried: false,
          uploadUrl: null,
          error: null,
          serverPrediction: null,
        },
        sound,
      );
      await changed();
      return key;
    },

    /** Sends an item before the others, even if it was left out or refused. */
    async sendNow(id: string): Promise<void> {
      const item = items.find((one) => one.id === id);
      if (!item || underWay?.id === id) return;
      wantedNext = id;
      const isAnew = item.state === 'refused';
      await change(id, { state: 'waiting', error: null, ...(isAnew && { key: createPredictionKey(), wasTried: false }) });
    },

    /** Holds an item back until the user sends it. */
    leaveOut: (id: string) => change(id, { state: 'leftOut' }),

    /** Assigns an item of the device to the account that is signed in now. */
    async keep(id: string): Promise<void> {
      const owner = account();
      if (owner !== null) await change(id, { owner });
    },

    /** An item's audio, to be saved as a file; null if it no longer exists. */
    async sound(id: string): Promise<File | null> {
      const item = items.find((one) => one.id === id);
      return item ? (await open()).sound(item) : null;
    },

    async remove(id: string): Promise<void> {
      await (await open()).remove(id);
      await changed();
    },

    /** Removes all items of an account, as when the account is deleted. */
    removeAllOf: (localId: string) => removeWhere(({ owner }) => owner === localId),

    /** Removes the items that wait for a sign-in. If their account has been deleted on another device, nothing else would. */
    async removeWaitingForSignIn(): Promise<void> {
      if (account() === null) await removeWhere(isForSignIn);
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
