import type { Database } from '../../database/database.ts';
import type { IdTokens } from '../tokens/id-tokens.ts';
import type { AccountAccess } from './account-access.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

/** What the operations on accounts share. */
export interface AccountParts {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly idTokens: IdTokens;
  readonly access: AccountAccess;
  readonly limits: AttemptLimits;
  readonly enumerationProtection: boolean;
}
