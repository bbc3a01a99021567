import type { SignedIn } from '../../http/end-signed-out.ts';

/** Which sessions of an account end: all, all but one, or one. */
export interface WhichSessions {
  readonly only?: string;
  readonly except?: string;
}

export type SignOuts = ReturnType<typeof createSignOuts>;

/** Tells what goes on for a sign-in that it has ended. */
export function createSignOuts() {
  const listeners = new Set<{ readonly signedIn: SignedIn; readonly onEnd: () => void }>();
  return {
    tell: (accountId: string, { only, except }: WhichSessions = {}): void => {
      for (const { signedIn, onEnd } of listeners) {
        const { sessionId } = signedIn;
        const isMeant = (only === undefined || sessionId === only) && (except === undefined || sessionId !== except);
        if (signedIn.accountId === accountId && isMeant) onEnd();
      }
    },
    /** @returns stops listening */
    listen: (signedIn: SignedIn, onEnd: () => void): (() => void) => {
      const listener = { signedIn, onEnd };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
