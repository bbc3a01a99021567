import type { TermsAcceptance } from '@chiffchaff/contract';
import type { Query } from './account-store.ts';

/** Notes that an account agreed to a version of the terms. Agreeing again keeps the first time. */
export async function recordAcceptance(query: Query, accountId: string, version: string, nowMs: number): Promise<void> {
  await query
    .insertInto('termsAcceptances')
    .values({ accountId, version, acceptedAtMs: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What an account has agreed to, newest first. */
export async function listAcceptances(query: Query, accountId: string): Promise<TermsAcceptance[]> {
  const rows = await query
    .selectFrom('termsAcceptances')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('acceptedAtMs', 'desc')
    .execute();
  return rows.map(({ version, acceptedAtMs }) => ({ version, acceptedAt: new Date(acceptedAtMs).toISOString() }));
}
