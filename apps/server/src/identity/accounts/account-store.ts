import { randomInt } from 'node:crypto';
import type { Kysely, Selectable, Updateable } from 'kysely';
import type { AccountsTable, Tables } from '../../database/tables.ts';

/** A row of `accounts`, with booleans for flags. */
export interface Account extends Omit<Selectable<AccountsTable>, 'emailVerified' | 'disabled'> {
  readonly emailVerified: boolean;
  readonly disabled: boolean;
}

/** The database or a transaction. */
export type Query = Kysely<Tables>;

const accountOf = (row: Selectable<AccountsTable>): Account => ({
  ...row,
  emailVerified: row.emailVerified === 1,
  disabled: row.disabled === 1,
});

export async function findAccount(query: Query, id: string): Promise<Account | null> {
  const row = await query.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : accountOf(row);
}

/** @param email in lower case */
export async function findAccountByEmail(query: Query, email: string): Promise<Account | null> {
  const row = await query.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
  return row === undefined ? null : accountOf(row);
}

/** A page of accounts ordered by id, for operators. */
export async function listAccounts(query: Query, afterId: string, limit: number): Promise<readonly Account[]> {
  const rows = await query.selectFrom('accounts').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
  return rows.map(accountOf);
}

/** @returns false if the address or id is taken */
export async function insertAccount(query: Query, account: Account): Promise<boolean> {
  const row = { ...account, emailVerified: flagOf(account.emailVerified), disabled: flagOf(account.disabled) };
  const { numInsertedOrUpdatedRows } = await query
    .insertInto('accounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export type AccountChange = Omit<Updateable<AccountsTable>, 'id' | 'emailVerified' | 'disabled'> & {
  readonly emailVerified?: boolean;
  readonly disabled?: boolean;
};

/** @returns the account after the change, or null if it does not exist */
export async function changeAccount(query: Query, id: string, change: AccountChange): Promise<Account | null> {
  const { emailVerified, disabled, ...rest } = change;
  const row = await query
    .updateTable('accounts')
    .set({
      // Sets at least one column, because an empty SET clause is not valid.
      id,
      ...rest,
      ...(emailVerified === undefined ? {} : { emailVerified: flagOf(emailVerified) }),
      ...(disabled === undefined ? {} : { disabled: flagOf(disabled) }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : accountOf(row);
}

const flagOf = (value: boolean): 0 | 1 => (value ? 1 : 0);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 28 letters and digits, like Google's: 166 bits, so ids do not collide. */
export const createAccountId = (): string => Array.from({ length: 28 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

interface NewAccount extends Pick<Account, 'email' | 'displayName' | 'passwordHash'> {
  readonly id?: string | undefined;
  readonly nowMs: number;
}

export function newAccount({ id = createAccountId(), nowMs, ...given }: NewAccount): Account {
  return {
    ...given,
    id,
    emailVerified: false,
    passwordUpdatedAtMs: nowMs,
    photoUrl: null,
    disabled: false,
    customAttributes: null,
    createdAtMs: nowMs,
    lastLoginAtMs: nowMs,
    lastRefreshAtMs: null,
    validSinceSeconds: Math.floor(nowMs / 1000),
  };
}
