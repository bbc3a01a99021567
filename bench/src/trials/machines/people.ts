import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Prediction } from '@chiffchaff/contract';
import { type Answer, ask, askIdentity, askPrediction, codeOf } from '../../harness/api.ts';
import { password } from '../../harness/people.ts';
import { createChance } from '../../harness/random.ts';
import type { Sound } from '../crash/sounds.ts';
import { type Asker, askAgain, isLost } from './ask-again.ts';
import { followEvents } from './follow-events.ts';
import type { Ledger } from './ledger.ts';

/** An account that stays signed in. */
export interface Person {
  readonly email: string;
  readonly refreshToken: string;
  token: string;
}

export interface PeopleOptions {
  readonly ledger: Ledger;
  readonly sounds: readonly Sound[];
  readonly people: readonly Person[];
  /** Servers that they use, a random one each time. */
  readonly origins: readonly string[];
  readonly mayBreak: boolean;
  readonly seed: number;
  readonly onFault: (fault: string) => void;
}

/** Accounts that send recordings without pause. */
export interface People {
  readonly counts: Readonly<Record<ActionName | 'busy' | 'broken' | 'resumed', number>>;
  /** keys of recordings in progress */
  inFlight(): readonly string[];
  /** Stops sending new recordings. @returns when all recordings have ended */
  stop(): Promise<void>;
}

/** What happens to a recording; each as often as it is listed. */
const doings = ['whole', 'whole', 'pieces', 'followed', 'followed', 'cancelled'] as const;
type ActionName = (typeof doings)[number];

const PIECES = 3;
const LONGEST_UNTIL_CANCELLED_MS = 800;
/** A follower reconnects after this long, because a cut line delivers nothing. */
const FOLLOW_MS = 20_000;
const FOLLOW_AGAIN_MS = 100;
const PIECE_AGAIN_MS = 250;
const kept = ['nothing', 'moments', 'recording'] as const;
const tus = { 'tus-resumable': '1.0.0' } as const;

export async function signUpPerson(origin: string): Promise<Person> {
  const email = `${randomUUID()}@example.org`;
  const answer = await askIdentity(origin, 'signUp', { email, password, returnSecureToken: true });
  if (answer.status !== 200) throw new Error(`Sign-up was answered ${codeOf(answer)}`);
  return { email, refreshToken: answer.body.refreshToken, token: answer.body.idToken };
}

/** Gets a new ID token for the session. */
export async function renewToken(origin: string, person: Person, signal?: AbortSignal): Promise<Answer> {
  const answer = await ask(origin, 'POST', '/v1/token?key=trial', {
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: person.refreshToken }),
    ...(signal && { signal }),
  });
  if (answer.status === 200) person.token = answer.body.id_token;
  return answer;
}

export function startPeople({ ledger, sounds, people, onFault, seed, ...options }: PeopleOptions): People {
  const seeds = createChance(seed);
  const counts = { whole: 0, pieces: 0, followed: 0, cancelled: 0, busy: 0, broken: 0, resumed: 0 };
  const flying = new Set<string>();
  const stopping = new AbortController();

  async function live(person: Person): Promise<void> {
    const chance = createChance(seeds.below(2 ** 31));
    const asker: Asker = { ...options, chance, counts };
    while (!stopping.signal.aborted) {
      const key = randomUUID();
      const sound = chance.pick(sounds) as Sound;
      const doing = chance.pick(doings) as ActionName;
      const keepAudio = chance.pick(kept) ?? 'nothing';
      flying.add(key);
      ledger.write({ what: 'sent', key, email: person.email, sound: sound.name });
      try {
        await sendOne(asker, { person, key, sound, doing, keepAudio });
      } catch (error) {
        onFault(`${key} (${doing}, ${sound.name}): ${error instanceof Error ? error.message : error}`);
      }
      flying.delete(key);
    }
  }

  interface Sending {
    readonly person: Person;
    readonly key: string;
    readonly sound: Sound;
    readonly doing: ActionName;
    readonly keepAudio: string;
  }

  async function sendOne(asker: Asker, sending: Sending): Promise<void> {
    const { person, key, sound, doing, keepAudio } = sending;
    const over = new AbortController();
    let isCancelling = false;
    let cancelled = false;
    const beside =
      doing === 'followed'
        ? follow(asker, sending, over.signal)
        : doing === 'cancelled'
          ? waitAtMost(LONGEST_UNTIL_CANCELLED_MS, asker, over.signal).then(async () => {
              if (over.signal.aborted) return;
              isCancelling = true;
              cancelled = await cancel(asker, sending);
            })
          : Promise.resolve();
    beside.catch(() => {});
    try {
      let upload = doing === 'pieces' ? await sendInPieces(asker, person, sound) : null;
      let tries = 0;
      const answer = await askAgain<Answer & { body: Prediction }>(
        asker,
        async (origin, signal) => {
          tries += 1;
          ledger.write({ what: 'asking', key, method: 'POST', origin });
          const recording = upload === null ? sound : { upload };
          const said = await askPrediction(origin, { ...recording, token: person.token, key, fields: { keepAudio }, signal });
          // An earlier request took the upload over and its response was lost: sending the recording itself identifies it.
          if (upload === null || tries === 1 || codeOf(said) !== '404 UPLOAD_NOT_FOUND') return said;
          upload = null;
          return askPrediction(origin, { ...sound, token: person.token, key, fields: { keepAudio }, signal });
        },
        async () => {
          // After a cancellation has been carried out, the same request would begin a new recording.
          if (isCancelling) await beside;
          return cancelled;
        },
      );
      over.abort();
      await beside;
      // The response to DELETE may be lost with a connection; then this response shows that the recording was cancelled.
      const isCancelled = doing === 'cancelled' && answer !== null && codeOf(answer) === '409 PREDICTION_CANCELLED';
      if (cancelled || isCancelled) counts.cancelled += 1;
      else if (answer?.status === 200) {
        ledger.write({ what: 'answered', key, prediction: answer.body });
        counts[doing] += 1;
      } else {
        const code = answer === null ? 'nothing' : codeOf(answer);
        ledger.write({ what: 'failed', key, code });
        onFault(`${key} (${doing}, ${sound.name}) was answered ${code}`);
      }
    } finally {
      over.abort();
    }
  }

  /** Follows the recording at random machines, and again when the connection breaks. */
  async function follow({ origins, chance, mayBreak }: Asker, { person, key }: Sending, over: AbortSignal): Promise<void> {
    let accepted = false;
    let ended = 0;
    while (!over.aborted && ended === 0) {
      try {
        const asked = { token: person.token, key, signal: AbortSignal.any([over, AbortSignal.timeout(FOLLOW_MS)]) };
        const known = await followEvents(chance.pick(origins) ?? '', asked, (event) => {
          if (event.type === 'done') {
            ended += 1;
            ledger.write({ what: 'answered', key, prediction: event.prediction });
          } else if (event.type === 'progress' && event.stage !== 'queued' && !accepted) {
            accepted = true;
            ledger.write({ what: 'accepted', key });
          }
        });
        if (!known) await delay(FOLLOW_AGAIN_MS);
      } catch (error) {
        if (over.aborted) return;
        if (!mayBreak || !isLost(error)) throw error;
        await delay(FOLLOW_AGAIN_MS);
      }
    }
    if (ended > 1) throw new Error('It was told twice that it is done');
  }

  /** Waits for a random time, or until `over`. */
  const waitAtMost = async (ms: number, { chance }: Asker, over: AbortSignal): Promise<void> =>
    delay(chance.below(ms), undefined, { signal: over }).catch(() => {});

  /** @returns whether it was cancelled; it may have been answered before */
  async function cancel(asker: Asker, { person, key }: Sending): Promise<boolean> {
    ledger.write({ what: 'cancelling', key });
    const answer = await askAgain(asker, (origin, signal) => {
      ledger.write({ what: 'asking', key, method: 'DELETE', origin });
      return ask(origin, 'DELETE', `/v1/predictions/${key}`, { token: person.token, signal });
    });
    // A 404 is inconclusive where an earlier response was lost.
    const isGone = answer?.status === 200;
    if (isGone) ledger.write({ what: 'cancelled', key });
    return isGone;
  }

  /**
   * @returns the upload's id
   * @throws Error when fewer bytes are stored than were acknowledged
   */
  async function sendInPieces(asker: Asker, { token }: Person, { name, bytes }: Sound): Promise<string> {
    const begun = await askAgain(asker, (origin, signal) =>
      ask(origin, 'POST', '/v1/uploads', {
        token,
        signal,
        headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': `filename ${btoa(name)}` },
      }),
    );
    if (begun?.status !== 201) throw new Error(`A new upload was answered ${begun && codeOf(begun)}`);
    const path = new URL(begun.headers.get('location') ?? '', 'http://anywhere').pathname;
    let acknowledged = 0;
    /** Whether the last piece got no response, or one that does not say how much is stored. */
    let isUnsure = false;
    while (acknowledged < bytes.length) {
      const answer = await askAgain(asker, async (origin, signal) => {
        if (isUnsure) {
          const asked = await ask(origin, 'HEAD', path, { token, signal, headers: tus });
          const there = Number(asked.headers.get('upload-offset') ?? Number.NaN);
          if (asked.status !== 200 || there === bytes.length) return asked;
          if (there < acknowledged) throw new Error(`Of ${acknowledged} bytes that had arrived ${there} are left`);
          acknowledged = there;
          counts.resumed += 1;
        }
        isUnsure = true;
        const body = new Blob([bytes.slice(acknowledged, acknowledged + Math.ceil(bytes.length / PIECES))]);
        const headers = { ...tus, 'upload-offset': String(acknowledged), 'content-type': 'application/offset+octet-stream' };
        return ask(origin, 'PATCH', path, { token, signal, headers, body });
      });
      if (answer === null || !answer.headers.has('upload-offset')) {
        // The previous piece may have arrived meanwhile (409), or another request may still hold the upload (423).
        if (answer?.status !== 409 && answer?.status !== 423) throw new Error(`A piece was answered ${answer && codeOf(answer)}`);
        await delay(PIECE_AGAIN_MS);
      } else {
        acknowledged = Number(answer.headers.get('upload-offset'));
        isUnsure = false;
      }
    }
    return path.split('/').at(-1) ?? '';
  }

  const over = Promise.all(people.map(live));
  return {
    counts,
    inFlight: () => [...flying],
    async stop() {
      stopping.abort();
      await over;
    },
  };
}
