/** Whether an account is signed in, as the specification has it. Authenticated means: there is a token. Pure. */
export interface AuthState {
  readonly token: string | null;
  /** null after a reload, unless the person asked to be kept signed in */
  readonly refreshToken: string | null;
  readonly loading: boolean;
  readonly localId: string | null;
  /** The raw `error.message` of the last failure, or the HTTP client's; people read `IdentitySentence`. */
  readonly error: string | null;
  readonly username: string | null;
}

export type AuthAction =
  | { readonly type: 'start'; readonly username: string }
  | {
      readonly type: 'success';
      readonly token: string;
      readonly refreshToken: string | null;
      readonly localId: string;
      readonly username: string;
    }
  | { readonly type: 'failure'; readonly error: string }
  | { readonly type: 'logout' }
  /** The session that the browser keeps, at start or from another tab. */
  | {
      readonly type: 'restore';
      readonly token: string;
      readonly refreshToken: string | null;
      readonly localId: string;
      readonly username: string;
    }
  | { readonly type: 'renewStart' }
  | { readonly type: 'renewed'; readonly token: string; readonly refreshToken: string | null }
  /** No new token came; the old one holds until it expires. @see AuthSession.renew */
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
      return { token: null, refreshToken: null, loading: true, localId: null, error: null, username: action.username };
    case 'success': {
      const { token, refreshToken, localId, username } = action;
      return { ...state, token, refreshToken, localId, username, loading: false };
    }
    case 'failure':
      return { ...state, token: null, refreshToken: null, localId: null, loading: false, error: action.error };
    case 'logout':
      // The specification names token, refresh token and loading; nothing else of the account stays behind either.
      return signedOut;
    case 'restore': {
      const { token, refreshToken, localId, username } = action;
      return { token, refreshToken, localId, username, loading: false, error: null };
    }
    case 'renewStart':
      return state.token === null ? state : { ...state, loading: true, error: null };
    case 'renewed': {
      // Signed out meanwhile: that stays.
      const { token, refreshToken } = action;
      return state.token === null ? state : { ...state, token, refreshToken, loading: false, error: null };
    }
    case 'renewFailure': {
      const { error, refreshToken } = action;
      return state.token === null ? state : { ...state, refreshToken, loading: false, error };
    }
  }
}
