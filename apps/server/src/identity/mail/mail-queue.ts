import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { getSystemErrorMessage } from 'node:util';
import pLimit from 'p-limit';
import { type CodeMail, type Mailer, outcomeOf } from './mailer.ts';

/** The log of the identity service. It has codes for what happened, but names no account. */
export interface IdentityLog {
  warn(details: Readonly<Record<string, unknown>>, message: string): void;
  error(details: Readonly<Record<string, unknown>>, message: string): void;
}

export type MailQueue = ReturnType<typeof createMailQueue>;

export interface MailQueueOptions {
  readonly mailer: Mailer;
  readonly log: IdentityLog;
  /** delays before the second, third … attempt */
  readonly retryAfterMs?: readonly number[];
  /** how long `close` waits for mails in progress */
  readonly closingMs?: number;
}

const CONCURRENT_MAILS = 4;
const MAX_WAITING = 1000;

/**
 * Sends mails after the response, so that response times reveal nothing and a slow mail server delays no request. Work for an account that
 * exists (creating a code, sending a mail) delays other responses by some milliseconds; it starts at a random time, so that the responses
 * to the next requests do not show it.
 */
export function createMailQueue({ mailer, log, retryAfterMs = [1000, 10_000, 60_000], closingMs = 3000 }: MailQueueOptions) {
  const limit = pLimit(CONCURRENT_MAILS);
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  async function deliver(mail: CodeMail): Promise<void> {
    for (const waitMs of [...retryAfterMs, null]) {
      try {
        return await mailer.send(mail);
      } catch (error) {
        if (waitMs === null || closing.signal.aborted) throw error;
        log.warn({ reason: reasonOf(error) }, `${failureOf(error, mailer)}; it will be tried again`);
        await setTimeout(waitMs, undefined, { signal: closing.signal });
      }
    }
  }

  async function pause(): Promise<void> {
    await setImmediate();
    if (mailer.maxPauseMs === 0) return;
    // Closing cuts the pause short.
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
    /** Queues a job that may result in a mail. It starts later, at a time unknown to the caller; a failure is only logged. */
    post: (prepare: () => Promise<CodeMail | null>): void => {
      if (underWay.size >= MAX_WAITING) {
        log.error({ reason: 'queue full' }, 'an email was given up');
        return;
      }
      const work = send(prepare).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    /** Resolves when all queued jobs are done. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    /** Starts waiting jobs at once and gives them a moment; the rest is given up. */
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.race([Promise.all(underWay), setTimeout(closingMs, undefined, { ref: false })]);
      if (underWay.size > 0) log.error({ reason: 'closing', mails: underWay.size }, 'emails were given up');
      limit.clearQueue();
    },
  };
}

/** What failed, in words without personal data. */
function failureOf(error: unknown, { server }: Pick<Mailer, 'server'>): string {
  if (server === undefined || outcomeOf(error) !== 'unreachable') return 'an email was not accepted';
  const { errno = null } = error as NodeJS.ErrnoException;
  return `an email could not be delivered to the mail server ${server} (${errno === null ? reasonOf(error) : getSystemErrorMessage(errno)})`;
}

/** Error messages of mail servers contain addresses; error codes do not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
