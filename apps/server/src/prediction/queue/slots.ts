import { ownersOf } from '../incoming/owners.ts';
import type { Job } from './job.ts';

/** Short recordings have slots that long ones do not keep. How long a recording takes is not known beforehand. */
export type Lane = 'short' | 'long';
export const LANES: readonly Lane[] = ['long', 'short'];

/** A larger recording goes into the long lane at once: a quarter of an hour of MP3, half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
/** Any other goes there once it has been analysed for so long. */
const LONG_AFTER_MS = 8_000;
/** However many turn out to be long: each has a decoder of its own, which takes memory. */
const LONG_PER_SHORT = 2;
/** A class of schoolchildren may share a network, so it may have more than one account has. */
const NETWORK_SHARE = 3 / 4;
/** A long job keeps its slot so long although others have fewer: going on from a checkpoint costs decoding up to it. */
const TURN_MS = 120_000;

export const laneOf = ({ bytes }: Pick<Job, 'bytes'>): Lane => (bytes > LARGE_BYTES ? 'long' : 'short');

type Owned = Pick<Job, 'id' | 'accountId' | 'network'>;

/** Whose turns a job takes: its account's; without one its network's, or its own. */
export const ownerOf = (job: Owned): string => ownersOf(job)[0]?.key ?? job.id;

/** What a job has while it is analysed. */
export interface Slot {
  readonly lane: Lane;
  leave(): void;
}

interface Held extends Slot {
  lane: Lane;
  readonly job: Owned;
  readonly owner: string;
  readonly sinceMs: number;
  readonly giveWay: () => void;
  /** it has been asked to give way */
  isLeaving: boolean;
}

export interface SlotsOptions {
  /** short jobs that are analysed at once */
  readonly count: number;
  /** Called when a slot may have become free. */
  readonly onFree: () => void;
  readonly longAfterMs?: number;
}

/**
 * How many jobs are analysed at once, and whose. While there are slots, any job takes one. When there are none, a job of an owner that has few
 * has one of an owner with more give way, so that every owner that waits comes to the same number, and no network to more than three quarters.
 */
export function createSlots({ count, onFree, longAfterMs = LONG_AFTER_MS }: SlotsOptions) {
  /** More large recordings at once would be no faster. */
  const usualLong = Math.ceil(count / 2);
  const most: Readonly<Record<Lane, number>> = { short: count, long: LONG_PER_SHORT * count };
  const all = new Set<Held>();

  const inLane = (lane: Lane): Held[] => [...all].filter((slot) => slot.lane === lane);
  const staying = (lane: Lane): Held[] => inLane(lane).filter(({ isLeaving }) => !isLeaving);
  const heldBy = (owner: string, lane: Lane): number => staying(lane).filter((slot) => slot.owner === owner).length;

  function hasRoom(job: Owned, lane: Lane): boolean {
    const taken = inLane(lane);
    if (taken.length < (lane === 'short' ? count : usualLong)) return true;
    const own = heldBy(ownerOf(job), lane);
    return taken.length < most[lane] && taken.some(({ owner }) => heldBy(owner, lane) > own);
  }

  /** The newest slot of those who have most, so that what is nearly done is done. */
  function newestOfMost(slots: readonly Held[], lane: Lane): Held | null {
    const newestFirst = slots.toReversed();
    const [first = null] = newestFirst.sort((one, other) => heldBy(other.owner, lane) - heldBy(one.owner, lane));
    return first;
  }

  /** @returns the job that gives way to another; null when none has to */
  function rivalOf(job: Owned, lane: Lane): Held | null {
    const slots = staying(lane);
    const owner = ownerOf(job);
    const own = heldBy(owner, lane);
    const now = performance.now();
    const hasTooMuch = (slot: Held): boolean => {
      const theirs = heldBy(slot.owner, lane);
      if (theirs > own + 1) return true;
      if (lane === 'long' && theirs > own && now - slot.sinceMs > TURN_MS) return true;
      const { network } = slot.job;
      if (network === null || network === job.network) return false;
      return slots.filter((other) => other.job.network === network).length > NETWORK_SHARE * most[lane];
    };
    return newestOfMost(
      slots.filter((slot) => slot.owner !== owner && hasTooMuch(slot)),
      lane,
    );
  }

  function ask(slot: Held): void {
    slot.isLeaving = true;
    slot.giveWay();
  }

  function turnLong(slot: Held): void {
    slot.lane = 'long';
    const slots = staying('long');
    const newest = slots.length > most.long ? newestOfMost(slots, 'long') : null;
    if (newest !== null) ask(newest);
    onFree();
  }

  return {
    hasRoom,
    heldBy: (job: Owned, lane: Lane): number => heldBy(ownerOf(job), lane),

    /** Has another give way to this job if it has to. */
    makeRoom(job: Owned, lane: Lane): void {
      if (inLane(lane).some(({ isLeaving }) => isLeaving)) return;
      const rival = rivalOf(job, lane);
      if (rival !== null) ask(rival);
    },

    /** @returns the accounts that get no slot for another job as things stand; null when nobody does */
    fullFor(lane: Lane): readonly string[] | null {
      const getsSlot = (job: Owned): boolean => hasRoom(job, lane) || rivalOf(job, lane) !== null;
      if (!getsSlot({ id: '', accountId: null, network: null })) return null;
      return [...new Set(inLane(lane).map(({ job: { accountId } }) => accountId))]
        .filter((accountId) => accountId !== null)
        .filter((accountId) => !getsSlot({ id: '', accountId, network: null }));
    },

    /** Accounts that have a slot in a lane. */
    accountsIn: (lane: Lane): readonly string[] => [
      ...new Set(inLane(lane).flatMap(({ job: { accountId } }) => accountId ?? [])),
    ],

    /** How many slots each owner has, the most first. */
    held(): readonly number[] {
      const counts = new Map<string, number>();
      for (const { owner } of all) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      return [...counts.values()].sort((one, other) => other - one);
    },

    /**
     * Takes a slot, whether there is room or not.
     *
     * @param giveWay told once when the job has to leave its slot to another
     */
    enter(job: Owned, lane: Lane, giveWay: () => void): Slot {
      const slot: Held = {
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
