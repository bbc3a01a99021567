import type { Readable } from 'node:stream';
import { HttpProblem } from '../http-problem.ts';

/** What an export takes whose reader has a good connection. */
const RETRY_SECONDS = 10;

export type ExportsUnderWay = ReturnType<typeof createExportsUnderWay>;

/**
 * Exports that take long or much room: everything of an account, or a large table. One of each account at a time, so that nobody can have
 * many of them made and read none.
 */
export function createExportsUnderWay() {
  const accounts = new Set<string>();

  /** @throws HttpProblem EXPORT_UNDER_WAY */
  function requireNone(accountId: string): void {
    if (accounts.has(accountId)) throw new HttpProblem('EXPORT_UNDER_WAY', { retryAfterSeconds: RETRY_SECONDS });
  }

  return {
    requireNone,
    /**
     * @param open begins the export. It is over when its stream has ended, or is closed because its reader has gone
     * @throws HttpProblem EXPORT_UNDER_WAY
     */
    async begin(accountId: string, open: () => Promise<Readable>): Promise<Readable> {
      requireNone(accountId);
      accounts.add(accountId);
      let isOver = false;
      const leave = (): void => {
        // The account may have begun another since the end.
        if (!isOver) accounts.delete(accountId);
        isOver = true;
      };
      try {
        return (await open()).once('end', leave).once('close', leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
