import { finished, Stream } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Who is signed in where; `sessionId` is null where this server keeps no sessions, and for API tokens. */
export interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string | null;
  /** of the API token that was brought in place of a sign-in */
  readonly tokenId?: string;
  /** when that token expires */
  readonly endsAtMs?: number;
}

/** As far as a timer can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Composed from identity and tickets in app.ts. */
export interface EndSignedOutOptions {
  /** Whose request it is, by a token or a ticket; null for none. */
  readonly signedInOf: (request: FastifyRequest) => SignedIn | null;
  readonly isStillSignedIn: (signedIn: SignedIn) => Promise<boolean>;
  /** @param onUncertain an end may have been missed @returns stops listening */
  readonly listen: (signedIn: SignedIn, onEnd: () => void, onUncertain: () => void) => () => void;
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
    const cutIfEnded = async (): Promise<void> => {
      if (!(await isStillSignedIn(signedIn))) cut();
    };
    const { endsAtMs } = signedIn;
    const end = endsAtMs === undefined ? undefined : setTimeout(cut, Math.min(endsAtMs - Date.now(), LONGEST_TIMER_MS));
    const stopListening = listen(signedIn, cut, () => void cutIfEnded().catch(cut));
    finished(reply.raw, () => {
      clearTimeout(end);
      stopListening();
    });
    // What ended while the answer was being made has been told already.
    await cutIfEnded();
    return payload;
  });
}
