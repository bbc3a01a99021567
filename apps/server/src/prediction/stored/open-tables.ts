import { setTimeout as wait } from 'node:timers/promises';
import type { AnalysisService } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import type { LargeWork } from './large-work.ts';

/** Large tables that are being read. Each holds evidence in memory until its end, so there are few, and one of each account. */
export interface Tables {
  /**
   * @param begin begins the table. @param patient waits until there is room
   * @throws HttpProblem SERVER_BUSY
   */
  open(owner: string, begin: () => Promise<string>, patient: boolean): Promise<AsyncIterable<Uint8Array>>;
}

interface Reading {
  /** when more of it was last asked for */
  lastReadMs: number;
  isOver: boolean;
}

const MOST_OPEN = 3;
/** A reader that takes so long for a piece gives way to others. */
const IDLE_MS = 30_000;
const LOOK_EVERY_MS = 500;
const RETRY_SECONDS = 10;

export function openTables(work: LargeWork, service: Pick<AnalysisService, 'readTable' | 'closeTable'>): Tables {
  const open = new Map<string, Reading>();

  /** @returns whose table is in the way, if any is; one that is not read any more is closed instead */
  function inTheWay(owner: string): 'largeAnswers' | 'ownLargeAnswers' | null {
    for (const [other, reading] of open) {
      const blocks = other === owner || open.size >= MOST_OPEN;
      if (!blocks || Date.now() - reading.lastReadMs < IDLE_MS) continue;
      reading.isOver = true;
      open.delete(other);
    }
    if (open.has(owner)) return 'ownLargeAnswers';
    return open.size >= MOST_OPEN ? 'largeAnswers' : null;
  }

  async function takeRoom(owner: string, patient: boolean): Promise<Reading> {
    for (let by = inTheWay(owner); by !== null; by = inTheWay(owner)) {
      if (!patient) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_SECONDS, by });
      await wait(LOOK_EVERY_MS, undefined, { ref: false });
    }
    const reading = { lastReadMs: Date.now(), isOver: false };
    open.set(owner, reading);
    return reading;
  }

  return {
    async open(owner, begin, patient) {
      const reading = await takeRoom(owner, patient);
      const leave = (): void => {
        if (open.get(owner) === reading) open.delete(owner);
      };
      try {
        const table = await work.run({ owner, patient }, begin);
        const next = (): Promise<Uint8Array | null> => work.run({ owner, patient: true }, () => service.readTable(table));
        const close = (): Promise<void> => work.run({ owner, patient: true }, () => service.closeTable(table));
        // So that what fails at once is told as a problem.
        return read(await next(), next, close, reading, leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

async function* read(
  first: Uint8Array | null,
  next: () => Promise<Uint8Array | null>,
  close: () => Promise<unknown>,
  reading: Reading,
  leave: () => void,
): AsyncGenerator<Uint8Array, void> {
  let piece = first;
  try {
    while (piece !== null) {
      yield piece;
      reading.lastReadMs = Date.now();
      if (reading.isOver) throw new Error('A table was not read for so long that it was closed.');
      piece = await next();
    }
  } finally {
    leave();
    if (piece !== null) await close().catch(() => {});
  }
}
