import type { PostgresDatabase } from '../database/postgres/open-postgres.ts';
import { createListeners, type SignOuts, type WhichSessions } from '../identity/accounts/sign-outs.ts';

/** Notification channel between machines. */
const CHANNEL = 'signOuts';

/** For several machines; notifies when the transaction commits. @throws DatabaseError */
export async function openSharedSignOuts(database: Pick<PostgresDatabase, 'listen' | 'notify'>): Promise<SignOuts> {
  const { listen, end, doubtAll } = createListeners();
  await database.listen(
    CHANNEL,
    (payload) => {
      const { accountId, ...which }: WhichSessions & { readonly accountId: string } = JSON.parse(payload);
      end(accountId, which);
    },
    doubtAll,
  );
  return {
    listen,
    tell: (query, accountId, which) => database.notify(CHANNEL, JSON.stringify({ accountId, ...which }), query),
  };
}
