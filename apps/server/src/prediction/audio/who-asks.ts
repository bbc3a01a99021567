import type { FastifyRequest } from 'fastify';
import { ticketOf } from '../../http/access.ts';
import type { SignedIn } from '../../http/end-signed-out.ts';
import type { TicketPurpose, Tickets } from './tickets.ts';

/** Tells whose request it is on routes whose access is `signedInOrTicket`. */
export interface WhoAsks {
  /**
   * @param predictionId as it stands in the address; null where that is all of an account's
   * @returns the account
   * @throws HttpProblem SIGN_IN_REQUIRED, TICKET_INVALID
   */
  requireFor(request: FastifyRequest, predictionId: string | null, purpose: TicketPurpose): Promise<string>;
  /** Whose ticket a request has brought, once `requireFor` has found it good; else null. */
  byTicket(request: FastifyRequest): SignedIn | null;
}

export function createWhoAsks(tickets: Tickets, requireSignedIn: (request: FastifyRequest) => SignedIn): WhoAsks {
  const holders = new WeakMap<FastifyRequest, SignedIn>();
  return {
    async requireFor(request, predictionId, purpose) {
      const ticket = ticketOf(request);
      if (ticket === null) return requireSignedIn(request).accountId;
      const holder = await tickets.check(ticket, predictionId, purpose);
      holders.set(request, holder);
      return holder.accountId;
    },
    byTicket: (request) => holders.get(request) ?? null,
  };
}
