/** Compares what the ledger says was acknowledged with what servers answer. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, ask, askPrediction, codeOf, renewToken, signIn } from '../../harness/api.ts';
import { lookUntil } from '../../harness/measures.ts';
import type { Account, SentRecording } from './ledger.ts';
import { type Asker, askAgain, leave } from './people.ts';

type Note = (fault: string) => void;

/** Once nothing is wrong any more, all work must end within this time. */
const ENDS_WITHIN_MS = 120_000;
/** … and audio must be kept within this time, although the machine that was to keep it has died. */
const KEPT_WITHIN_MS = 200_000;
const LOOK_EVERY_MS = 100;

/** Checks every account and recording. People must have stopped. */
export async function verifyAll(asker: Asker, note: Note): Promise<void> {
  for (const account of asker.ledger.accounts) {
    if (!(await isThere(asker, account, note))) continue;
    const ids: string[] = [];
    for (const sent of account.sent) ids.push(...(await verifyRecording(asker, account, sent, note)));
    const listed = await listAll(asker, account);
    if (!isDeepStrictEqual(ids.toSorted(), listed.toSorted()))
      note(`${account.email} has the predictions ${ids} and is shown ${listed}`);
  }
}

/** Deletes all accounts that may exist. */
export async function leaveAll(asker: Asker, note: Note): Promise<void> {
  for (const account of asker.ledger.accounts) {
    const { standing } = account;
    await leave(asker, account).catch((error: unknown) => {
      if (standing === 'kept') note(String(error));
    });
  }
}

/** Renews the session, and signs in. @returns whether that succeeded */
async function isThere(asker: Asker, account: Account, note: Note): Promise<boolean> {
  const { standing, email } = account;
  const renewed = await askAgain(asker, (origin, signal) => renewToken(origin, account, signal));
  if (standing === 'kept' && account.standing === 'kept' && renewed.status !== 200)
    note(`the session of ${email} is answered ${codeOf(renewed)}`);
  const answer = await askAgain(asker, (origin) => signIn(origin, email));
  const isIn = answer.status === 200;
  if (isIn) account.token = answer.body.idToken;
  if (standing === 'kept' && account.standing === 'kept' && !isIn)
    note(`account ${email} was acknowledged and is answered ${codeOf(answer)}`);
  if (standing === 'gone' && isIn) note(`account ${email} was deleted and is there again`);
  return isIn;
}

/** An acknowledged recording is answered as it was, and a deleted one is not there. */
function compare({ key, standing, answer }: SentRecording, found: Answer, note: Note): void {
  if (standing === 'kept' && !isDeepStrictEqual(found.body.prediction, answer))
    note(`prediction ${key} was acknowledged and is answered ${codeOf(found)} ${found.body.state ?? ''}`);
  if (standing === 'gone' && found.status !== 404) note(`prediction ${key} was deleted and is answered ${codeOf(found)}`);
}

/** @returns the id under which the prediction is there, if it is */
async function verifyRecording(asker: Asker, account: Account, sent: SentRecording, note: Note): Promise<readonly string[]> {
  const { key, standing, sound, keepAudio } = sent;
  const { counts } = asker.ledger;
  const found = await whenEnded(asker, account, key);
  compare(sent, found, note);
  let id: string | undefined = found.body.prediction?.id;
  if (found.status !== 404 && id === undefined)
    note(`prediction ${key} ended as ${codeOf(found)} ${JSON.stringify(found.body).slice(0, 300)}`);
  if (standing === 'asked') {
    if (sent.wasInWork && found.status === 404) note(`job ${key} was in work and is lost`);
    // Without a response people ask again: there must be one prediction, whatever became of the first request.
    const asked = { token: account.token, key, ...sound, fields: { keepAudio } };
    const again = await askAgain(asker, (origin, signal) => askPrediction(origin, { ...asked, signal }));
    if (again.status !== 200) note(`asking again for ${key} was answered ${codeOf(again)}`);
    else if (id !== undefined && id !== again.body.id) note(`${key} was done twice`);
    else if (id !== undefined) counts.jobsTakenUp += 1;
    id = again.body.id;
  }
  if (id === undefined) return [];
  // A deletion without a response may already have deleted the audio.
  if (standing !== 'leaving' && account.standing !== 'leaving') await verifySound(asker, account, sent, note);
  return [id];
}

/** The audio that was asked for is kept, and can be played; what a storage that was away prevents is done later. */
async function verifySound(asker: Asker, account: Account, sent: SentRecording, note: Note): Promise<void> {
  const patience = { withinMs: KEPT_WITHIN_MS, everyMs: LOOK_EVERY_MS };
  const wrong = await lookUntil(
    () => listen(asker, account, sent),
    (found) => found === null,
    patience,
  );
  if (wrong !== null) note(`the sound of ${sent.key} ${wrong}`);
}

/** @returns what is wrong with the kept audio, or null */
async function listen(asker: Asker, account: Account, sent: SentRecording): Promise<string | null> {
  const { key, sound, keepAudio } = sent;
  const kind: string = (await look(asker, account, key)).body.keptAudio?.kind ?? 'nothing';
  // Without a detection there are no excerpts to keep.
  if (kind !== keepAudio && !(keepAudio === 'moments' && kind === 'nothing')) return `is kept as ${kind}, not as ${keepAudio}`;
  if (kind === 'nothing') return null;
  const headers = { authorization: `Bearer ${account.token}` };
  const played = await fetch(`${asker.chance.pick(asker.origins)}/v1/predictions/${key}/audio`, { headers });
  const bytes = new Uint8Array(await played.arrayBuffer());
  if (played.status !== 200 || bytes.length === 0) return `is answered ${played.status} with ${bytes.length} bytes`;
  const isAsSent = kind === 'recording' && /\.(wav|flac|mp3)$/.test(sound.name);
  if (isAsSent && Buffer.compare(bytes, sound.buffer) !== 0) return 'is not the one that was sent';
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (sent.soundHash !== null && sent.soundHash !== hash) return 'has changed';
  sent.soundHash = hash;
  asker.ledger.counts.soundsPlayed += 1;
  return null;
}

const look = (asker: Asker, { token }: Account, key: string): Promise<Answer> =>
  askAgain(asker, (origin, signal) => ask(origin, 'GET', `/v1/predictions/${key}`, { token, signal }));

function whenEnded(asker: Asker, account: Account, key: string): Promise<Answer> {
  const patience = { withinMs: ENDS_WITHIN_MS, everyMs: LOOK_EVERY_MS };
  return lookUntil(
    () => look(asker, account, key),
    ({ body }) => body.state !== 'inWork',
    patience,
  );
}

/** Ids of all predictions that an account is shown. */
async function listAll(asker: Asker, { token }: Account): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `/v1/predictions?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await askAgain(asker, (origin, signal) => ask(origin, 'GET', path, { token, signal }));
    if (status !== 200) throw new Error(`A history was answered ${status}`);
    ids.push(...body.predictions.map(({ id }: { readonly id: string }) => id));
    cursor = body.cursor;
  }
  return ids;
}
