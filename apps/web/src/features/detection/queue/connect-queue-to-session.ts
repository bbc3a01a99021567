import type { Prediction } from '@chiffchaff/contract';
import { workInFlight } from '../../../platform/browser/store.ts';
import type { AuthSession } from '../../../platform/session/create-auth-session.ts';
import { forgetAnswer, keepAnswer, keptAnswersOf } from '../../../platform/storage/kept-answers.ts';
import { flagsOf } from '../prediction-state.ts';
import type { PredictionQueue } from './prediction-queue.ts';

const connected = new WeakSet<PredictionQueue>();

/** Stores a visitor's predictions in the tab's session storage: a phone reloads a tab that was left for a while. */
function keepUnkept(queue: PredictionQueue): void {
  let known: readonly Prediction[] = [];
  queue.subscribe(() => {
    const unkept = queue
      .snapshot()
      .entries.flatMap(({ state, isKept, isPutAside }) =>
        state.kind === 'done' && !isKept && !isPutAside ? [state.result] : [],
      );
    for (const { id } of known) if (!unkept.some((prediction) => prediction.id === id)) forgetAnswer(null, id);
    for (const prediction of unkept)
      if (!known.includes(prediction)) keepAnswer(null, { state: 'done', prediction, keptAudio: null });
    known = unkept;
  });
}

/** Restores a visitor's predictions after a reload. */
async function restoreUnkept(queue: PredictionQueue): Promise<void> {
  if (keptAnswersOf(null).length === 0) return;
  const { readKeptAnswers } = await import('../../../platform/storage/read-kept-answers.ts');
  queue.restore(readKeptAnswers(null).map(({ prediction }) => prediction));
}

/**
 * Connects a queue with account and page, once and for good: the queue outlives the screen. A sign-out drops predictions. When the session
 * expires, the one in progress continues, and waiting ones are sent after the same account has signed in again. The browser warns before
 * the page is left only if something would be lost: an analysis for an account ends up in the history.
 */
export function connectQueueToSession(queue: PredictionQueue, session: AuthSession, page: EventTarget = window): void {
  if (connected.has(queue)) return;
  connected.add(queue);
  let { person } = session.snapshot();
  session.onEnd((how) => {
    if (how !== 'expired') return;
    queue.hold(true);
    queue.forgetAnswered();
  });
  session.subscribe(() => {
    const { state, person: present } = session.snapshot();
    if (present !== person) queue.reset();
    person = present;
    if (state.localId === null) return;
    queue.hold(false);
    queue.signedIn();
  });
  keepUnkept(queue);
  void restoreUnkept(queue).catch(() => {}); // offline, the code that reads them cannot be loaded
  queue.subscribe(() => {
    const isWorking = queue.snapshot().entries.some(({ state }) => !flagsOf(state).done);
    if (isWorking !== workInFlight.snapshot()) workInFlight.set(isWorking);
  });
  page.addEventListener('beforeunload', (event) => {
    const isKept = session.snapshot().state.token !== null;
    const wouldBeLost = queue
      .snapshot()
      .entries.some(
        ({ state: { kind }, request }) =>
          kind === 'idle' || kind === 'uploading' || (kind === 'listening' && (!isKept || request.isForDevice)),
      );
    if (wouldBeLost) event.preventDefault();
  });
}
