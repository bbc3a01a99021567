import { finished, Stream } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Who is signed in where; `sessionId` is null where this server keeps no sessions. */
export interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string | null;
}

/** Composed from identity and tickets in app.ts. */
export interface EndSignedOutOptions {
  /** Whose request it is, by a token or a ticket; null for none. */
  readonly signedInOf: (request: FastifyRequest) => SignedIn | null;
  readonly isStillSignedIn: (signedIn: SignedIn) => Promise<boolean>;
  /** @returns stops listening */
  readonly listen: (signedIn: SignedIn, onEnd: () => void) => () => void;
}

/**
 * Ends answers that go on (streams of events, sound, exports) when the sign-in that they were asked with ends: the connection is cut, so
 * that what is not complete does not look complete.
 */
export function endWhenSignedOut(app: FastifyInstance, { signedInOf, isStillSignedIn, listen }: EndSignedOutOptions): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const signedIn = payload instanceof Stream ? signedInOf(request) : null;
    if (signedIn === null) return payload;
    const cut = (): void => void reply.raw.destroy();
    finished(reply.raw, listen(signedIn, cut));
    // What ended while the answer was being made has been told already.
    if (!(await isStillSignedIn(signedIn))) cut();
    return payload;
  });
}
