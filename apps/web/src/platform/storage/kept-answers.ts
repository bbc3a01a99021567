import type { StoredPrediction } from '@chiffchaff/contract';
import { readItem, readJson, writeItem } from './registry.ts';

/*
 * The latest predictions of the account, or of a visitor (null), in the tab's session storage: they open again offline or after a reload,
 * and disappear with the tab or the session.
 */

export type KeptAnswer = Extract<StoredPrediction, { state: 'done' }>;

const MOST_ANSWERS = 20;
/** Two bytes each: 4 MB of the 5 MB that browsers grant. */
const MOST_CHARACTERS = 2_000_000;

const isOf = (answer: unknown, id: string): boolean => (answer as KeptAnswer | null)?.prediction?.id === id;

/** The predictions stored for an account, the last stored first; validate them like a response of the server. */
export function keptAnswersOf(localId: string | null): readonly unknown[] {
  const { localId: owner, answers } = Object(readJson('sessionStorage', 'answers'));
  return owner === localId && Array.isArray(answers) ? answers : [];
}

/** Stores a prediction, dropping the oldest to make room. Those of another account are removed. */
export function keepAnswer(localId: string | null, answer: KeptAnswer): void {
  const others = keptAnswersOf(localId).filter((other) => !isOf(other, answer.prediction.id));
  const texts: string[] = [];
  let room = MOST_CHARACTERS;
  // Each is serialised only once: a prediction with 20,000 detections takes 20 ms, during which the page cannot respond.
  for (const kept of [answer, ...others].slice(0, MOST_ANSWERS)) {
    const text = JSON.stringify(kept);
    room -= text.length;
    if (room < 0) break;
    texts.push(text);
  }
  replaceAnswers(`{"localId":${JSON.stringify(localId)},"answers":[${texts.join()}]}`);
}

export function forgetAnswer(localId: string | null, id: string): void {
  const answers = keptAnswersOf(localId);
  if (!answers.some((answer) => isOf(answer, id))) return;
  const rest = answers.filter((answer) => !isOf(answer, id));
  replaceAnswers(JSON.stringify({ localId, answers: rest }));
}

/** If the browser refuses, none are left: better none than outdated ones. */
function replaceAnswers(text: string): void {
  if (!writeItem('sessionStorage', 'answers', text)) forgetAnswers();
}

/** Removes those of accounts other than this one: a tab may have slept through the end of a session. A visitor's stay. */
export function forgetAnswersOfOthers(localId: string | null): void {
  const kept = readItem('sessionStorage', 'answers'); // not parsed, since there may be megabytes
  if (![null, localId].some((owner) => kept?.startsWith(`{"localId":${JSON.stringify(owner)},`))) forgetAnswers();
}

export function forgetAnswers(): void {
  writeItem('sessionStorage', 'answers', null);
}
