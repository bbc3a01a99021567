import type { StoredPrediction } from '@chiffchaff/contract';

/* The last answers of the account, in the tab's session storage: they open again without a connection, and go with tab or session. */

export type KeptAnswer = Extract<StoredPrediction, { state: 'done' }>;

const keptKey = 'answers';
const mostAnswers = 20;
/** Two bytes each: 4 MB, of the 5 that browsers grant. */
const mostCharacters = 2_000_000;

const belongsTo = (value: unknown, localId: string): value is { readonly answers: readonly unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  'localId' in value &&
  value.localId === localId &&
  'answers' in value &&
  Array.isArray(value.answers);

const isOf = (answer: unknown, id: string): boolean => (answer as KeptAnswer | null)?.prediction?.id === id;

/** What is kept for an account, the last that was kept first; to be checked as an answer of the server is. */
export function keptAnswersOf(localId: string): readonly unknown[] {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(keptKey) ?? 'null');
    return belongsTo(kept, localId) ? kept.answers : [];
  } catch {
    return [];
  }
}

/** Keeps an answer as far as there is room: the oldest give way. Those of another account go. */
export function keepAnswer(localId: string, answer: KeptAnswer): void {
  const others = keptAnswersOf(localId).filter((other) => !isOf(other, answer.prediction.id));
  let answers = [answer, ...others].slice(0, mostAnswers);
  let text = JSON.stringify({ localId, answers });
  while (text.length > mostCharacters && answers.length > 0) {
    answers = answers.slice(0, -1);
    text = JSON.stringify({ localId, answers });
  }
  try {
    window.sessionStorage.setItem(keptKey, text);
  } catch {
    forgetAnswers(); // better none than some of before
  }
}

/** Forgets one answer of an account. */
export function forgetAnswer(localId: string, id: string): void {
  const answers = keptAnswersOf(localId);
  if (!answers.some((answer) => isOf(answer, id))) return;
  const rest = answers.filter((answer) => !isOf(answer, id));
  try {
    window.sessionStorage.setItem(keptKey, JSON.stringify({ localId, answers: rest }));
  } catch {
    forgetAnswers();
  }
}

/** Forgets all of them, whoever's they are. */
export function forgetAnswers(): void {
  try {
    window.sessionStorage.removeItem(keptKey);
  } catch {
    // Where storage is forbidden, nothing is kept.
  }
}
