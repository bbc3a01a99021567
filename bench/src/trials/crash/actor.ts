import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Prediction } from '@chiffchaff/contract';
import { ask, askIdentity, askPrediction, isConnectionLost } from '../../harness/api.ts';
import { password } from '../../harness/people.ts';
import type { Chance } from '../../harness/random.ts';
import { leaveServer } from './leave-server.ts';
import type { Ledger, Person, SentRecording } from './ledger.ts';
import { sendPieces } from './send-pieces.ts';
import type { Sound } from './sounds.ts';
import { WrongAnswer } from './wrong-answer.ts';

/** What an account does in a round, each as often as it is listed. */
const round = [
  ...['signUp', 'signUp', 'leave'],
  ...['send', 'send', 'send', 'send', 'send', 'sendPieces', 'sendPieces', 'sendPieces', 'sendTwice', 'goOn', 'goOn'],
  ...['repeat', 'remove', 'remove', 'cancel', 'look', 'look'],
] as const;
type ActionName = (typeof round)[number];

/** A client that uses the server without pause, and continues with the next server after a crash. */
export interface Actor {
  /**
   * Resolves when the server stops responding.
   *
   * @throws WrongAnswer
   */
  act(origin: string): Promise<void>;
}

export interface ActorOptions {
  readonly ledger: Ledger;
  /** The accounts of this actor, shared with the other actors of its group, so that they work on the same ones. */
  readonly mine: Person[];
  readonly sounds: readonly Sound[];
  readonly chance: Chance;
}

export function createActor({ ledger, mine, sounds, chance }: ActorOptions): Actor {
  const { acknowledged, besides, heard } = ledger;
  /** The remaining actions of this round; going through all of them ensures that each happens often. */
  let turns: ActionName[] = [];

  const there = (): Person[] => mine.filter(({ standing }) => standing === 'kept');
  const pickSent = (person: Person, wanted: (sent: SentRecording) => boolean): SentRecording | undefined =>
    chance.pick(person.sent.filter(wanted));
  const tokenOf = ({ token }: Person): string => token ?? '';

  async function signUp(): Promise<void> {
    const person: Person = { email: `${randomUUID()}@example.org`, standing: 'asked', token: null, sent: [] };
    ledger.people.push(person);
    mine.push(person);
    const { status, body } = await askIdentity(origin, 'signUp', { email: person.email, password, returnSecureToken: true });
    if (status !== 200) throw new WrongAnswer(`Sign-up was answered ${status} ${JSON.stringify(body)}`, status);
    person.token = body.idToken;
    person.standing = 'kept';
    acknowledged.signUps += 1;
  }

  function newSent(person: Person, inPieces: boolean): SentRecording {
    const sent: SentRecording = {
      key: randomUUID(),
      sound: chance.pick(sounds) ?? { name: 'nothing.wav', bytes: new Uint8Array() },
      keepAudio: chance.pick(['nothing', 'moments', 'moments', 'recording'] as const) ?? 'moments',
      pieces: inPieces ? { path: null, acknowledgedBytes: 0, wasNamed: false } : null,
      standing: 'asked',
      flying: 0,
      tries: 0,
      wasInWork: false,
      answer: null,
    };
    person.sent.push(sent);
    return sent;
  }

  /** Whether the account is being deleted, or the recording cancelled, which makes this response right, too. */
  const isInTheWay = (person: Person, sent: SentRecording, status: number): boolean =>
    status < 500 && (person.standing !== 'kept' || sent.standing === 'leaving' || sent.standing === 'gone');

  async function send(person: Person, sent: SentRecording): Promise<void> {
    const { key, sound, keepAudio, pieces } = sent;
    sent.flying += 1;
    sent.tries += 1;
    try {
      let recording: { readonly upload: string } | Sound = sound;
      if (pieces !== null) {
        const uploaded = await sendPieces(origin, tokenOf(person), sound, pieces);
        if (uploaded === null) return;
        if (uploaded.resumed) besides.uploadsResumed += 1;
        recording = { upload: uploaded.id };
        pieces.wasNamed = true;
      }
      const asked = { token: tokenOf(person), key, fields: { keepAudio }, ...recording };
      const { status, body } = await askPrediction(origin, asked);
      if ((status === 503 && body.code !== 'DECODER_FAILED') || isInTheWay(person, sent, status)) return;
      if (status !== 200) throw new WrongAnswer(`A recording was answered ${status} ${JSON.stringify(body)}`, status);
      if (sent.answer !== null && sent.answer.id !== body.id) throw new WrongAnswer(`Key ${key} has two predictions`, status);
      checkHeard(sound, body);
      if (sent.answer !== null) acknowledged.repeatedRequests += 1;
      else acknowledged[pieces === null ? 'predictions' : 'predictionsInPieces'] += 1;
      sent.answer = body;
      if (sent.standing === 'asked') sent.standing = 'kept';
    } catch (error) {
      if (!(error instanceof WrongAnswer && isInTheWay(person, sent, error.status))) throw error;
    } finally {
      sent.flying -= 1;
    }
  }

  function checkHeard(sound: Sound, { recording, detections }: Prediction): void {
    const first = heard.get(sound);
    if (first === undefined) heard.set(sound, { recording, detections });
    else if (!isDeepStrictEqual(first, { recording, detections }))
      throw new WrongAnswer(`${sound.name} was heard in two ways: ${JSON.stringify([first, { recording, detections }])}`, 200);
  }

  async function look(person: Person, sent: SentRecording): Promise<void> {
    const before = sent.standing;
    const { status, body } = await ask(origin, 'GET', `/v1/predictions/${sent.key}`, { token: tokenOf(person) });
    if (person.standing !== 'kept' || sent.standing !== before) return;
    if (status === 200 && body.state === 'inWork' && body.work.stage === 'listening') sent.wasInWork = true;
    if (before === 'kept' && status !== 200) throw new WrongAnswer(`An answered prediction was answered ${status}`, status);
    if (before === 'gone' && status !== 404) throw new WrongAnswer(`A deleted prediction was answered ${status}`, status);
  }

  async function remove(person: Person, sent: SentRecording): Promise<void> {
    sent.standing = 'leaving';
    const { status, body } = await ask(origin, 'DELETE', `/v1/predictions/${sent.key}`, { token: tokenOf(person) });
    if (person.standing !== 'kept') return;
    if (status !== 200) throw new WrongAnswer(`A deletion was answered ${status} ${JSON.stringify(body)}`, status);
    sent.standing = 'gone';
    acknowledged.predictionsDeleted += 1;
  }

  /** Cancels a recording that another client of the account is sending; the server may not know it yet, or may have answered it already. */
  async function cancel(person: Person, sent: SentRecording): Promise<void> {
    sent.standing = 'leaving';
    const { status } = await ask(origin, 'DELETE', `/v1/predictions/${sent.key}`, { token: tokenOf(person) });
    if (status !== 200) {
      sent.standing = sent.answer === null ? 'asked' : 'kept';
      return;
    }
    sent.standing = 'gone';
    besides.workCancelled += 1;
  }

  async function leave(person: Person): Promise<void> {
    person.standing = 'leaving';
    await leaveServer(origin, person.email);
    person.standing = 'gone';
    acknowledged.accountsDeleted += 1;
  }

  async function doNext(): Promise<void> {
    if (turns.length === 0) turns = shuffle(round, chance);
    const turn = turns.pop() ?? 'signUp';
    const person = chance.pick(there());
    if (!person || turn === 'signUp') return signUp();
    if (turn === 'leave') return there().length > 1 ? leave(person) : signUp();
    const isIdle = (sent: SentRecording): boolean => sent.flying === 0;
    const kept = pickSent(person, (sent) => sent.standing === 'kept' && isIdle(sent));
    switch (turn) {
      case 'send':
        return send(person, newSent(person, false));
      case 'sendPieces':
        return send(person, newSent(person, true));
      case 'sendTwice': {
        const sent = newSent(person, false);
        await Promise.all([send(person, sent), send(person, sent)]);
        return;
      }
      case 'goOn': {
        const lost = pickSent(person, (sent) => sent.standing === 'asked' && isIdle(sent));
        return send(person, lost ?? newSent(person, true));
      }
      case 'repeat':
        return kept ? send(person, kept) : undefined;
      case 'remove':
        return kept ? remove(person, kept) : undefined;
      case 'cancel': {
        // Requested and cancelled concurrently: either may win.
        const flying = pickSent(person, (sent) => sent.standing === 'asked' && sent.flying === 1 && sent.tries === 1);
        return flying ? cancel(person, flying) : undefined;
      }
      case 'look': {
        const known = pickSent(person, (sent) => sent.standing !== 'leaving');
        return known ? look(person, known) : undefined;
      }
    }
  }

  let origin = '';
  return {
    async act(at) {
      origin = at;
      for (;;) {
        try {
          await doNext();
        } catch (error) {
          if (isConnectionLost(error)) return;
          throw error;
        }
      }
    },
  };
}

/** Returns the items in random order. */
export function shuffle<Item>(items: readonly Item[], chance: Chance): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = chance.below(last + 1);
    const [a, b] = [shuffled[last], shuffled[other]] as [Item, Item];
    shuffled[last] = b;
    shuffled[other] = a;
  }
  return shuffled;
}
