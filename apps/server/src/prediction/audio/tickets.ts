import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Ticket, ticketBodySchema } from '@chiffchaff/contract';
import { z } from 'zod';
import type { SignedIn } from '../../http/end-signed-out.ts';
import { HttpProblem } from '../../http/http-problem.ts';

export type TicketPurpose = z.infer<typeof ticketBodySchema>['purpose'];

/** Whether a sign-in still holds; composed from identity in app.ts. */
export type IsStillSignedIn = (signedIn: SignedIn) => Promise<boolean>;

/** Links for elements of a page, which cannot send a header. */
export interface Tickets {
  /** @param predictionId null: all of the account's */
  issue(signedIn: SignedIn, predictionId: string | null, purpose: TicketPurpose): Ticket;
  /**
   * @param predictionId as it stands in the link; null in a link to all
   * @returns whose ticket it is
   * @throws HttpProblem TICKET_INVALID
   */
  check(ticket: string, predictionId: string | null, purpose: TicketPurpose): Promise<SignedIn>;
}

export interface TicketsOptions {
  readonly isStillSignedIn: IsStillSignedIn;
  /** milliseconds since 1970 */
  readonly now?: () => number;
}

const VALID_MS = 5 * 60_000;

const contentSchema = z.object({
  accountId: z.string(),
  sessionId: z.string().nullable(),
  predictionId: z.string().nullable(),
  purpose: z.string(),
  expiresAtMs: z.number(),
});

/**
 * A ticket says for whom and what it is and until when, signed with a key that lives as long as the process: nothing is stored, and nobody can
 * make one up.
 */
export function createTickets({ isStillSignedIn, now = Date.now }: TicketsOptions): Tickets {
  const key = randomBytes(32);
  const sign = (content: string): Buffer => createHmac('sha256', key).update(content).digest();

  function read(ticket: string): z.infer<typeof contentSchema> | null {
    const [content = '', signature = '', ...rest] = ticket.split('.');
    const given = Buffer.from(signature, 'base64url');
    const right = sign(content);
    if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return contentSchema.parse(JSON.parse(Buffer.from(content, 'base64url').toString()));
  }

  return {
    issue({ accountId, sessionId }, predictionId, purpose) {
      const expiresAtMs = now() + VALID_MS;
      const fields: z.infer<typeof contentSchema> = { accountId, sessionId, predictionId, purpose, expiresAtMs };
      const content = Buffer.from(JSON.stringify(fields)).toString('base64url');
      const ticket = `${content}.${sign(content).toString('base64url')}`;
      return {
        url: `/v1/predictions/${predictionId === null ? '' : `${encodeURIComponent(predictionId)}/`}${purpose}?ticket=${ticket}`,
        expiresAt: new Date(expiresAtMs).toISOString(),
      };
    },
    async check(ticket, predictionId, purpose) {
      const found = read(ticket);
      const holds =
        found !== null && found.predictionId === predictionId && found.purpose === purpose && found.expiresAtMs > now();
      if (!holds || !(await isStillSignedIn(found))) throw new HttpProblem('TICKET_INVALID', {});
      return { accountId: found.accountId, sessionId: found.sessionId };
    },
  };
}
