import { askIdentity } from '../../harness/api.ts';
import { password } from '../../harness/people.ts';
import type { Ledger } from './ledger.ts';
import { WrongAnswer } from './wrong-answer.ts';

/** Deletes an account, which requires a recent sign-in. @throws WrongAnswer */
export async function leaveServer(origin: string, email: string): Promise<void> {
  const signedIn = await askIdentity(origin, 'signInWithPassword', { email, password, returnSecureToken: true });
  if (signedIn.status !== 200) throw wrong('Signing in', signedIn);
  const deleted = await askIdentity(origin, 'delete', { idToken: signedIn.body.idToken });
  if (deleted.status !== 200) throw wrong('Deleting an account', deleted);
}

/** Deletes all accounts. @returns faults */
export async function leaveAll(origin: string, { people }: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for (const { email, standing } of people) {
    await leaveServer(origin, email).catch((error: unknown) => {
      if (standing === 'kept') faults.push(String(error));
    });
  }
  return faults;
}

const wrong = (what: string, { status, body }: { readonly status: number; readonly body: unknown }): WrongAnswer =>
  new WrongAnswer(`${what} was answered ${status} ${JSON.stringify(body)}`, status);
