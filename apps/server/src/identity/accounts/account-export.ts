import type { AccountExport } from '@chiffchaff/contract';
import type { Database } from '../../database/open-database.ts';
import type { Principal } from '../principal.ts';
import { accountInfoOf } from './account-info.ts';
import { findAccount } from './account-store.ts';
import type { Sessions } from './sessions.ts';
import { listAcceptances } from './terms.ts';

/** What another room keeps about an account, under its name in the export. */
export interface AccountExportPart {
  readonly name: string;
  export(accountId: string): Promise<unknown>;
}

/** Everything that is kept about whoever asks. @param sessions null when a foreign service keeps accounts and sessions */
export function createAccountExport(
  database: Database,
  sessions: Sessions | null,
  parts: readonly AccountExportPart[],
  now: () => number,
): (principal: Principal) => Promise<AccountExport> {
  return async ({ accountId, email, emailVerified, displayName }) => {
    const known = sessions === null ? null : await findAccount(database.query, accountId);
    const account = known === null ? { localId: accountId, email, emailVerified, displayName } : accountInfoOf(known);
    const opened = sessions === null ? [] : await sessions.list(database.query, accountId);
    const contributed = await Promise.all(parts.map(async ({ name, export: read }) => [name, await read(accountId)] as const));
    return {
      ...Object.fromEntries(contributed),
      exportedAt: new Date(now()).toISOString(),
      account,
      terms: await listAcceptances(database.query, accountId),
      sessions: opened.map(({ createdAtMs, lastUsedAtMs, userAgent }) => ({
        createdAt: new Date(createdAtMs).toISOString(),
        lastUsedAt: new Date(lastUsedAtMs).toISOString(),
        userAgent,
      })),
    };
  };
}
