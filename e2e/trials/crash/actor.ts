import { randomUUID } from 'node:crypto';
import { password } from '../../people.ts';
import { fallingNotes } from '../../recordings.ts';
import { ask, askIdentity, askPrediction } from '../api.ts';
import type { Chance } from '../random.ts';
import type { Ledger, Person, Sent } from './ledger.ts';

/** Mostly short, so that much is acknowledged; some long enough to be in work when the server dies. */
const lengthsSeconds = [0.6, 1, 1, 2, 3, 20, 60];

/** What the server said that it never should; a crash is no excuse. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * Somebody who uses the server without a pause: signs up, sends recordings, sends the same again, deletes them, deletes the account. Ends
 * when nobody answers any more.
 */
export async function act(origin: string, ledger: Ledger, mine: Person[], chance: Chance): Promise<void> {
  const active = () => mine.filter(({ standing, token }) => standing === 'kept' && token !== null);

  async function signUp(): Promise<void> {
    const person: Person = { email: `${randomUUID()}@example.org`, standing: 'asked', token: null, sent: [] };
    ledger.people.push(person);
    mine.push(person);
    const { status, body } = await askIdentity(origin, 'signUp', { email: person.email, password, returnSecureToken: true });
    if (status !== 200) throw new WrongAnswer(`Sign-up was answered ${status} ${JSON.stringify(body)}`);
    person.standing = 'kept';
    person.token = body.idToken;
  }

  async function send(person: Person, again: Sent | undefined): Promise<void> {
    const seconds = (chance.pick(lengthsSeconds) ?? 1) + chance.next();
    const sent: Sent = again ?? {
      key: randomUUID(),
      bytes: new Uint8Array(fallingNotes(seconds).buffer),
      standing: 'asked',
      wasInWork: false,
      answer: null,
    };
    if (!again) person.sent.push(sent);
    const { status, body } = await askPrediction(origin, {
      token: person.token ?? '',
      key: sent.key,
      name: 'notes.wav',
      bytes: sent.bytes,
    });
    if (status === 503) return;
    if (status !== 200) throw new WrongAnswer(`A recording was answered ${status} ${JSON.stringify(body)}`);
    if (sent.answer !== null && sent.answer.id !== body.id) throw new WrongAnswer(`Key ${sent.key} has two predictions`);
    sent.answer = body;
    if (sent.standing === 'asked') sent.standing = 'kept';
  }

  async function look(person: Person, sent: Sent): Promise<void> {
    const { status, body } = await ask(origin, 'GET', `/v1/predictions/${sent.key}`, { token: person.token ?? '' });
    if (status === 200 && body.state === 'inWork' && body.work.stage === 'listening') sent.wasInWork = true;
    if (sent.standing === 'kept' && status !== 200) throw new WrongAnswer(`An answered prediction was answered ${status}`);
    if (sent.standing === 'gone' && status !== 404) throw new WrongAnswer(`A deleted prediction was answered ${status}`);
  }

  async function remove(person: Person, sent: Sent): Promise<void> {
    sent.standing = 'leaving';
    const { status, body } = await ask(origin, 'DELETE', `/v1/predictions/${sent.key}`, { token: person.token ?? '' });
    // A deletion that had happened, though nobody was told, finds nothing.
    if (status !== 200 && status !== 404) throw new WrongAnswer(`A deletion was answered ${status} ${JSON.stringify(body)}`);
    sent.standing = 'gone';
  }

  async function leave(person: Person): Promise<void> {
    person.standing = 'leaving';
    const { status, body } = await askIdentity(origin, 'delete', { idToken: person.token });
    if (status !== 200) throw new WrongAnswer(`Deleting an account was answered ${status} ${JSON.stringify(body)}`);
    person.standing = 'gone';
  }

  async function step(): Promise<void> {
    const person = chance.pick(active());
    const turn = chance.next();
    if (!person || turn < 0.15) return signUp();
    if (turn < 0.2 && active().length > 1) return leave(person);
    if (turn < 0.35) {
      const kept = chance.pick(person.sent.filter(({ standing }) => standing === 'kept'));
      return kept ? remove(person, kept) : undefined;
    }
    if (turn < 0.5) {
      const known = chance.pick(person.sent.filter(({ standing }) => standing !== 'leaving'));
      return known ? look(person, known) : undefined;
    }
    const again = turn < 0.65 ? chance.pick(person.sent.filter(({ standing }) => standing === 'asked')) : undefined;
    return send(person, again);
  }

  for (;;) {
    try {
      await step();
    } catch (error) {
      // `fetch` says so when the connection is refused or lost: the server has been killed.
      if (error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')) return;
      throw error;
    }
  }
}
