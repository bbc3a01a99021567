import { password } from '../../people.ts';
import { askIdentity } from '../api.ts';
import { WrongAnswer } from './wrong-answer.ts';

/** Deletes an account, for which one has to have signed in just now. @throws WrongAnswer */
export async function leaveServer(origin: string, email: string): Promise<void> {
  const signedIn = await askIdentity(origin, 'signInWithPassword', { email, password, returnSecureToken: true });
  if (signedIn.status !== 200) throw wrong('Signing in', signedIn);
  const deleted = await askIdentity(origin, 'delete', { idToken: signedIn.body.idToken });
  if (deleted.status !== 200) throw wrong('Deleting an account', deleted);
}

const wrong = (what: string, { status, body }: { readonly status: number; readonly body: unknown }): WrongAnswer =>
  new WrongAnswer(`${what} was answered ${status} ${JSON.stringify(body)}`, status);
