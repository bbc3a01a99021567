import type { Query } from '../accounts/account-store.ts';

/** Deletes all tokens of an account. The caller notifies `signOuts` in the same transaction. */
export async function endApiTokens(step: Query, accountId: string): Promise<void> {
  await step.deleteFrom('apiTokens').where('accountId', '=', accountId).execute();
}
