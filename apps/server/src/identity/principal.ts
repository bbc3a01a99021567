import type { RequestIdentity } from '../http/end-signed-out.ts';

/** The authenticated caller: the account of a verified ID token or API token. */
export interface Principal extends RequestIdentity {
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** time of the sign-in, in seconds since 1970; 0 with API tokens */
  readonly authTimeSeconds: number;
}
