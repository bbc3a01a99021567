import type { Readable } from 'node:stream';
import { HttpProblem } from '../http-problem.ts';

/** How long an export takes with a good connection. */
const RETRY_SECONDS = 10;
/**
 * A reader that reads nothing for this long gives way: its connection may be lost, which the system notices only after a quarter of an
 * hour.
 */
const STALLED_MS = 30_000;

interface Export {
  content: Readable | null;
  /** null while its reader keeps up */
  pausedAtMs: number | null;
}

export type ExportsUnderWay = ReturnType<typeof createExportsUnderWay>;

/**
 * Exports that are long or large: a whole account, or a large table. One per account at a time, so that nobody can start many and read
 * none.
 */
export function createExportsUnderWay(now: () => number = Date.now) {
  const ofAccount = new Map<string, Export>();

  /** @throws HttpProblem EXPORT_UNDER_WAY. A stalled export is ended, so that the next request succeeds. */
  function requireNone(accountId: string): void {
    const other = ofAccount.get(accountId);
    if (other === undefined) return;
    if (other.pausedAtMs !== null && now() - other.pausedAtMs > STALLED_MS) other.content?.destroy();
    throw new HttpProblem('EXPORT_UNDER_WAY', { retryAfterSeconds: RETRY_SECONDS });
  }

  return {
    requireNone,
    /** @param open starts the export, which is over when its stream ends or is closed @throws HttpProblem EXPORT_UNDER_WAY */
    async begin(accountId: string, open: () => Promise<Readable>): Promise<Readable> {
      requireNone(accountId);
      const own: Export = { content: null, pausedAtMs: null };
      ofAccount.set(accountId, own);
      const leave = (): void => {
        // The account may have started another one since.
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
