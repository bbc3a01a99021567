/**
 * People who use servers without pause: they sign up, send recordings whole and in pieces, follow, repeat, cancel and delete them, and
 * leave. Each request goes to a random machine, again while it is busy, and, when connections may break, again until a machine gives a definite
 * response. The ledger says what was acknowledged. The trials of machines start them while something dies or breaks.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask, askIdentity, askPrediction, codeOf, followEvents, signIn, signUp, tus } from '../../harness/api.ts';
import { makeSound } from '../../harness/make-recording.ts';
import { type Chance, createChance } from '../../harness/random.ts';
import { fallingNotes, type Sound, soundscape } from '../../harness/recordings.ts';
import { type Account, type Ledger, type Pieces, type SentRecording, WrongAnswer } from './ledger.ts';

/** What people do in a round, and how often each. */
export type Actions = Readonly<Partial<Record<keyof typeof actions, number>>>;

/** Somebody with an account. */
export const SENDING: Actions = { whole: 2, pieces: 1, followed: 2, cancelled: 1 };
/** Somebody who also comes and goes, and whose lost requests stay lost until they are thought of. */
export const COMING_AND_GOING: Actions = {
  join: 2,
  leave: 1,
  whole: 3,
  pieces: 3,
  followed: 2,
  twice: 1,
  resumed: 2,
  repeated: 1,
  removed: 2,
  cancelled: 1,
};

export interface Asker {
  readonly origins: readonly string[];
  readonly chance: Chance;
  readonly ledger: Ledger;
  /** What it does when a connection breaks, or a response takes too long: ask another machine, or throw the error. */
  readonly onBreak: 'askAgain' | 'throw';
  /** Milliseconds until it does so; 20 s when absent. */
  readonly patienceMs?: number;
}

export interface PeopleOptions extends Omit<Asker, 'chance'> {
  readonly sounds: readonly Sound[];
  /** The accounts of each person; people who share an array get in each other's way. */
  readonly accountsOf: readonly Account[][];
  readonly round: Actions;
  readonly seed: number;
  readonly onFault: (fault: string) => void;
}

const PIECES = 3;
const LONGEST_UNTIL_CANCELLED_MS = 800;
/** A follower reconnects after this long, because a cut line delivers nothing. */
const FOLLOW_MS = 20_000;
const AGAIN_MS = 100;

/** Who acts, with one of their accounts. */
interface Person {
  readonly asker: Asker;
  readonly account: Account;
}
interface Acting extends Person {
  readonly sounds: readonly Sound[];
  readonly mine: Account[];
}

const actions = {
  join: ({ asker, mine }) => join(asker, mine),
  /** The last account stays. */
  leave: ({ asker, mine, account }) => (present(mine).length > 1 ? leave(asker, account) : join(asker, mine)),
  whole: (by) => send(by, newRecording(by)),
  pieces: (by) => send(by, newRecording(by, 'inPieces')),
  followed: (by) => sendAndFollow(by, newRecording(by)),
  cancelled: (by) => sendAndCancel(by, newRecording(by)),
  reviewed: (by) => sendAndReview(by, newRecording(by)),
  twice: (by) => all([newRecording(by)].flatMap((sent) => [send(by, sent), send(by, sent)])),
  resumed: (by) => all(anIdle(by, 'asked').map((sent) => send(by, sent))),
  repeated: (by) => all(anIdle(by, 'kept').map((sent) => send(by, sent))),
  removed: (by) => all(anIdle(by, 'kept').map((sent) => remove(by, sent))),
} satisfies Readonly<Record<string, (by: Acting) => Promise<void>>>;

/** @returns a function that lets nobody begin anything new, and resolves when everything has ended */
export function startPeople({ sounds, accountsOf, round, seed, onFault, ...options }: PeopleOptions): () => Promise<void> {
  const seeds = createChance(seed);
  const stopping = new AbortController();
  const names = Object.keys(actions) as (keyof typeof actions)[];
  const listed = names.flatMap((name) => Array<typeof name>(round[name] ?? 0).fill(name));

  async function live(mine: Account[]): Promise<void> {
    const asker: Asker = { ...options, chance: createChance(seeds.below(2 ** 31)) };
    let turns: typeof listed = [];
    while (!stopping.signal.aborted) {
      // Rounds, so that everything happens often.
      if (turns.length === 0) turns = asker.chance.shuffle(listed);
      const account = asker.chance.pick(present(mine));
      try {
        if (account === undefined) await join(asker, mine);
        else await actions[turns.pop() ?? 'whole']({ asker, sounds, mine, account });
      } catch (error) {
        if (isLost(error) && asker.onBreak === 'throw') await untilBack(asker);
        else onFault(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async function untilBack({ origins: [origin = ''] }: Asker): Promise<void> {
    const isBack = () => ask(origin, 'GET', '/healthz').catch(() => null);
    while (!stopping.signal.aborted && (await isBack()) === null) await delay(AGAIN_MS);
  }

  const over = Promise.all(accountsOf.map(live));
  return async () => {
    stopping.abort();
    await over;
  };
}

const present = (mine: readonly Account[]): readonly Account[] => mine.filter(({ standing }) => standing === 'kept');

/** One of the recordings that nobody is sending, if there is one. */
function anIdle({ asker, account }: Person, wanted: 'asked' | 'kept'): readonly SentRecording[] {
  return asker.chance.shuffle(account.sent.filter(({ standing, flying }) => standing === wanted && flying === 0)).slice(0, 1);
}

/** Whether the account is being deleted, or the recording deleted or cancelled: then a refusal is right, too. */
const isBeingDeleted = ({ account }: Pick<Person, 'account'>, { standing }: SentRecording): boolean =>
  account.standing !== 'kept' || standing === 'leaving' || standing === 'gone';

/** Creates an account that the ledger knows. */
export async function join({ ledger, chance, origins }: Asker, mine: Account[]): Promise<void> {
  const account: Account = { email: `${randomUUID()}@example.org`, standing: 'asked', token: '', refreshToken: '', sent: [] };
  ledger.accounts.push(account);
  mine.push(account);
  Object.assign(account, await signUp(chance.pick(origins) ?? '', account.email), { standing: 'kept' });
  ledger.counts.signUps += 1;
}

/** Deletes an account, which requires a recent sign-in. */
export async function leave(asker: Asker, account: Account): Promise<void> {
  account.standing = 'leaving';
  const signedIn = await askAgain(asker, (origin) => signIn(origin, account.email));
  if (signedIn.status !== 200) throw wrong('Signing in', signedIn);
  const deleted = await askAgain(asker, (origin) => askIdentity(origin, 'delete', { idToken: signedIn.body.idToken }));
  if (deleted.status !== 200) throw wrong('Deleting an account', deleted);
  account.standing = 'gone';
  asker.ledger.counts.accountsDeleted += 1;
}

export function newRecording({ asker: { chance }, account, sounds }: Omit<Acting, 'mine'>, how?: 'inPieces'): SentRecording {
  const sent: SentRecording = {
    key: randomUUID(),
    sound: chance.pick(sounds) ?? { name: 'nothing.wav', buffer: Buffer.alloc(0) },
    keepAudio: chance.pick(['nothing', 'moments', 'moments', 'recording'] as const) ?? 'moments',
    pieces: how === 'inPieces' ? { path: null, acknowledgedBytes: 0, wasNamed: false } : null,
    standing: 'asked',
    flying: 0,
    wasInWork: false,
    answer: null,
    soundHash: null,
    removing: null,
  };
  account.sent.push(sent);
  return sent;
}

/** Sends a recording, or what is missing of it, and waits for the prediction. */
export async function send({ asker, account }: Person, sent: SentRecording): Promise<void> {
  const { key, sound, pieces, keepAudio } = sent;
  sent.flying += 1;
  try {
    const isRepeated = sent.answer !== null;
    let upload = pieces && (await sendPieces(asker, account, sound, pieces));
    let tries = 0;
    const answer = await askAgain(asker, async (origin, signal) => {
      // After a cancellation, the same request would begin a new recording.
      await sent.removing;
      if (sent.standing === 'gone') throw new WrongAnswer(`${key} was cancelled`, 409);
      tries += 1;
      if (pieces) pieces.wasNamed = true;
      const asked = { token: account.token, key, fields: { keepAudio }, signal };
      const said = await askPrediction(origin, { ...asked, ...(upload === null ? sound : { upload }) });
      // An earlier request took the upload over and its response was lost: sending the recording itself identifies it.
      if (upload === null || tries === 1 || said.body.code !== 'UPLOAD_NOT_FOUND') return said;
      upload = null;
      return askPrediction(origin, { ...asked, ...sound });
    });
    if (answer.status !== 200) throw wrong(`${key} (${sound.name})`, answer);
    asker.ledger.receive(sent, answer.body);
    asker.ledger.counts[isRepeated ? 'repeatedRequests' : pieces ? 'predictionsInPieces' : 'predictions'] += 1;
  } catch (error) {
    const isRefused = error instanceof WrongAnswer && error.status >= 400 && error.status < 500;
    if (!isRefused || !isBeingDeleted({ account }, sent)) throw error;
  } finally {
    sent.flying -= 1;
  }
}

/**
 * Sends a recording in pieces, or resumes its upload at the server's offset.
 *
 * @returns the upload's id
 * @throws WrongAnswer when fewer bytes are stored than were acknowledged
 */
async function sendPieces(asker: Asker, { token }: Account, { name, buffer }: Sound, pieces: Pieces): Promise<string> {
  /** Whether the last piece got no response, or one that does not say how much is stored. */
  let isUnsure = pieces.path !== null;
  if (pieces.path === null) {
    const begun = await askAgain(asker, (origin, signal) => tus.begin(origin, name, buffer.length, { token, signal }));
    if (begun.status !== 201) throw wrong('A new upload', begun);
    pieces.path = tus.pathOf(begun);
  }
  const { path } = pieces;
  while (isUnsure || pieces.acknowledgedBytes < buffer.length) {
    const answer = await askAgain(asker, async (origin, signal) => {
      if (isUnsure) {
        const asked = await tus.look(origin, path, { token, signal });
        const there = tus.offsetOf(asked);
        if (there < pieces.acknowledgedBytes)
          throw new WrongAnswer(`Of ${pieces.acknowledgedBytes} bytes that had arrived ${there} are left`);
        if (asked.status !== 200 || there === buffer.length) return asked;
        pieces.acknowledgedBytes = there;
        asker.ledger.counts.uploadsResumed += 1;
      }
      isUnsure = true;
      const from = pieces.acknowledgedBytes;
      return tus.send(origin, path, from, buffer.subarray(from, from + Math.ceil(buffer.length / PIECES)), { token, signal });
    });
    const isTakenOver = answer.status === 404 && pieces.wasNamed;
    if (isTakenOver) break;
    const there = tus.offsetOf(answer);
    if (!Number.isNaN(there)) {
      pieces.acknowledgedBytes = there;
      isUnsure = false;
      // The previous piece may have arrived meanwhile (409), or another request may still hold the upload (423).
    } else if (answer.status === 409 || answer.status === 423) await delay(AGAIN_MS);
    else throw wrong('A piece', answer);
  }
  return tus.idOf(path);
}

/** Follows the recording at random machines until it is told of the answer, and again when the connection breaks. */
async function sendAndFollow(by: Person, sent: SentRecording): Promise<void> {
  const { ledger, chance, origins, onBreak } = by.asker;
  const over = new AbortController();
  async function follow(): Promise<void> {
    let ended = 0;
    while (!over.signal.aborted && ended === 0 && !isBeingDeleted(by, sent)) {
      const options = { token: by.account.token, signal: AbortSignal.any([over.signal, AbortSignal.timeout(FOLLOW_MS)]) };
      try {
        const known = await followEvents(chance.pick(origins) ?? '', sent.key, options, (event) => {
          if (event.type === 'progress' && event.stage !== 'queued') sent.wasInWork = true;
          if (event.type !== 'done') return;
          ended += 1;
          ledger.counts.followed += 1;
          ledger.receive(sent, event.prediction);
        });
        if (!known) await delay(AGAIN_MS);
      } catch (error) {
        if (over.signal.aborted) return;
        if (onBreak === 'throw' || !isLost(error)) throw error;
        await delay(AGAIN_MS);
      }
    }
    if (ended > 1) throw new WrongAnswer(`${sent.key} was told twice that it is done`);
  }
  const answered = send(by, sent).finally(() => {
    if (sent.answer === null) over.abort();
  });
  await all([answered, follow()]);
}

/** Cancels the recording meanwhile: either may win. */
async function sendAndCancel(by: Person, sent: SentRecording): Promise<void> {
  const over = new AbortController();
  const waited = delay(by.asker.chance.below(LONGEST_UNTIL_CANCELLED_MS), true, { signal: over.signal }).catch(() => false);
  const cancelled = waited.then((isTime) => (isTime ? remove(by, sent) : undefined));
  await all([send(by, sent).finally(() => over.abort()), cancelled]);
}

async function sendAndReview({ asker, account }: Person, sent: SentRecording): Promise<void> {
  await send({ asker, account }, sent);
  const { answer } = sent;
  if (answer === null) return;
  const bird = asker.chance.pick(['Turdus%20merula', 'Parus%20major']);
  const reviewed = await askAgain(asker, (origin, signal) =>
    ask(origin, 'PUT', `/v1/predictions/${answer.id}/reviews/${bird}`, {
      ...{ token: account.token, signal },
      json: { verdict: 'added' },
    }),
  );
  if (reviewed.status !== 200) throw wrong(`A review of ${sent.key}`, reviewed);
  sent.answer = { ...answer, reviews: reviewed.body.reviews };
}

/** Deletes a recording, or cancels it while it is being sent; the server may not know it yet, or may have answered it already. */
async function remove({ asker, account }: Person, sent: SentRecording): Promise<void> {
  const wasIdle = sent.flying === 0;
  let tries = 0;
  sent.standing = 'leaving';
  const removing = askAgain(asker, (origin, signal) => {
    tries += 1;
    return ask(origin, 'DELETE', `/v1/predictions/${sent.key}`, { token: account.token, signal });
  }).then((answer) => {
    if (answer.status === 200) {
      sent.standing = 'gone';
      asker.ledger.counts[wasIdle ? 'predictionsDeleted' : 'workCancelled'] += 1;
    } else if (wasIdle && account.standing === 'kept') throw wrong(`Deleting ${sent.key}`, answer);
    // After a response was lost, 404 is inconclusive.
    else if (tries === 1) sent.standing = sent.answer === null ? 'asked' : 'kept';
  });
  sent.removing = removing.catch(() => {});
  await removing;
}

/** Waits for all, also when one fails. @throws the first error */
async function all(acts: readonly Promise<unknown>[]): Promise<void> {
  for (const each of await Promise.allSettled(acts)) if (each.status === 'rejected') throw each.reason;
}

const wrong = (what: string, answer: Answer): WrongAnswer =>
  new WrongAnswer(`${what} was answered ${codeOf(answer)}`, answer.status);

/** Short, so that much is acknowledged; two are long enough to be in progress when the server dies. */
const notesSeconds = [3, 4.5, 6, 15, 40];
/** Parts of the soundscape with real birds, of which excerpts are kept. */
const birds = [
  { name: 'garden.flac', startSeconds: 3, seconds: 6 },
  { name: 'garden.mp3', startSeconds: 60, seconds: 5 },
  { name: 'garden.ogg', startSeconds: 90, seconds: 6 },
] as const;

/** The recordings of a trial; with real birds if the soundscape is installed. */
export async function makeSounds(): Promise<readonly Sound[]> {
  const sounds: Sound[] = notesSeconds.map((seconds) => fallingNotes(seconds, `notes-${seconds}.wav`));
  if (!existsSync(soundscape)) return sounds;
  for (const { name, ...stretch } of birds) sounds.push(await makeSound(name, stretch));
  return sounds;
}

/** Only a fault makes a request take longer; then another machine is asked. */
const PATIENCE_MS = 20_000;
/** After this long without a response, there will never be one. */
const GIVEN_UP_MS = 180_000;
const AGAIN_AFTER_MS = 250;
/** People return sooner than `Retry-After` says, to find out how soon a server is back. */
const LONGEST_WAIT_S = 2;

/**
 * @param once sends the request to one machine
 * @returns the first response other than SERVER_BUSY and, when it asks again, UPLOAD_TIMEOUT
 * @throws Error when there is none for minutes
 */
export async function askAgain<Given extends Answer>(
  { origins, chance, onBreak, patienceMs = PATIENCE_MS, ledger: { counts } }: Asker,
  once: (origin: string, signal: AbortSignal) => Promise<Given>,
): Promise<Given> {
  const giveUpAt = performance.now() + GIVEN_UP_MS;
  const isPatient = onBreak === 'askAgain';
  let last = 'nothing';
  while (performance.now() < giveUpAt) {
    const origin = chance.pick(origins) ?? '';
    try {
      const answer = await once(origin, AbortSignal.timeout(isPatient ? patienceMs : GIVEN_UP_MS));
      last = codeOf(answer);
      const retryAfter = Number(answer.headers.get('retry-after'));
      // A response to HEAD has no body, and one of the identity service has no code.
      const isBusy = answer.status === 503 && [undefined, 'SERVER_BUSY'].includes(answer.body.code);
      if (isBusy && retryAfter > 0) {
        counts.busy += 1;
        await delay(1000 * Math.min(LONGEST_WAIT_S, retryAfter));
      } else if (isPatient && answer.body.code === 'UPLOAD_TIMEOUT') counts.broken += 1;
      else return answer;
    } catch (error) {
      if (!isLost(error) || !isPatient) throw error;
      last = `${error} ${error instanceof Error ? (error.cause ?? '') : ''} at ${origin}`;
      counts.broken += 1;
      await delay(AGAIN_AFTER_MS);
    }
  }
  throw new Error(`No answer in ${GIVEN_UP_MS / 1000} s; the last was ${last}`);
}

/** Whether the connection was refused or broke, as when a server has been killed, or no response came in time. */
const isLost = (error: unknown): boolean =>
  (error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message)) ||
  (error instanceof DOMException && error.name === 'TimeoutError');
