import { finished, Stream } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The account and session or API token of a request. `sessionId` is null for API tokens, and if a foreign service manages sessions. */
export interface RequestIdentity {
  readonly accountId: string;
  readonly sessionId: string | null;
  /** id of the API token, if the request has one */
  readonly tokenId?: string;
  /** That token lacks the scope `read`: it reads only what was sent with it. */
  readonly readsOnlyOwn?: true;
  /** when that token expires; absent if never */
  readonly endsAtMs?: number;
}

/** The longest delay of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Composed from identity and tickets in app.ts. */
export interface EndSignedOutOptions {
  /** The sign-in behind a request, by token or ticket; null if it has neither. */
  readonly signedInOf: (request: FastifyRequest) => RequestIdentity | null;
  readonly isStillSignedIn: (signedIn: RequestIdentity) => Promise<boolean>;
  /** @param onUncertain called when an end may have been missed @returns stops listening */
  readonly listen: (signedIn: RequestIdentity, onEnd: () => void, onUncertain: () => void) => () => void;
}

/**
 * Ends streamed responses (events, audio, exports) when their session or API token ends. Cuts the connection, so that an incomplete
 * response does not look complete.
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
    // The sign-in may have ended before `listen` was called.
    await cutIfEnded();
    return payload;
  });
}
