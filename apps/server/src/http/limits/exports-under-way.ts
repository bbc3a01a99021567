import type { Readable } from 'node:stream';
import { HttpProblem } from '../http-problem.ts';

/** What an export takes whose reader has a good connection. */
const RETRY_SECONDS = 10;
/** A reader that takes nothing for so long gives way: its connection may be lost, which the system notices after a quarter of an hour. */
const STALLED_MS = 30_000;

interface Export {
  content: Readable | null;
  /** null while its reader takes what there is */
  pausedAtMs: number | null;
}

export type ExportsUnderWay = ReturnType<typeof createExportsUnderWay>;

/**
 * Exports that take long or much room: everything of an account, or a large table. One of each account at a time, so that nobody can have
 * many of them made and read none.
 */
export function createExportsUnderWay(now: () => number = Date.now) {
  const ofAccount = new Map<string, Export>();

  /** @throws HttpProblem EXPORT_UNDER_WAY. One that has stalled is ended for the next request. */
  function requireNone(accountId: string): void {
    const other = ofAccount.get(accountId);
    if (other === undefined) return;
    if (other.pausedAtMs !== null && now() - other.pausedAtMs > STALLED_MS) other.content?.destroy();
    throw new HttpProblem('EXPORT_UNDER_WAY', { retryAfterSeconds: RETRY_SECONDS });
  }

  return {
    requireNone,
    /**
     * @param open begins the export. It is over when its stream has ended, or is closed because its reader has gone
     * @throws HttpProblem EXPORT_UNDER_WAY
     */
    async begin(accountId: string, open: () => Promise<Readable>): Promise<Readable> {
      requireNone(accountId);
      const own: Export = { content: null, pausedAtMs: null };
      ofAccount.set(accountId, own);
      const leave = (): void => {
        // The account may have begun another since the end.
        if (ofAccount.get(accountId) === own) ofAccount.delete(accountId);
      };
      try {
        const content = await open();
        own.content = content;
        content.on('pause', () => {
          own.pausedAtMs = now();
        });
        content.on('resume', () => {
          own.pausedAtMs = null;
        });
        return content.once('end', leave).once('close', leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
