import {
  REVIEW_TOKEN_HEADER,
  type ReviewClip,
  type ReviewedSpeciesBody,
  type ReviewLabelBody,
  type ReviewVerdict,
  reviewLabelledSchema,
  reviewNextSchema,
  reviewProblemSchema,
  reviewStateSchema,
  reviewUndoneSchema,
} from '@chiffchaff/contract';
import type { z } from 'zod';
import { createStore, type Store } from '../../platform/browser/store.ts';

/** A clip whose audio is already being fetched. */
export interface LoadedClip {
  readonly clip: ReviewClip;
  readonly sound: Promise<ClipSound>;
}

/** What the screen shows of a review, as it is at first. */
const atFirst = {
  /** the one to label; null while it is awaited, and when all is done */
  current: null as LoadedClip | null,
  /** Nothing is left to label. */
  isDone: false,
  /** share of the kept detections that should be right, 0–1 */
  target: 0,
  labelsName: '',
  species: [] as readonly ReviewedSpeciesBody[],
  canUndo: false,
  /** the last failure */
  trouble: null as ReviewError | null,
  /** labels saved since the page was opened */
  saved: 0,
  /** the last label, once it is saved */
  lastVerdict: null as ReviewVerdict | null,
  /** the species that the last label completed */
  justDone: null as string | null,
  /** Whether a label or skip was ignored because no clip was shown yet. */
  isMissed: false,
};
export type ReviewSnapshot = Readonly<typeof atFirst>;

/** Clips to hold: the one on screen and two more. */
const AHEAD = 3;

/** Steps through clips: fetches the next ones while one is playing, and brings a clip back if its label could not be saved. */
export function createReviewSession(api: ReviewApi) {
  const store = createStore<ReviewSnapshot>(atFirst);
  let queue: LoadedClip[] = [];
  /** null: the first species that is not done */
  let wanted: string | null = null;
  /** counts changes of `wanted`: responses to earlier requests are dropped */
  let turn = 0;
  let isFilling = false;
  const skipped = new Set<number>();
  /** labels being saved */
  const saving = new Map<number, Promise<void>>();

  const tell = (part: Partial<ReviewSnapshot>) => store.set({ ...store.snapshot(), ...part });
  const show = (part: Partial<ReviewSnapshot> = {}) => tell({ isDone: false, ...part, current: queue[0] ?? null });
  const fail = (error: unknown) => tell({ trouble: error instanceof ReviewError ? error : new ReviewError(null) });
  const load = (clip: ReviewClip): LoadedClip => {
    const sound = api.sound(clip.id);
    sound.catch(() => {}); // the screen reports it when the clip is shown
    return { clip, sound };
  };

  const miss = () => tell({ isMissed: true });

  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (queue.length < AHEAD) {
        const asked = turn;
        const held = [...queue.map(({ clip }) => clip.id), ...saving.keys(), ...skipped];
        const clip = await api.next(wanted, held);
        if (asked !== turn) continue;
        if (clip === null) {
          if (queue.length === 0 && saving.size === 0) {
            if (wanted === null) tell({ isDone: true, current: null });
            else choose(null);
          }
          break;
        }
        // Labelled or skipped in the meantime.
        if (saving.has(clip.id) || skipped.has(clip.id)) continue;
        queue.push(load(clip));
        show();
      }
    } catch (error) {
      fail(error);
    } finally {
      isFilling = false;
    }
    // Another species was chosen while the last response was arriving.
    const { isDone, trouble } = store.snapshot();
    if (queue.length === 0 && !isDone && trouble === null && saving.size === 0) void fill();
  }

  function choose(species: string | null): void {
    wanted = species;
    turn += 1;
    queue = [];
    show({ trouble: null });
    void fill();
  }

  async function save(loaded: LoadedClip, verdict: ReviewVerdict, otherSpecies: string): Promise<void> {
    const { id } = loaded.clip;
    try {
      const { species, canUndo } = await api.label({ clip: id, verdict, otherSpecies });
      const before = store.snapshot().species.find(({ scientificName }) => scientificName === species.scientificName);
      const isJustDone = species.isDone && before?.isDone === false;
      saving.delete(id);
      tell({
        canUndo,
        lastVerdict: verdict,
        trouble: null,
        saved: store.snapshot().saved + 1,
        species: store.snapshot().species.map((each) => (each.scientificName === species.scientificName ? species : each)),
        justDone: isJustDone ? species.commonName : null,
      });
      if (isJustDone) choose(null);
      else void fill();
    } catch (error) {
      saving.delete(id);
      queue = [loaded, ...queue];
      show();
      fail(error);
    }
  }

  return {
    store: store as Store<ReviewSnapshot>,
    /** Loads the state and the first clips; call it once. */
    start(): void {
      api.state().then(({ target, labelsName, species, canUndo }) => {
        tell({ target, labelsName, species, canUndo });
        void fill();
      }, fail);
    },
    /** Retries what failed. */
    retry(): void {
      tell({ trouble: null });
      if (store.snapshot().target === 0) this.start();
      else void fill();
    },
    label(verdict: ReviewVerdict, otherSpecies = ''): void {
      const [current, ...rest] = queue;
      if (!current) return void miss();
      queue = rest;
      show({ justDone: null, isMissed: false });
      saving.set(current.clip.id, save(current, verdict, otherSpecies));
    },
    /** Skips a clip without a label; it does not come back until a reload. */
    skip(): void {
      const [current, ...rest] = queue;
      if (!current) return void miss();
      skipped.add(current.clip.id);
      queue = rest;
      show({ justDone: null, isMissed: false });
      void fill();
    },
    /** Removes the latest label and shows its clip. */
    async undo(): Promise<void> {
      await Promise.all(saving.values());
      try {
        const { clip, canUndo } = await api.undo();
        const { species } = await api.state();
        if (clip) queue = [load(clip), ...queue.filter((other) => other.clip.id !== clip.id)];
        const saved = store.snapshot().saved - 1;
        show({ canUndo, species, saved, trouble: null, lastVerdict: null, justDone: null, isMissed: false });
        if (!clip) void fill();
      } catch (error) {
        fail(error);
      }
    },
    choose,
    /** Ignores a label or skip that came while no clip was shown, and says so until the next. */
    miss,
  };
}

export type ReviewSession = ReturnType<typeof createReviewSession>;

/** The audio around a detection. */
export interface ClipSound {
  readonly recording: Blob;
  readonly durationSeconds: number;
}

/** A refused call. `sentence` is the command's own; null if the command has ended, or the page was opened without its token. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
  readonly sentence: string | null;
  constructor(sentence: string | null) {
    super(sentence ?? 'The command does not answer.');
    this.sentence = sentence;
  }
}

/** @param token from the page's address */
export function createReviewApi(token: string) {
  const ask = async (path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`/review/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { [REVIEW_TOKEN_HEADER]: token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new ReviewError(null);
    });
    if (response.ok) return response;
    const problem = reviewProblemSchema.safeParse(await response.json().catch(() => null));
    throw new ReviewError(problem.data?.message ?? `HTTP ${response.status}`);
  };
  const call = async <Schema extends z.ZodType>(schema: Schema, path: string, body?: unknown): Promise<z.output<Schema>> =>
    schema.parse(await (await ask(path, body)).json());
  return {
    state: () => call(reviewStateSchema, 'state'),
    next: async (species: string | null, held: readonly number[]) =>
      (await call(reviewNextSchema, 'next', { species, held })).clip,
    async sound(clip: number): Promise<ClipSound> {
      const response = await ask(`clips/${clip}`);
      return { durationSeconds: Number(response.headers.get('x-duration-seconds')), recording: await response.blob() };
    },
    label: (label: ReviewLabelBody) => call(reviewLabelledSchema, 'labels', label),
    undo: () => call(reviewUndoneSchema, 'undo', {}),
  };
}

/** Calls to the command. Each throws ReviewError when the command refuses it or does not respond. */
export type ReviewApi = ReturnType<typeof createReviewApi>;
