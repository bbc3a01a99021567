import { HttpProblem } from '../../http/http-problem.ts';
import { type BodyRoom, openBodyRoom } from './body-room.ts';
import type { DiskGuard } from './disk-guard.ts';
import { createTally, ownersOf, type Sender } from './owners.ts';
import type { Quotas } from './quotas.ts';

/** A body on its way in. */
export interface IncomingBody extends Pick<BodyRoom, 'count' | 'signal'> {
  /** It turned out to be what was sent before: nothing of it counts. */
  giveBack(): Promise<void>;
  /** It has arrived, or will not. Does no harm twice. */
  end(): void;
}

/**
 * Bodies of recordings that are being received: how many at once, from whom, and what they take of quota and disk. They take none of the
 * places of recordings that wait or are analysed, so that slow senders hold up nobody.
 */
export interface Incoming {
  /**
   * To be asked before a body is read. What is announced is compared with what is left; what counts is what arrives, a step at a time.
   *
   * @param announcedBytes null when the body comes in chunks
   * @throws HttpProblem SERVER_BUSY, QUOTA_EXCEEDED, STORAGE_FULL
   */
  begin(sender: Sender, announcedBytes: number | null): Promise<IncomingBody>;
  /** Whether so much could be sent now. @throws HttpProblem QUOTA_EXCEEDED, STORAGE_FULL */
  check(sender: Sender, bytes: number): Promise<void>;
}

export interface IncomingOptions {
  readonly quotas: Quotas;
  readonly diskGuard: DiskGuard;
  /** Bodies at once. */
  readonly limits?: IncomingLimits;
}

export interface IncomingLimits {
  readonly account: number;
  readonly network: number;
  readonly total: number;
}

/**
 * A page sends one after the other, a program a few at once; behind one network address may sit a school class, or everybody, when the
 * server is not told of its proxy.
 */
const defaultLimits: IncomingLimits = { account: 8, network: 64, total: 256 };
/** About as long as a short recording takes to arrive. */
const RETRY_AFTER_SECONDS = 5;

export function createIncoming({ quotas, diskGuard, limits = defaultLimits }: IncomingOptions): Incoming {
  const tally = createTally();
  let total = 0;

  function enter(sender: Sender): () => void {
    const owners = ownersOf(sender);
    const full = owners.find((owner) => tally.of(owner) >= limits[owner.by]);
    if (full || total >= limits.total) {
      throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(full && { by: full.by }) });
    }
    const takeOff = tally.add(owners);
    total += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      takeOff();
      total -= 1;
    };
  }

  async function check(sender: Sender, bytes: number): Promise<void> {
    await quotas.checkBytes(sender, bytes);
    await diskGuard.check(bytes);
  }

  return {
    check,
    async begin(sender, announcedBytes) {
      const leave = enter(sender);
      try {
        await check(sender, announcedBytes ?? 0);
        const room = await openBodyRoom(announcedBytes, async (bytes) => {
          await quotas.takeBytes(sender, bytes);
          return diskGuard.reserve(bytes);
        });
        return {
          count: room.count,
          signal: room.signal,
          giveBack: () => quotas.giveBytesBack(sender, room.takenBytes),
          end() {
            room.release();
            leave();
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
