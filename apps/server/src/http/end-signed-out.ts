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
 * Calls `onEnd` when the session or API token of a request ends, on whichever machine; at once if it has ended already.
 *
 * @returns stops listening
 */
export type WhenSignedOut = (request: FastifyRequest, onEnd: () => void) => Promise<() => void>;

/**
 * Ends streamed responses (events, audio, exports) when their session or API token ends. Cuts the connection, so that an incomplete
 * response does not look complete.
 *
 * @returns for requests that end in another way
 */
export function endWhenSignedOut(app: FastifyInstance, options: EndSignedOutOptions): WhenSignedOut {
  const { signedInOf, isStillSignedIn, listen } = options;
  const whenSignedOut: WhenSignedOut = async (request, onEnd) => {
    const signedIn = signedInOf(request);
    if (signedIn === null) return () => {};
    const endIfSignedOut = async (): Promise<void> => {
      if (!(await isStillSignedIn(signedIn))) onEnd();
    };
    using listening = new DisposableStack();
    const { endsAtMs } = signedIn;
    const end = endsAtMs === undefined ? undefined : setTimeout(onEnd, Math.min(endsAtMs - Date.now(), LONGEST_TIMER_MS));
    listening.defer(() => clearTimeout(end));
    listening.defer(listen(signedIn, onEnd, () => void endIfSignedOut().catch(onEnd)));
    // It may have ended before `listen` was called.
    await endIfSignedOut();
    const stop = listening.move();
    return () => stop.dispose();
  };
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload instanceof Stream) finished(reply.raw, await whenSignedOut(request, () => void reply.raw.destroy()));
    return payload;
  });
  return whenSignedOut;
}
