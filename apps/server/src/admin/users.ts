import { requireOwnAccounts, type ServerData } from './open-data.ts';
import { asJson, minuteOf, textTable } from './text-table.ts';

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** Lists all accounts with their use, newest first. @returns the text to print @throws AdminError */
export async function users(
  data: Pick<ServerData, 'config' | 'database'>,
  { json = false }: { readonly json?: boolean | undefined },
): Promise<string> {
  requireOwnAccounts(data);
  const { query } = data.database;
  const rows = await query
    .selectFrom('accounts')
    .select(['id', 'email', 'disabled', 'createdAtMs', 'lastLoginAtMs', 'lastRefreshAtMs'])
    .select((eb) => [
      eb
        .selectFrom('predictions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('accountId', '=', 'accounts.id')
        .where('deletedAtMs', 'is', null)
        .as('recordings'),
      eb
        .selectFrom('apiTokens')
        .select(({ fn }) => fn.max('lastUsedAtMs').as('at'))
        .whereRef('accountId', '=', 'accounts.id')
        .as('tokenUsedAtMs'),
    ])
    .orderBy('createdAtMs', 'desc')
    .orderBy('email')
    .execute();
  const listed = rows.map(({ id, email, disabled, createdAtMs, lastLoginAtMs, lastRefreshAtMs, tokenUsedAtMs, recordings }) => ({
    id,
    email,
    createdAt: timeOf(createdAtMs),
    /** by a sign-in, a renewal of a session, or an API token */
    lastUsedAt: timeOf(Math.max(lastLoginAtMs, lastRefreshAtMs ?? 0, tokenUsedAtMs ?? 0)),
    disabled: disabled === 1,
    recordings: recordings ?? 0,
  }));
  if (json) return asJson({ users: listed });
  if (listed.length === 0) return 'There are no accounts.';
  return textTable(
    ['address', 'created (UTC)', 'last used', 'recordings', 'disabled'],
    listed.map(({ email, createdAt, lastUsedAt, recordings, disabled }) => [
      email,
      minuteOf(createdAt),
      minuteOf(lastUsedAt),
      recordings,
      disabled ? 'disabled' : '',
    ]),
  );
}
