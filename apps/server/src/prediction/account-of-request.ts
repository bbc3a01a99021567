import type { FastifyRequest } from 'fastify';

/** Whose request it is; composed from identity in app.ts. */
export interface AccountOfRequest {
  /** For routes that ask for a sign-in. */
  require(request: FastifyRequest): string;
  /** For routes that may be open to everybody; null for whoever is not signed in, or not any more. */
  find(request: FastifyRequest): Promise<string | null>;
}
