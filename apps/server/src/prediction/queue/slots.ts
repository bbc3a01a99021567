import { ownersOf } from '../incoming/owners.ts';
import type { Job } from './job.ts';

/** Long recordings leave the slots for short ones after a few seconds. How long a recording takes is not known beforehand. */
export type Lane = 'short' | 'long';
export const LANES: readonly Lane[] = ['long', 'short'];

/** A larger recording starts in the long lane. This is a quarter of an hour of MP3, or half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
/** Any other moves there after this much analysis. */
const LONG_AFTER_MS = 8_000;
/** Limits long jobs, however many turn out to be long: each has its own decoder, which takes memory. */
const LONG_PER_SHORT = 2;
/** What one network may hold while others wait, but at least one slot. It is generous because a school class may share a network. */
const NETWORK_SHARE = 3 / 4;
/** A long job keeps its slot for this long even if other owners have fewer: to resume from a checkpoint, it has to decode up to it. */
const TURN_MS = 120_000;

export const laneOf = ({ bytes }: Pick<Job, 'bytes'>): Lane => (bytes > LARGE_BYTES ? 'long' : 'short');

type Owned = Pick<Job, 'id' | 'accountId' | 'network'>;

/** Whose turns a job takes: its account's, else its network's, else its own. */
export const ownerOf = (job: Owned): string => ownersOf(job)[0]?.key ?? job.id;

/** What a job holds while it is analysed. */
export interface Slot {
  readonly lane: Lane;
  leave(): void;
}

interface OccupiedSlot extends Slot {
  lane: Lane;
  readonly job: Owned;
  readonly owner: string;
  readonly sinceMs: number;
  readonly giveWay: () => void;
  /** it has been asked to give way */
  isLeaving: boolean;
}

export interface SlotsOptions {
  /** short jobs that run concurrently */
  readonly count: number;
  /** Called when a slot may have become free. */
  readonly onFree: () => void;
  readonly longAfterMs?: number;
}

/**
 * Decides how many jobs run concurrently, and whose. While slots are free, any job takes one. When none is, a job of an owner with few
 * makes one of an owner with more give way, until all waiting owners have equally many. No network keeps more than three quarters.
 */
export function createSlots({ count, onFree, longAfterMs = LONG_AFTER_MS }: SlotsOptions) {
  /** More long jobs at once would not be faster. */
  const usualLong = Math.ceil(count / 2);
  const most: Readonly<Record<Lane, number>> = { short: count, long: LONG_PER_SHORT * count };
  const all = new Set<OccupiedSlot>();

  const inLane = (lane: Lane): OccupiedSlot[] => [...all].filter((slot) => slot.lane === lane);
  const staying = (lane: Lane): OccupiedSlot[] => inLane(lane).filter(({ isLeaving }) => !isLeaving);
  const heldBy = (owner: string, lane: Lane): number => staying(lane).filter((slot) => slot.owner === owner).length;

  function hasRoom(job: Owned, lane: Lane): boolean {
    const taken = inLane(lane);
    if (taken.length < (lane === 'short' ? count : usualLong)) return true;
    const own = heldBy(ownerOf(job), lane);
    return taken.length < most[lane] && taken.some(({ owner }) => heldBy(owner, lane) > own);
  }

  /** The newest slot of an owner that has the most: older jobs are closer to their end. */
  function newestOfMost(slots: readonly OccupiedSlot[], lane: Lane): OccupiedSlot | null {
    const newestFirst = slots.toReversed();
    const [first = null] = newestFirst.sort((one, other) => heldBy(other.owner, lane) - heldBy(one.owner, lane));
    return first;
  }

  /** @returns the job that must give way to this one; null when none has to */
  function rivalOf(job: Owned, lane: Lane): OccupiedSlot | null {
    const slots = staying(lane);
    const owner = ownerOf(job);
    const own = heldBy(owner, lane);
    const now = performance.now();
    const hasTooMuch = (slot: OccupiedSlot): boolean => {
      const theirs = heldBy(slot.owner, lane);
      if (theirs > own + 1) return true;
      if (lane === 'long' && theirs > own && now - slot.sinceMs > TURN_MS) return true;
      const { network } = slot.job;
      if (network === null || network === job.network) return false;
      return slots.filter((other) => other.job.network === network).length > Math.max(1, NETWORK_SHARE * most[lane]);
    };
    return newestOfMost(
      slots.filter((slot) => slot.owner !== owner && hasTooMuch(slot)),
      lane,
    );
  }

  function ask(slot: OccupiedSlot): void {
    slot.isLeaving = true;
    slot.giveWay();
  }

  function turnLong(slot: OccupiedSlot): void {
    slot.lane = 'long';
    const slots = staying('long');
    const newest = slots.length > most.long ? newestOfMost(slots, 'long') : null;
    if (newest !== null) ask(newest);
    onFree();
  }

  return {
    hasRoom,
    heldBy: (job: Owned, lane: Lane): number => heldBy(ownerOf(job), lane),

    /** Makes another job give way to this one if necessary. */
    makeRoom(job: Owned, lane: Lane): void {
      if (inLane(lane).some(({ isLeaving }) => isLeaving)) return;
      const rival = rivalOf(job, lane);
      if (rival !== null) ask(rival);
    },

    /** @returns the accounts that would get no slot for another job now; null when nobody would */
    fullFor(lane: Lane): readonly string[] | null {
      const getsSlot = (job: Owned): boolean => hasRoom(job, lane) || rivalOf(job, lane) !== null;
      if (!getsSlot({ id: '', accountId: null, network: null })) return null;
      return [...new Set(inLane(lane).map(({ job: { accountId } }) => accountId))]
        .filter((accountId) => accountId !== null)
        .filter((accountId) => !getsSlot({ id: '', accountId, network: null }));
    },

    /** Accounts that hold a slot in a lane. */
    accountsIn: (lane: Lane): readonly string[] => [
      ...new Set(inLane(lane).flatMap(({ job: { accountId } }) => accountId ?? [])),
    ],

    /** How many slots each owner holds, most first. */
    held(): readonly number[] {
      const counts = new Map<string, number>();
      for (const { owner } of all) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      return [...counts.values()].sort((one, other) => other - one);
    },

    /**
     * Takes a slot, even if there is no room.
     *
     * @param giveWay called once when the job has to leave its slot to another
     */
    enter(job: Owned, lane: Lane, giveWay: () => void): Slot {
      const slot: OccupiedSlot = {
        lane,
        job,
        owner: ownerOf(job),
        sinceMs: performance.now(),
        giveWay,
        isLeaving: false,
        leave() {
          clearTimeout(timer);
          if (all.delete(slot)) onFree();
        },
      };
      const timer = setTimeout(() => {
        if (slot.lane === 'short' && all.has(slot)) turnLong(slot);
      }, longAfterMs);
      all.add(slot);
      return slot;
    },
  };
}
