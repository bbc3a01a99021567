import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate } from 'react-router';
import { useTranslation, withLaterTexts } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useWorkInHand } from '../../platform/api/use-stored-predictions.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { useIsWide, useStore } from '../../platform/browser/store.ts';
import type { PredictionRequest, SendPrediction } from '../../platform/sending/request-prediction.ts';
import { useAuthSession, useAuthSnapshot, useOpenHttp } from '../../platform/session/session-context.tsx';
import { keepAnswer } from '../../platform/storage/kept-answers.ts';
import { Button } from '../../ui/button.tsx';
import { lazyScreen } from '../../ui/lazy-screen.tsx';
import { FollowsAnotherStage } from '../../ui/stage-heading.tsx';
import { UndoToast } from '../../ui/undo-toast.tsx';
import { WorkInHand } from '../../ui/work-in-hand.tsx';
import { ChooseStage } from './choose/choose-stage.tsx';
import { isSameFile, useNoOpeningByDrop } from './choose/use-chosen-recordings.ts';
import styles from './detection.module.css';
import { FailureStage } from './failure-stage.tsx';
import { createSpeechCheck, type SpeechCheck, silence } from './on-device/speech-check.ts';
import { flagsOf, type PredictionState } from './prediction-state.ts';
import { ProgressStage } from './progress-stage.tsx';
import { connectQueueToSession } from './queue/connect-queue-to-session.ts';
import { createPredictionQueue, type PredictionQueue, type QueueEntry, type RemovedEntry } from './queue/prediction-queue.ts';
import { QueueSteps } from './queue/queue-steps.tsx';

function useSendPrediction(queue: PredictionQueue, speech: SpeechCheck): SendPrediction {
  const session = useAuthSession();
  const openHttp = useOpenHttp();
  return async (request, options) => {
    try {
      if (request.isForDevice) {
        const { analyzeHere } = await withLaterTexts(import('./on-device/analyze-here.ts'));
        return await analyzeHere(request, options);
      }
      const file = await speech.fileToSend(request.file, options);
      if (file === null) {
        queue.cancel(options.key);
        throw options.signal.reason;
      }
      const [http, { askPrediction }] = await Promise.all([openHttp(), import('../../platform/sending/ask-prediction.ts')]);
      const isKept = session.snapshot().state.token !== null;
      const outcome = await askPrediction(http, { ...request, file }, { ...options, isKept });
      const { localId } = session.snapshot().state;
      if (outcome.kind === 'answered' && isKept && localId !== null)
        keepAnswer(localId, { state: 'done', prediction: outcome.prediction, keptAudio: null });
      return { ...outcome, isKept };
    } catch {
      return { kind: 'failed', error: { kind: 'network', message: 'Network Error' } };
    }
  };
}

/** The page's predictions: they outlive the screen, so that visiting another one does not lose them. */
const pageQueue = createPredictionQueue((error) => {
  // biome-ignore lint/suspicious/noConsole: the specification asks for it
  console.error('The prediction failed:', error.message);
});

const pageSpeechCheck = createSpeechCheck();

const SpeechDialog = lazyScreen('SpeechDialog', () => import('../../ui/speech-dialog.tsx'));

/** The heaviest stage, loaded while the recording is being sent. */
const AnswerPage = lazyScreen('AnswerPage', () => import('./answer/answer-page.tsx'));

/** Loaded once there are several recordings. */
const QueuePanel = lazyScreen('QueuePanel', () => import('./queue/queue-panel.tsx'));

/** From this width on, the list has room beside an answer. */
const WIDE_REM = 64;

const stageOf = ({ kind }: PredictionState) => (kind === 'done' || kind === 'failed' ? kind : 'progress');

interface StageProperties {
  readonly entry: QueueEntry;
  readonly queue: PredictionQueue;
  /** Sends it to the server, again or for the first time. */
  readonly onKeep: () => void;
  readonly onSkipCheck: () => void;
  readonly onAnother: () => void;
}

/** Whether the page was reloaded or gone back to: an address that is opened anew, even the same one, begins anew. */
function wasReloaded(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return !(entry && 'type' in entry && entry.type === 'navigate');
}

/** Says whether a result is saved. Those of visitors are not; an account can still keep one while the page has the recording. */
function Saving({ entry, queue, onKeep }: Omit<StageProperties, 'onSkipCheck' | 'onAnother'>) {
  const { id, request, device, isKept, wasUnkept, isAudioMissing, isPutAside } = entry;
  const { t } = useTranslation();
  const isSignedIn = useAuthSnapshot().state.token !== null;
  // A recording that has not been sent yet needs the question about speech first.
  const isSendable = !device || device.speech.length === 0;
  const line = (said: string, next?: ReactNode, role?: 'status') => (
    <p role={role} className={`cluster-tight apart wash ${styles.keepOffer}`}>
      <span>{said}</span>
      {next}
    </p>
  );
  const leadTo = (path: string, words: string, onClick?: () => void) => (
    <Link to={path} className="link" onClick={onClick}>
      {words}
    </Link>
  );
  if (isKept) return wasUnkept ? line(t('unkept.kept'), leadTo('/account', t('unkept.audio')), 'status') : null;
  if (isAudioMissing) return line(t('unkept.reloaded'));
  if (isPutAside) return line(t('outbox.putAside'), leadTo('/history', t('layout.history')), 'status');
  const offer = t(isSignedIn ? (request.isForDevice ? 'local.keepSends' : 'unkept.signedIn') : 'unkept.title');
  const keep = isSignedIn ? (
    <Button onClick={onKeep}>{t('unkept.keep')}</Button>
  ) : (
    leadTo('/login', t('unkept.signIn'), () => isSendable && queue.keepAtSignIn([id]))
  );
  return line(request.isForDevice ? offer : `${offer} ${t('unkept.again')}`, keep);
}

function EntryStage({ entry, queue, onKeep, onAnother, onSkipCheck }: StageProperties) {
  const { id, request, state, isKept, isAudioMissing, device } = entry;
  const isAlone = queue.snapshot().entries.length === 1;
  switch (state.kind) {
    case 'idle':
    case 'checking':
    case 'uploading':
    case 'listening':
      return (
        <ProgressStage
          state={state}
          recording={request.file}
          language={request.language}
          onCancel={() => queue.cancel(id)}
          onSkipCheck={onSkipCheck}
        />
      );
    case 'failed':
      return (
        <FailureStage
          fileName={request.file.name}
          error={state.error}
          onRetry={() => queue.retry(id)}
          onServer={request.isForDevice ? onKeep : null}
          onChange={() => (isAlone ? queue.cancel(id) : queue.show(null))}
        />
      );
    case 'done':
      return (
        <AnswerPage
          prediction={state.result}
          recording={isAudioMissing ? null : request.file}
          isKept={isKept}
          saving={<Saving entry={entry} queue={queue} onKeep={onKeep} />}
          onFirst={state.first && (() => state.first && queue.reconsidered(id, state.first))}
          reconsider={device?.reconsider}
          onReconsidered={(result) => queue.reconsidered(id, result)}
          onSendAgain={isKept || device || isAudioMissing ? undefined : (question) => queue.sendAgain(id, question)}
          onAnother={onAnother}
        />
      );
  }
}

export function DetectionScreen({
  queue = pageQueue,
  speech = pageSpeechCheck,
}: {
  queue?: PredictionQueue;
  speech?: SpeechCheck;
}) {
  const { t } = useTranslation();
  const snapshot = useStore(queue);
  const { data: config } = usePublicConfig();
  const session = useAuthSession();
  const { token, localId } = useAuthSnapshot().state;
  const isSignedIn = token !== null;
  const isOnline = useIsOnline();
  const queries = useQueryClient();
  const question = useStore(speech);
  const sendPrediction = useSendPrediction(queue, speech);
  const { entries, shown, takenBack } = snapshot;
  const isWide = useIsWide(WIDE_REM);
  const hasList = entries.length > (shown ? 1 : 0);
  // On a narrow screen, the list and what it opens take turns.
  const [turn, setTurn] = useState<'list' | 'opened' | 'listAgain'>(() => (shown ? 'opened' : 'list'));
  const isListAlone = hasList && !isWide && turn !== 'opened';
  const stage = isListAlone ? 'list' : shown ? `${shown.id} ${stageOf(shown.state)}` : 'choose';
  const [firstStage] = useState(stage);
  const [changed, setChanged] = useState(false);
  if (stage !== firstStage && !changed) setChanged(true);

  useNoOpeningByDrop();
  useEffect(() => connectQueueToSession(queue, session), [queue, session]);

  const isUnderWay = entries.length > 0;
  // This page's own recordings are shown as its queue.
  const isOthersShown = !shown && entries.every(({ state }) => flagsOf(state).done);
  const { data: work } = useWorkInHand(isOthersShown);
  useEffect(() => {
    // A failure shows when the stage is rendered, and can be retried there.
    if (isUnderWay) void queries.prefetchQuery(AnswerPage.query);
  }, [queries, isUnderWay]);
  const pane = useRef<HTMLDivElement>(null);
  const open = (id: string | null) => {
    setTurn('opened');
    queue.show(id);
    // Another stage takes the focus as it appears; the one that is shown already does not appear again.
    if (id === (shown?.id ?? null)) pane.current?.querySelector('h1')?.focus();
  };

  /** Leads to another recording. A result that is not saved stays in the list. */
  const another = () => {
    const [first] = entries;
    if (entries.length === 1 && first?.isKept && flagsOf(first.state).done) queue.reset();
    else open(null);
  };
  const visit = useLocation();
  const navigate = useNavigate();
  /** Where the results are that were shown when the page was reloaded. */
  const [reloaded] = useState<string | null>(() => (isSignedIn && !isUnderWay && wasReloaded() && visit.state?.results) || null);
  const storedIds = entries.flatMap(({ isKept, state }) => (isKept && state.kind === 'done' ? [state.result.id] : []));
  const [storedId = null] = entries.length > 1 ? [] : storedIds;
  const results = storedIds.length > 1 ? '/history' : storedId && `/history/${storedId}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only as other results are shown
  useEffect(() => {
    if (reloaded === null && results !== (visit.state?.results ?? null))
      void navigate('/process', { replace: true, state: { results } });
  }, [results]);
  // Choosing this page again in the menu is for another recording.
  const shownVisit = useRef(visit);
  const onVisitAgain = useEffectEvent(another);
  useEffect(() => {
    const { key, pathname } = shownVisit.current;
    shownVisit.current = visit;
    if (visit.key !== key && visit.pathname === pathname && visit.state === null) onVisitAgain();
  }, [visit]);

  const keep = async (ids: readonly string[]) => {
    const answered = entries.flatMap((entry) =>
      ids.includes(entry.id) && entry.device ? [{ ...entry, file: entry.request.file, speech: entry.device.speech }] : [],
    );
    const files = await speech.ask(answered);
    // Recordings wait for the connection in the outbox. What does not fit there is sent from here, and can be retried.
    for (const [index, entry] of isOnline || localId === null ? [] : answered.entries()) {
      const file = files[index];
      const { putAside } = await import('./on-device/put-aside.ts');
      if (file && localId !== null && (await putAside(entry, file, localId))) queue.putAside(entry.id);
    }
    const leftOut = answered.filter((_, index) => files[index] === null).map(({ id }) => id);
    queue.keep(ids.filter((id) => !leftOut.includes(id)));
  };
  const submit = (requests: readonly PredictionRequest[]) => {
    setTurn(requests.length > 1 ? 'list' : 'opened');
    queue.submit(requests, sendPrediction);
  };

  /** Recordings removed from the list, for as long as that can be undone: those that go in quick succession come back together. */
  const [removed, setRemoved] = useState<readonly RemovedEntry[]>([]);
  /** How many of them came back last. */
  const [restored, setRestored] = useState(0);
  const remember = (gone: readonly RemovedEntry[]) => {
    const isAgain = ({ entry }: RemovedEntry) => gone.some((one) => isSameFile(one.entry.request.file, entry.request.file));
    setRemoved([...removed.filter((one) => !isAgain(one)), ...gone]);
    setRestored(0);
  };
  const removeAll = () => {
    remember(entries.map((entry) => ({ entry, at: 0 })));
    queue.reset();
  };
  const removeOne = (id: string) => {
    const at = entries.findIndex((entry) => entry.id === id);
    remember(entries.slice(at, at + 1).map((entry) => ({ entry, at })));
    queue.cancel(id);
  };
  const leaveRemoved = (hadFocus: boolean) => {
    setRemoved([]);
    if (hadFocus) (pane.current ?? document).querySelector('h1')?.focus();
  };
  const undoRemoval = () => {
    leaveRemoved(true);
    setRestored(removed.length);
    queue.putBack(removed);
  };

  if (reloaded !== null) return <Navigate to={reloaded} replace />;
  if (!config) return null; // the gate opens only with a configuration
  return (
    <FollowsAnotherStage value={changed}>
      <div className={styles.screen} data-several={hasList && isWide}>
        {(isListAlone || shown?.state.kind !== 'done') && <title>{t('title.detection')}</title>}
        {question && (
          <SpeechDialog
            key={question.id}
            recordings={question.recordings}
            silence={silence}
            onDone={question.answer}
            onCancel={() => question.answer([])}
          />
        )}
        {hasList && (isWide || isListAlone) && (
          <QueuePanel
            queue={snapshot}
            current={isWide || turn === 'listAgain' ? (shown?.id ?? null) : null}
            isAlone={isListAlone}
            onOpen={open}
            onRemove={removeOne}
            onClear={removeAll}
            onKeep={isSignedIn ? (ids) => void keep(ids) : null}
          />
        )}
        {!isListAlone && (
          <div ref={pane} className={styles.pane}>
            {hasList && !isWide && <QueueSteps queue={snapshot} onList={() => setTurn('listAgain')} onShow={open} />}
            {shown ? (
              <EntryStage
                key={stage}
                entry={shown}
                queue={queue}
                onKeep={() => void keep([shown.id])}
                onAnother={another}
                onSkipCheck={speech.skip}
              />
            ) : (
              <>
                {isOthersShown && work && (
                  <div className={`measure ${styles.inHand}`}>
                    <WorkInHand {...work} />
                  </div>
                )}
                <ChooseStage config={config} earlier={takenBack} onSubmit={submit} />
              </>
            )}
          </div>
        )}
        {removed.length + restored > 0 && ( // there before its text
          <p role="status" className="visually-hidden">
            {restored > 0 && t('batch.restored', { count: restored })}
          </p>
        )}
        {removed.length > 0 && (
          <UndoToast
            key={removed.map(({ entry }) => entry.id).join()}
            text={t('batch.cleared', { count: removed.length })}
            onUndo={undoRemoval}
            onClose={leaveRemoved}
          />
        )}
      </div>
    </FollowsAnotherStage>
  );
}
