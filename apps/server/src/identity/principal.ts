/** The authenticated caller: the account of a verified ID token or API token. */
export interface Principal {
  readonly accountId: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** time of the sign-in, in seconds since 1970; 0 with API tokens */
  readonly authTimeSeconds: number;
  /** null with foreign identity services and API tokens */
  readonly sessionId: string | null;
  /** id of the API token, if the request has one */
  readonly tokenId?: string;
  /** when that token expires; absent if never */
  readonly endsAtMs?: number;
}
