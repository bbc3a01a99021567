import type { RequestIdentity } from '../../http/end-signed-out.ts';
import type { Query } from './account-store.ts';

/** Which sessions of an account end: all, all but one, or one. API tokens count as sessions here, by their id. */
export interface WhichSessions {
  readonly only?: string | undefined;
  readonly except?: string | undefined;
}

/** Notifies responses in progress that their session or API token has ended. */
export interface SignOuts {
  /** @param query of the transaction that ends them */
  tell(query: Query, accountId: string, which?: WhichSessions): Promise<void>;
  /** @param onUncertain called when an end may have been missed @returns stops listening */
  listen(signedIn: RequestIdentity, onEnd: () => void, onUncertain: () => void): () => void;
}

/** For one machine; notifies before the transaction commits. */
export function createSignOuts(): SignOuts {
  const { listen, end } = createListeners();
  return { listen, tell: async (_query, accountId, which) => end(accountId, which) };
}

/** Responses of this machine that end with their session or API token. */
export function createListeners() {
  const listeners = new Set<{
    readonly signedIn: RequestIdentity;
    readonly onEnd: () => void;
    readonly onUncertain: () => void;
  }>();
  return {
    listen(signedIn: RequestIdentity, onEnd: () => void, onUncertain: () => void): () => void {
      const listener = { signedIn, onEnd, onUncertain };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end(accountId: string, { only, except }: WhichSessions = {}): void {
      for (const { signedIn, onEnd } of listeners) {
        const id = signedIn.tokenId ?? signedIn.sessionId;
        const isMeant = (only === undefined || id === only) && (except === undefined || id !== except);
        if (signedIn.accountId === accountId && isMeant) onEnd();
      }
    },
    doubtAll(): void {
      for (const { onUncertain } of listeners) onUncertain();
    },
  };
}
