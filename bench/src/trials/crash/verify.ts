import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ask, askIdentity, askPrediction } from '../../harness/api.ts';
import { password } from '../../harness/people.ts';
import type { Ledger, Person, SentRecording, Standing } from './ledger.ts';

const patienceMs = 120_000;
const pauseMs = 100;

/** Checks on a server started after the last crash everything that was acknowledged. @returns differences */
export async function verifyLedger(origin: string, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for (const person of ledger.people) faults.push(...(await verifyPerson(origin, ledger, person)));
  return faults;
}

/** Checks some accounts and the predictions they have received; quick, and changes nothing. */
export async function verifySome(origin: string, people: readonly Person[]): Promise<string[]> {
  const faults: string[] = [];
  for (const person of people) {
    const found = await signIn(origin, person);
    faults.push(...found.faults);
    if (found.token === null) continue;
    for (const { key, standing, answer } of person.sent) {
      if (standing !== 'kept' && standing !== 'gone') continue;
      const { status, body } = await ask(origin, 'GET', `/v1/predictions/${key}`, { token: found.token });
      if (standing === 'gone' && status !== 404) faults.push(`prediction ${key} was deleted and is answered ${status}`);
      if (standing === 'kept' && !isDeepStrictEqual(body.prediction, answer))
        faults.push(`prediction ${key} is answered ${status}`);
    }
  }
  return faults;
}

/** @returns a null token if the account does not exist */
async function signIn(origin: string, { email, standing }: Person): Promise<{ faults: string[]; token: string | null }> {
  const { status, body } = await askIdentity(origin, 'signInWithPassword', { email, password, returnSecureToken: true });
  const isThere = status === 200;
  const faults: string[] = [];
  if (standing === 'kept' && !isThere) faults.push(`account ${email} was acknowledged and is answered ${status}`);
  if (standing === 'gone' && isThere) faults.push(`account ${email} was deleted and is there again`);
  return { faults, token: isThere ? body.idToken : null };
}

async function verifyPerson(origin: string, ledger: Ledger, person: Person): Promise<string[]> {
  const { faults, token } = await signIn(origin, person);
  if (token === null) return faults;
  let there = 0;
  for (const sent of person.sent) {
    const found = await verifySent(origin, token, sent, ledger, person.standing);
    faults.push(...found.faults);
    if (found.isThere) there += 1;
  }
  const listed = await listAll(origin, token);
  if (listed.length !== there) faults.push(`${person.email} has ${there} predictions and is shown ${listed.length}`);
  if (new Set(listed).size !== listed.length) faults.push(`${person.email} is shown a prediction twice`);
  return faults;
}

async function verifySent(
  origin: string,
  token: string,
  sent: SentRecording,
  { acknowledged, besides }: Ledger,
  ownerStanding: Standing,
): Promise<{ faults: string[]; isThere: boolean }> {
  const { key, standing, wasInWork, sound, keepAudio } = sent;
  const found = await waitForEnd(origin, token, key);
  const isThere = found.status === 200;
  const faults: string[] = [];
  if (standing === 'kept' && !isThere) faults.push(`prediction ${key} was acknowledged and is answered ${found.status}`);
  if (standing === 'kept' && isThere && !isDeepStrictEqual(found.body.prediction, sent.answer))
    faults.push(`prediction ${key} is not what was acknowledged: ${found.body.state}`);
  if (standing === 'gone' && isThere) faults.push(`prediction ${key} was deleted and is there again`);
  if (standing === 'asked' && wasInWork && !isThere) faults.push(`job ${key} was in work and is lost`);
  if (isThere && found.body.state !== 'done')
    faults.push(`prediction ${key} ended as ${JSON.stringify(found.body).slice(0, 300)}`);
  if (standing === 'asked') {
    // Without a response the client retries: there must be one prediction, whatever became of the first attempt.
    const again = await askPrediction(origin, { token, key, ...sound, fields: { keepAudio } });
    if (again.status !== 200) faults.push(`asking again for ${key} was answered ${again.status}`);
    else if (found.body.state === 'done' && again.body.id !== found.body.prediction.id) faults.push(`${key} was done twice`);
    if (again.status !== 200) return { faults, isThere };
    if (isThere) acknowledged.jobsTakenUp += 1;
  } else if (!isThere) return { faults, isThere };
  // A deletion in progress may already have deleted the audio.
  if (standing === 'leaving' || ownerStanding === 'leaving') return { faults, isThere: true };
  const played = await verifySound(origin, token, sent);
  if (played === null) besides.soundsPlayed += 1;
  else if (played !== 'nothing') faults.push(`the sound of ${key} ${played}`);
  return { faults, isThere: true };
}

/** @returns null when kept audio can be played, `nothing` when none is kept as it should be, otherwise what is wrong */
async function verifySound(origin: string, token: string, { key, keepAudio, sound }: SentRecording): Promise<string | null> {
  const { body } = await ask(origin, 'GET', `/v1/predictions/${key}`, { token });
  const kind: string = body.keptAudio?.kind ?? 'nothing';
  // Without a detection there are no excerpts to keep.
  if (kind !== keepAudio && !(keepAudio === 'moments' && kind === 'nothing')) return `is kept as ${kind}, not as ${keepAudio}`;
  if (kind === 'nothing') return 'nothing';
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const headers = { authorization: `Bearer ${token}` };
    const played = await fetch(`${origin}/v1/predictions/${key}/audio`, { headers });
    const bytes = new Uint8Array(await played.arrayBuffer());
    if (played.status === 503 && performance.now() < deadline) {
      await delay(pauseMs);
      continue;
    }
    if (played.status !== 200 || bytes.length === 0) return `is answered ${played.status} with ${bytes.length} bytes`;
    const isAsSent = kind === 'recording' && /\.(wav|flac|mp3)$/.test(sound.name);
    return isAsSent && Buffer.compare(bytes, sound.bytes) !== 0 ? 'is not the one that was sent' : null;
  }
}

async function waitForEnd(origin: string, token: string, key: string) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask(origin, 'GET', `/v1/predictions/${key}`, { token });
    if (answer.status !== 200 || answer.body.state !== 'inWork' || performance.now() > deadline) return answer;
    await delay(pauseMs);
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
