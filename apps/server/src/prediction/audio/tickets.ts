import type { Ticket, ticketBodySchema } from '@chiffchaff/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { z } from 'zod';
import type { RequestIdentity } from '../../http/end-signed-out.ts';
import { HttpProblem } from '../../http/http-problem.ts';

export type TicketPurpose = z.infer<typeof ticketBodySchema>['purpose'];

export interface TicketsOptions {
  /** signs tickets; the same on all machines */
  readonly key: Uint8Array;
  readonly isStillSignedIn: (signedIn: RequestIdentity) => Promise<boolean>;
}

const VALID_SECONDS = 5 * 60;

interface TicketClaims {
  readonly sub: string;
  readonly sid: string | null;
  readonly prediction: string | null;
}

/** Signed JWTs in links for page elements, which cannot send headers. Nothing is stored. */
export function createTickets({ key, isStillSignedIn }: TicketsOptions) {
  async function read(ticket: string, purpose: TicketPurpose): Promise<TicketClaims | null> {
    try {
      const checks = { algorithms: ['HS256'], audience: purpose, currentDate: new Date(Date.now()) };
      return (await jwtVerify<TicketClaims>(ticket, key, checks)).payload;
    } catch (error) {
      // jose reports malformed tokens as one of its own errors or as a TypeError.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }

  return {
    /** @param predictionId null for all predictions of the account */
    async issue({ accountId, sessionId }: RequestIdentity, predictionId: string | null, purpose: TicketPurpose): Promise<Ticket> {
      const expiresAtSeconds = Math.floor(Date.now() / 1000) + VALID_SECONDS;
      const ticket = await new SignJWT({ sub: accountId, sid: sessionId, prediction: predictionId })
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(purpose)
        .setExpirationTime(expiresAtSeconds)
        .sign(key);
      return {
        url: `/v1/predictions/${predictionId === null ? '' : `${encodeURIComponent(predictionId)}/`}${purpose}?ticket=${ticket}`,
        expiresAt: new Date(expiresAtSeconds * 1000).toISOString(),
      };
    },
    /**
     * @param predictionId from the link; null in a link to all predictions
     * @returns the holder of the ticket
     * @throws HttpProblem TICKET_INVALID
     */
    async check(ticket: string, predictionId: string | null, purpose: TicketPurpose): Promise<RequestIdentity> {
      const claims = await read(ticket, purpose);
      if (claims?.prediction !== predictionId) throw new HttpProblem('TICKET_INVALID', {});
      const holder = { accountId: claims.sub, sessionId: claims.sid };
      if (!(await isStillSignedIn(holder))) throw new HttpProblem('TICKET_INVALID', {});
      return holder;
    },
  };
}
