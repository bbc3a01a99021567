import { setTimeout as wait } from 'node:timers/promises';
import type { AnalysisService } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import type { LargeWork } from './large-work.ts';

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

/** Large tables that are being read. Each holds evidence in memory until its end, so there are few, and one of each account. */
export function openTables(work: LargeWork, service: Pick<AnalysisService, 'readTable' | 'closeTable'>) {
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

  /**
   * @param begin begins the table. @param patient waits until there is room
   * @throws HttpProblem SERVER_BUSY
   */
  return async (owner: string, begin: () => Promise<string>, patient: boolean): Promise<AsyncIterable<Uint8Array>> => {
    const reading = await takeRoom(owner, patient);
    const leave = (): void => {
      if (open.get(owner) === reading) open.delete(owner);
    };
    const next = (table: string) => work.run({ owner, patient: true }, () => service.readTable(table));

    async function* readOn(table: string, first: Uint8Array | null): AsyncGenerator<Uint8Array, void> {
      let piece = first;
      try {
        while (piece !== null) {
          yield piece;
          reading.lastReadMs = Date.now();
          if (reading.isOver) throw new Error('A table was closed because it was not read for too long.');
          piece = await next(table);
        }
      } finally {
        leave();
        if (piece !== null) await work.run({ owner, patient: true }, () => service.closeTable(table)).catch(() => {});
      }
    }

    try {
      const table = await work.run({ owner, patient }, begin);
      // So that what fails at once is told as a problem.
      return readOn(table, await next(table));
    } catch (error) {
      leave();
      throw error;
    }
  };
}
