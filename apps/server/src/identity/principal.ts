/** Who is asking, once their ID token and their account have been checked. */
export interface Principal {
  readonly accountId: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** when the password was given; seconds since 1970 */
  readonly authTimeSeconds: number;
  /** null with foreign identity services */
  readonly sessionId: string | null;
}
