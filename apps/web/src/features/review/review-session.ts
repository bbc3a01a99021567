import type { ReviewClip, ReviewedSpeciesBody, ReviewVerdict } from '@chiffchaff/contract';
import { createStore, type Store } from '../../platform/browser/store.ts';
import { type ClipSound, type ReviewApi, ReviewError } from './review-api.ts';

/** A clip whose audio is already being fetched. */
export interface LoadedClip {
  readonly clip: ReviewClip;
  readonly sound: Promise<ClipSound>;
}

export interface ReviewSnapshot {
  /** the one to label; null while it is awaited, and when all is done */
  readonly current: LoadedClip | null;
  /** Nothing is left to label. */
  readonly isDone: boolean;
  /** share of the kept detections that should be right, 0–1 */
  readonly target: number;
  readonly labelsName: string;
  readonly species: readonly ReviewedSpeciesBody[];
  readonly canUndo: boolean;
  /** the last failure */
  readonly trouble: ReviewError | null;
  /** labels saved since the page was opened */
  readonly saved: number;
  /** the last label, once it is saved */
  readonly lastVerdict: ReviewVerdict | null;
  /** the species that the last label completed */
  readonly justDone: string | null;
  /** Whether a label or skip was ignored because no clip was shown yet. */
  readonly isMissed: boolean;
}

/** Clips to hold: the one on screen and two more. */
const AHEAD = 3;

/** Steps through clips: fetches the next ones while one is playing, and brings a clip back if its label could not be saved. */
export function createReviewSession(api: ReviewApi) {
  const store = createStore<ReviewSnapshot>({
    current: null,
    isDone: false,
    target: 0,
    labelsName: '',
    species: [],
    canUndo: false,
    trouble: null,
    saved: 0,
    lastVerdict: null,
    justDone: null,
    isMissed: false,
  });
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
