import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { CodeMail, Mailer } from './mailer.ts';

/** What the identity service writes to the log: a code for what happened, never about whom. */
export interface IdentityLog {
  warn(details: Readonly<Record<string, unknown>>, message: string): void;
  error(details: Readonly<Record<string, unknown>>, message: string): void;
}

export type MailQueue = ReturnType<typeof createMailQueue>;

export interface MailQueueOptions {
  readonly mailer: Mailer;
  readonly log: IdentityLog;
  /** waits before the second, third … try of a mail */
  readonly retryAfterMs?: readonly number[];
  /** how long mails that are on their way may take once it closes */
  readonly closingMs?: number;
}

const CONCURRENT_MAILS = 4;
const MAX_WAITING = 1000;

/**
 * Sends mails after the answer has gone out: response times tell nothing, and a slow mail server slows no request. What
 * is done for an account that exists (a code, a mail) holds up other answers for some milliseconds; that comes at a random time, so that
 * it is not seen in the answers to what is asked next.
 */
export function createMailQueue({ mailer, log, retryAfterMs = [1000, 10_000, 60_000], closingMs = 3000 }: MailQueueOptions) {
  const limit = pLimit(CONCURRENT_MAILS);
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  async function deliver(mail: CodeMail): Promise<void> {
    for (const waitMs of [...retryAfterMs, null]) {
      try {
        return await mailer.deliver(mail);
      } catch (error) {
        if (waitMs === null || closing.signal.aborted) throw error;
        log.warn({ reason: reasonOf(error) }, 'an email was not accepted; it will be tried again');
        await setTimeout(waitMs, undefined, { signal: closing.signal });
      }
    }
  }

  async function pause(): Promise<void> {
    await setImmediate();
    if (mailer.maxPauseMs === 0) return;
    // Cut short when it closes.
    await setTimeout(randomInt(mailer.maxPauseMs), undefined, { signal: closing.signal }).catch(() => {});
  }

  async function send(prepare: () => Promise<CodeMail | null>): Promise<void> {
    await pause();
    try {
      await limit(async () => {
        const mail = await prepare();
        if (mail !== null) await deliver(mail);
      });
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'an email was given up');
    }
  }

  return {
    /** Takes on work that may end in a mail. It begins later, at a time that the caller does not know; its failure is only logged. */
    post: (prepare: () => Promise<CodeMail | null>): void => {
      if (underWay.size >= MAX_WAITING) {
        log.error({ reason: 'queue full' }, 'an email was given up');
        return;
      }
      const work = send(prepare).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    /** Resolves when everything that was taken on is done. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    /** Begins what waits at once, and gives it a moment; the rest is given up. */
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.race([Promise.all(underWay), setTimeout(closingMs, undefined, { ref: false })]);
      if (underWay.size > 0) log.error({ reason: 'closing', mails: underWay.size }, 'emails were given up');
      limit.clearQueue();
      mailer.close();
    },
  };
}

/** Messages of mail servers repeat addresses; their codes do not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
