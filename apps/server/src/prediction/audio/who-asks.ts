import type { FastifyRequest } from 'fastify';
import { ticketOf } from '../../http/access.ts';
import type { SignedIn, TicketPurpose, Tickets } from './tickets.ts';

/** Tells whose request it is on routes whose access is `signedInOrTicket`. */
export interface WhoAsks {
  /**
   * @param predictionId as it stands in the address; null where that is all of an account's
   * @returns the account
   * @throws HttpProblem SIGN_IN_REQUIRED, TICKET_INVALID
   */
  requireFor(request: FastifyRequest, predictionId: string | null, purpose: TicketPurpose): Promise<string>;
}

export function createWhoAsks(tickets: Tickets, requireSignedIn: (request: FastifyRequest) => SignedIn): WhoAsks {
  return {
    async requireFor(request, predictionId, purpose) {
      const ticket = ticketOf(request);
      return ticket === null ? requireSignedIn(request).accountId : tickets.check(ticket, predictionId, purpose);
    },
  };
}
