import type { StoredPrediction } from '@chiffchaff/contract';

/*
 * The last answers of the account, or of a visitor (null), in the tab's session storage: they open again without a connection or after a
 * reload, and go with tab or session.
 */

export type KeptAnswer = Extract<StoredPrediction, { state: 'done' }>;

const KEPT_KEY = 'answers';
const MOST_ANSWERS = 20;
/** Two bytes each: 4 MB, of the 5 that browsers grant. */
const MOST_CHARACTERS = 2_000_000;

const belongsTo = (value: unknown, localId: string | null): value is { readonly answers: readonly unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  'localId' in value &&
  value.localId === localId &&
  'answers' in value &&
  Array.isArray(value.answers);

const isOf = (answer: unknown, id: string): boolean => (answer as KeptAnswer | null)?.prediction?.id === id;

/** What is kept for an account, the last that was kept first; to be checked as an answer of the server is. */
export function keptAnswersOf(localId: string | null): readonly unknown[] {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(KEPT_KEY) ?? 'null');
    return belongsTo(kept, localId) ? kept.answers : [];
  } catch {
    return [];
  }
}

/** Keeps an answer as far as there is room: the oldest give way. Those of another account go. */
export function keepAnswer(localId: string | null, answer: KeptAnswer): void {
  const others = keptAnswersOf(localId).filter((other) => !isOf(other, answer.prediction.id));
  const texts: string[] = [];
  let room = MOST_CHARACTERS;
  // Each is written once: one of twenty thousand detections takes a fiftieth of a second, which the page cannot answer in.
  for (const kept of [answer, ...others].slice(0, MOST_ANSWERS)) {
    const text = JSON.stringify(kept);
    room -= text.length;
    if (room < 0) break;
    texts.push(text);
  }
  try {
    window.sessionStorage.setItem(KEPT_KEY, `{"localId":${JSON.stringify(localId)},"answers":[${texts.join()}]}`);
  } catch {
    forgetAnswers(); // better none than some of before
  }
}

export function forgetAnswer(localId: string | null, id: string): void {
  const answers = keptAnswersOf(localId);
  if (!answers.some((answer) => isOf(answer, id))) return;
  const rest = answers.filter((answer) => !isOf(answer, id));
  try {
    window.sessionStorage.setItem(KEPT_KEY, JSON.stringify({ localId, answers: rest }));
  } catch {
    forgetAnswers();
  }
}

export function forgetAnswers(): void {
  try {
    window.sessionStorage.removeItem(KEPT_KEY);
  } catch {
    // Where storage is forbidden, nothing is kept.
  }
}
