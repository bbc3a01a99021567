/** Authentication state, as in the specification: an account is signed in if `token` is set. Pure. */
export interface AuthState {
  readonly token: string | null;
  /** null after a reload, unless the user asked to stay signed in */
  readonly refreshToken: string | null;
  readonly loading: boolean;
  readonly localId: string | null;
  /** The raw `error.message` of the last failure, or the HTTP client's; people read `identitySentence`. */
  readonly error: string | null;
  readonly username: string | null;
}

export type AuthAction =
  | { readonly type: 'start'; readonly username: string }
  | { readonly type: 'failure'; readonly error: string }
  | { readonly type: 'logout' }
  /** `restore`: the stored session, at start or from another tab. */
  | {
      readonly type: 'success' | 'restore';
      readonly token: string;
      readonly refreshToken: string | null;
      readonly localId: string;
      readonly username: string;
    }
  | { readonly type: 'renewStart' }
  | { readonly type: 'renewed'; readonly token: string; readonly refreshToken: string | null }
  /** Renewal failed; the old token is valid until it expires. @see AuthSession.renew */
  | { readonly type: 'renewFailure'; readonly error: string; readonly refreshToken: string | null };

export const signedOut: AuthState = {
  token: null,
  refreshToken: null,
  loading: false,
  localId: null,
  error: null,
  username: null,
};

export function reduceAuth(state: AuthState, action: AuthAction): AuthState {
  switch (action.type) {
    case 'start':
      return { ...signedOut, loading: true, username: action.username };
    case 'failure':
      return { ...state, token: null, refreshToken: null, localId: null, loading: false, error: action.error };
    case 'logout':
      // The specification names token, refresh token and loading; nothing else of the account may remain either.
      return signedOut;
    case 'success':
    case 'restore': {
      const { token, refreshToken, localId, username } = action;
      return { token, refreshToken, localId, username, loading: false, error: null };
    }
    case 'renewStart':
      return state.token === null ? state : { ...state, loading: true, error: null };
    case 'renewed': {
      // After a sign-out in the meantime, stays signed out.
      const { token, refreshToken } = action;
      return state.token === null ? state : { ...state, token, refreshToken, loading: false, error: null };
    }
    case 'renewFailure': {
      const { error, refreshToken } = action;
      return state.token === null ? state : { ...state, refreshToken, loading: false, error };
    }
  }
}
