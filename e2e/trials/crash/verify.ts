import { isDeepStrictEqual } from 'node:util';
import { password } from '../../people.ts';
import { ask, askIdentity, askPrediction } from '../api.ts';
import type { Ledger, Person, Sent } from './ledger.ts';

const patienceMs = 120_000;
const pauseMs = 100;

/** Asks a server that was started after the last crash for everything that was acknowledged. @returns what is not as acknowledged */
export async function verifyLedger(origin: string, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for (const person of ledger.people) faults.push(...(await verifyPerson(origin, person)));
  return faults;
}

async function verifyPerson(origin: string, person: Person): Promise<string[]> {
  const { email, standing } = person;
  const { status, body } = await askIdentity(origin, 'signInWithPassword', { email, password, returnSecureToken: true });
  const isThere = status === 200;
  if (standing === 'kept' && !isThere) return [`account ${email} was acknowledged and is answered ${status}`];
  if (standing === 'gone' && isThere) return [`account ${email} was deleted and is there again`];
  if (!isThere) return [];
  const token: string = body.idToken;
  const faults: string[] = [];
  let there = 0;
  for (const sent of person.sent) {
    const found = await verifySent(origin, token, sent);
    faults.push(...found.faults);
    if (found.isThere) there += 1;
  }
  const listed = await listAll(origin, token);
  if (listed.length !== there) faults.push(`${email} has ${there} predictions and is shown ${listed.length}`);
  if (new Set(listed).size !== listed.length) faults.push(`${email} is shown a prediction twice`);
  return faults;
}

async function verifySent(origin: string, token: string, sent: Sent): Promise<{ faults: string[]; isThere: boolean }> {
  const { key, standing, wasInWork } = sent;
  const found = await waitForEnd(origin, token, key);
  const isThere = found.status === 200;
  const faults: string[] = [];
  if (standing === 'kept' && !isThere) faults.push(`prediction ${key} was acknowledged and is answered ${found.status}`);
  if (standing === 'kept' && isThere && !isDeepStrictEqual(found.body.prediction, sent.answer))
    faults.push(`prediction ${key} is not what was acknowledged: ${found.body.state}`);
  if (standing === 'gone' && isThere) faults.push(`prediction ${key} was deleted and is there again`);
  if (standing === 'asked' && wasInWork && !isThere) faults.push(`job ${key} was in work and is lost`);
  if (isThere && found.body.state !== 'done') faults.push(`prediction ${key} ended as ${found.body.state}`);
  if (standing !== 'asked') return { faults, isThere };
  // Whoever saw no answer asks again: one prediction, whatever had become of the first try.
  const again = await askPrediction(origin, { token, key, name: 'notes.wav', bytes: sent.bytes });
  if (again.status !== 200) faults.push(`asking again for ${key} was answered ${again.status}`);
  else if (isThere && again.body.id !== found.body.prediction.id) faults.push(`${key} was done twice`);
  return { faults, isThere: again.status === 200 };
}

async function waitForEnd(origin: string, token: string, key: string) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask(origin, 'GET', `/v1/predictions/${key}`, { token });
    if (answer.status !== 200 || answer.body.state !== 'inWork' || performance.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function listAll(origin: string, token: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await ask(origin, 'GET', `/v1/predictions?limit=50${query}`, { token });
    ids.push(...body.predictions.map(({ id }: { id: string }) => id));
    cursor = body.cursor;
  } while (cursor !== null);
  return ids;
}
