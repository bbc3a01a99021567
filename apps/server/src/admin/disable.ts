import { setTimeout as sleep } from 'node:timers/promises';
import { disableAccount, hasEnded } from '../identity/accounts/account-ending.ts';
import { changeAccount, findAccountByEmail, type Query } from '../identity/accounts/account-store.ts';
import { AdminError } from './admin-error.ts';
import { requireOwnAccounts, type ServerData } from './open-data.ts';

/** A running server needs some 200 ms. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;

async function requireAccount(query: Query, email: string): Promise<string> {
  const account = await findAccountByEmail(query, email.trim().toLowerCase());
  if (account === null) throw new AdminError(`There is no account with the address ${email}.`);
  return account.id;
}

/**
 * Disables an account and waits until a running server has ended its sessions and work.
 *
 * @returns a sentence for the operator
 * @throws AdminError
 */
export async function disable(data: ServerData, email: string, waitMs = WAIT_MS): Promise<string> {
  requireOwnAccounts(data);
  const { database } = data;
  const accountId = await database.change({ freesRoom: true }, async (query) => {
    const id = await requireAccount(query, email);
    await disableAccount(database, query, id);
    return id;
  });
  const disabledAt = performance.now();
  while (!(await hasEnded(database.query, accountId))) {
    if (performance.now() - disabledAt > waitMs) {
      return `Disabled ${email}. No running server has confirmed it: what is in progress ends when a server starts.`;
    }
    await sleep(LOOK_EVERY_MS);
  }
  return `Disabled ${email}. Sessions, streams, uploads and analyses of this account have ended.`;
}

/** @returns a sentence for the operator @throws AdminError */
export async function enable(data: ServerData, email: string): Promise<string> {
  requireOwnAccounts(data);
  await data.database.change({}, async (query) => {
    await changeAccount(query, await requireAccount(query, email), { disabled: false });
  });
  return `Enabled ${email}. People sign in again with their password; their predictions are unchanged.`;
}
