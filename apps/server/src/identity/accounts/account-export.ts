import type { Database } from '../../database/database.ts';
import type { ApiTokens } from '../api-tokens/api-tokens.ts';
import { describeInvitation, listInvitationsOf } from '../invitations.ts';
import type { Principal } from '../principal.ts';
import { accountInfoOf } from './account-info.ts';
import { findAccount } from './account-store.ts';
import type { Sessions } from './sessions.ts';
import { listAcceptances } from './terms.ts';

/** A section that another part of the server adds to the export, under its name. */
export interface AccountExportPart {
  readonly name: string;
  /** Large sections are streamed row by row, as a JSON array. A row that is a Buffer is already JSON. */
  export(accountId: string): Promise<unknown> | AsyncIterable<unknown>;
}

/** Writes the export of an account as pieces of JSON, generated while they are read. */
export type WriteAccountExport = (principal: Principal) => Promise<AsyncIterable<string>>;

export interface AccountExportOptions {
  readonly database: Database;
  /** null when a foreign service manages accounts and sessions */
  readonly sessions: Sessions | null;
  readonly apiTokens: ApiTokens;
  readonly parts: readonly AccountExportPart[];
}

/** Exports everything stored about an account, with one row at a time in memory. */
export function createAccountExport({ database, sessions, apiTokens, parts }: AccountExportOptions): WriteAccountExport {
  return async ({ accountId, email, emailVerified, displayName }) => {
    const known = sessions === null ? null : await findAccount(database.query, accountId);
    const account = known === null ? { localId: accountId, email, emailVerified, displayName } : accountInfoOf(known);
    const opened = sessions === null ? [] : await sessions.list(database.query, accountId);
    const own = {
      exportedAt: new Date(Date.now()).toISOString(),
      account,
      terms: await listAcceptances(database.query, accountId),
      sessions: opened.map(({ createdAtMs, lastUsedAtMs, userAgent }) => ({
        createdAt: new Date(createdAtMs).toISOString(),
        lastUsedAt: new Date(lastUsedAtMs).toISOString(),
        userAgent,
      })),
      apiTokens: await apiTokens.list(accountId),
      invitations: (await listInvitationsOf(database.query, accountId)).map(describeInvitation),
    };
    return write(own, parts, accountId);
  };
}

async function* write(own: object, parts: readonly AccountExportPart[], accountId: string): AsyncIterable<string> {
  yield JSON.stringify(own).slice(0, -1);
  for (const part of parts) {
    const kept = part.export(accountId);
    yield `,${JSON.stringify(part.name)}:`;
    if (kept instanceof Promise) yield JSON.stringify(await kept);
    else yield* writeRows(kept);
  }
  yield '}';
}

async function* writeRows(rows: AsyncIterable<unknown>): AsyncIterable<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + (Buffer.isBuffer(row) ? row.toString() : JSON.stringify(row));
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
