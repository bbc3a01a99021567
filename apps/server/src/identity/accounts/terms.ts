import type { TermsAcceptance } from '@chiffchaff/contract';
import type { Query } from './account-store.ts';

/** Records that an account accepted a version of the terms. Accepting it again keeps the first time. */
export async function recordAcceptance(query: Query, accountId: string, version: string, nowMs: number): Promise<void> {
  await query
    .insertInto('termsAcceptances')
    .values({ accountId, version, acceptedAtMs: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The versions that an account accepted, newest first. */
export async function listAcceptances(query: Query, accountId: string): Promise<TermsAcceptance[]> {
  const rows = await query
    .selectFrom('termsAcceptances')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('acceptedAtMs', 'desc')
    .execute();
  return rows.map(({ version, acceptedAtMs }) => ({ version, acceptedAt: new Date(acceptedAtMs).toISOString() }));
}
