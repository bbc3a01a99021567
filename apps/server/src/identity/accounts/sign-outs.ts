import type { SignedIn } from '../../http/end-signed-out.ts';

/** Which sessions of an account end: all, all but one, or one. */
export interface WhichSessions {
  readonly only?: string;
  readonly except?: string;
}

/** Tells what goes on for a sign-in that it has ended. */
export interface SignOuts {
  tell(accountId: string, which?: WhichSessions): void;
  /** @returns stops listening */
  listen(signedIn: SignedIn, onEnd: () => void): () => void;
}

export function createSignOuts(): SignOuts {
  const listeners = new Set<{ readonly signedIn: SignedIn; readonly onEnd: () => void }>();
  return {
    tell: (accountId, { only, except } = {}) => {
      for (const { signedIn, onEnd } of listeners) {
        const { sessionId } = signedIn;
        const isMeant = (only === undefined || sessionId === only) && (except === undefined || sessionId !== except);
        if (signedIn.accountId === accountId && isMeant) onEnd();
      }
    },
    listen: (signedIn, onEnd) => {
      const listener = { signedIn, onEnd };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
