import { ownersOf } from '../incoming/owners.ts';
import type { Job } from './job.ts';

/**
 * Whose recording is analysed next, and who gives way to whom: all rules of both queues. The analysis process shares its time among the
 * recordings that are open, clip by clip; these rules decide which ones are open. Each open recording has a decoder, which takes memory.
 */

/** A larger recording takes turns apart from its owner's small ones. This is a quarter of an hour of MP3, or half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
/** An owner without an open recording need not wait for those that last, until this many times the usual number are open. */
const MOST_PER_SLOT = 3;
/** A recording that has been open for this long may have hours to go. Most take a second. */
const LASTS_MS = 2_000;
/** What one network may hold of all slots while others wait. It is generous because a school class may share a network. */
const NETWORK_SHARE = 3 / 4;
/** A recording stays open for this long even if owners without one wait: to resume from a checkpoint, it has to decode up to it. */
const TURN_MS = 120_000;

type Owned = Pick<Job, 'id' | 'accountId' | 'network' | 'bytes'>;

/** The account a job belongs to, else its network, else the job itself. */
export const ownerOf = (job: Pick<Job, 'id' | 'accountId' | 'network'>): string => ownersOf(job)[0]?.key ?? job.id;

/** Whose turns a job takes: its owner's, for large or for small recordings. */
export const takerOf = (job: Owned): string => `${ownerOf(job)} ${job.bytes > LARGE_BYTES ? 'large' : 'small'}`;

/** What a job holds while it is analysed. */
export interface Slot {
  leave(): void;
}

interface OccupiedSlot extends Slot {
  readonly network: string | null;
  readonly taker: string;
  readonly sinceMs: number;
  readonly giveWay: () => void;
  /** it has been asked to give way */
  isLeaving: boolean;
}

export interface TurnsOptions {
  /** jobs that run concurrently, unless more takers wait */
  readonly count: number;
  /** Called when a job that had no room may have it now. */
  readonly onFree: () => void;
}

/**
 * Slots for the jobs of this process. While some are free, any job takes one. When none is, a taker without one still gets one in place of a
 * job that lasts, up to a limit; then a job of the taker with most gives way, until all that wait have equally many.
 */
export function createTurns({ count, onFree }: TurnsOptions) {
  const most = MOST_PER_SLOT * count;
  /** in the order in which they were taken */
  const all = new Set<OccupiedSlot>();
  const lastTurnMs = new Map<string, number>();

  const staying = (): OccupiedSlot[] => [...all].filter(({ isLeaving }) => !isLeaving);
  const heldBy = (taker: string): number => staying().filter((slot) => slot.taker === taker).length;
  // More short jobs at a time would only take longer, each, and so would all that people look at meanwhile.
  const short = (): number => [...all].filter(({ sinceMs }) => performance.now() - sinceMs < LASTS_MS).length;
  const hasRoomFor = (taker: string): boolean => all.size < count || (all.size < most && heldBy(taker) === 0 && short() < count);
  const hasMost = (network: string): boolean =>
    staying().filter((slot) => slot.network === network).length > NETWORK_SHARE * most;

  /** @returns the slot that must become free for a job; null when none has to */
  function rivalOf(taker: string, network: string | null): OccupiedSlot | null {
    const own = heldBy(taker);
    const now = performance.now();
    const hasTooMuch = (slot: OccupiedSlot): boolean => {
      const theirs = heldBy(slot.taker);
      if (theirs > own + 1 || (own === 0 && now - slot.sinceMs > TURN_MS)) return true;
      return slot.network !== null && slot.network !== network && hasMost(slot.network);
    };
    // The newest of the taker that has most: older jobs are closer to their end.
    const [rival = null] = staying()
      .filter((slot) => slot.taker !== taker && hasTooMuch(slot))
      .toReversed()
      .sort((one, other) => heldBy(other.taker) - heldBy(one.taker));
    return rival;
  }

  return {
    hasRoom: (job: Owned): boolean => hasRoomFor(takerOf(job)),

    /** Makes another job give way to this one if necessary. */
    makeRoom(job: Owned): void {
      if ([...all].some(({ isLeaving }) => isLeaving)) return;
      const rival = rivalOf(takerOf(job), job.network);
      if (rival === null) return;
      rival.isLeaving = true;
      rival.giveWay();
    },

    /**
     * The first waiting job of each taker, the next one first: those whose takers have the fewest running, and among these the one that has
     * waited longest since it arrived or since its taker last had a turn.
     */
    order<Waiting extends Owned & Pick<Job, 'createdAtMs'>>(waiting: readonly Waiting[]): readonly Waiting[] {
      const firsts = new Map<string, Waiting>();
      for (const job of waiting) {
        const taker = takerOf(job);
        if (!firsts.has(taker)) firsts.set(taker, job);
      }
      // A taker without a waiting job starts anew.
      for (const taker of lastTurnMs.keys()) if (!firsts.has(taker) && heldBy(taker) === 0) lastTurnMs.delete(taker);
      const known = [...firsts].map(([taker, job]) => {
        return { job, held: heldBy(taker), sinceMs: Math.max(job.createdAtMs, lastTurnMs.get(taker) ?? 0) };
      });
      return known.sort((one, other) => one.held - other.held || one.sinceMs - other.sinceMs).map(({ job }) => job);
    },

    /** @returns the takers that would get no slot for another job now; null when nobody would */
    full(): readonly string[] | null {
      const getsSlot = (taker: string): boolean => hasRoomFor(taker) || rivalOf(taker, null) !== null;
      if (!getsSlot('')) return null;
      return [...new Set([...all].map(({ taker }) => taker))].filter((taker) => !getsSlot(taker));
    },

    /** How many slots each taker holds, most first. */
    held: (): readonly number[] =>
      [...new Set(staying().map(({ taker }) => taker))].map(heldBy).sort((one, other) => other - one),

    /**
     * Takes a slot, even if there is no room.
     *
     * @param giveWay called once when the job has to leave its slot to another
     */
    enter(job: Owned, giveWay: () => void): Slot {
      const taker = takerOf(job);
      const slot: OccupiedSlot = {
        network: job.network,
        taker,
        sinceMs: performance.now(),
        giveWay,
        isLeaving: false,
        leave() {
          clearTimeout(lasts);
          if (!all.delete(slot)) return;
          lastTurnMs.set(taker, Date.now());
          onFree();
        },
      };
      const lasts = setTimeout(onFree, LASTS_MS).unref();
      all.add(slot);
      lastTurnMs.set(taker, Date.now());
      return slot;
    },
  };
}
