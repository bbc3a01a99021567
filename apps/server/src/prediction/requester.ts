import type { Ticket } from '@chiffchaff/contract';
import type { FastifyRequest } from 'fastify';
import { ticketOf } from '../http/access.ts';
import type { RequestIdentity } from '../http/end-signed-out.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { createTickets, type TicketPurpose } from './audio/tickets.ts';
import type { ModelLoader } from './model-loader.ts';
import type { Predictions } from './predictions.ts';

/** What is needed from identity. */
export interface SignIns {
  /** @throws HttpProblem SIGN_IN_REQUIRED */
  requirePrincipal(request: FastifyRequest): RequestIdentity;
  /** null without a token. @throws HttpProblem SESSION_EXPIRED, … */
  identify(request: FastifyRequest): Promise<RequestIdentity | null>;
  isStillSignedIn(signedIn: RequestIdentity): Promise<boolean>;
}

export interface RequestersOptions {
  /** whether predictions need no account */
  readonly isOpen: boolean;
  /** signs tickets */
  readonly ticketKey: Uint8Array;
}

export type Requesters = ReturnType<typeof createRequesters>;

/** What routes of accounts' predictions need. */
export interface OwnersRoutesOptions {
  readonly modelLoader: ModelLoader;
  readonly predictions: Predictions;
  readonly requesters: Requesters;
}

/** Identifies who sends a request, by session, API token or ticket. */
export function createRequesters(signIns: SignIns, { isOpen, ticketKey }: RequestersOptions) {
  const tickets = createTickets({ key: ticketKey, isStillSignedIn: signIns.isStillSignedIn });
  const holders = new WeakMap<FastifyRequest, RequestIdentity>();
  const require = (request: FastifyRequest): string => signIns.requirePrincipal(request).accountId;

  return {
    /** The account, on routes that require one. @throws HttpProblem SIGN_IN_REQUIRED */
    require,
    /** Whether a request may read what was sent with an API token, or with none. @throws HttpProblem SIGN_IN_REQUIRED */
    mayRead(request: FastifyRequest, { apiTokenId }: { readonly apiTokenId: string | null }): boolean {
      const { readsOnlyOwn, tokenId } = signIns.requirePrincipal(request);
      return !readsOnlyOwn || tokenId === apiTokenId;
    },
    /** The sender, on routes that may be open to all; null without a valid session or token. */
    async find(request: FastifyRequest): Promise<RequestIdentity | null> {
      if (!isOpen) return signIns.requirePrincipal(request);
      try {
        return await signIns.identify(request);
      } catch (error) {
        if (error instanceof HttpProblem && error.code === 'SESSION_EXPIRED') return null;
        throw error;
      }
    },
    /** @param predictionId null for all predictions of the account. @throws HttpProblem SIGN_IN_REQUIRED */
    issueTicket: (request: FastifyRequest, predictionId: string | null, purpose: TicketPurpose): Promise<Ticket> =>
      tickets.issue(signIns.requirePrincipal(request), predictionId, purpose),
    /**
     * The account, on routes whose access is `signedInOrTicket`.
     *
     * @param predictionId from the URL; null where it is of all predictions of an account
     * @throws HttpProblem SIGN_IN_REQUIRED, TICKET_INVALID
     */
    async requireFor(request: FastifyRequest, predictionId: string | null, purpose: TicketPurpose): Promise<string> {
      const ticket = ticketOf(request);
      if (ticket === null) return require(request);
      const holder = await tickets.check(ticket, predictionId, purpose);
      holders.set(request, holder);
      return holder.accountId;
    },
    /** The holder of a request's ticket, after `requireFor` has accepted it; else null. */
    byTicket: (request: FastifyRequest): RequestIdentity | null => holders.get(request) ?? null,
  };
}
