import type { AccountExportPart } from '../embedded-parts.ts';
import { describeInvitation, listInvitationsOf } from '../invitations.ts';
import type { Identity } from '../open-embedded-identity.ts';
import type { Principal } from '../principal.ts';
import { accountInfoOf } from './account-info.ts';
import { findAccount } from './account-store.ts';
import { describeSession } from './sessions.ts';
import { listAcceptances } from './terms.ts';

/** Exports everything stored about an account: pieces of JSON, generated while they are read, with one row at a time in memory. */
export async function exportAccount(
  { database, sessions, apiTokens, exportParts }: Identity,
  { accountId, email, emailVerified, displayName }: Principal,
): Promise<AsyncIterable<string>> {
  const known = sessions === null ? null : await findAccount(database.query, accountId);
  const account = known === null ? { localId: accountId, email, emailVerified, displayName } : accountInfoOf(known);
  const opened = sessions === null ? [] : await sessions.list(database.query, accountId);
  const own = {
    exportedAt: new Date(Date.now()).toISOString(),
    account,
    terms: await listAcceptances(database.query, accountId),
    sessions: opened.map(describeSession),
    apiTokens: await apiTokens.list(accountId),
    invitations: (await listInvitationsOf(database.query, accountId)).map(describeInvitation),
  };
  return write(own, exportParts, accountId);
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
