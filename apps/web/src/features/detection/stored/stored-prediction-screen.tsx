import type { KeptAudio, Prediction, StoredPrediction } from '@chiffchaff/contract';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { type ApiError, toApiError } from '../../../platform/api/api-error.ts';
import { useErrorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { deletePrediction, readStoredPrediction } from '../../../platform/api/stored-predictions.ts';
import { refreshStoredPredictions, storedPredictionsKey } from '../../../platform/api/use-stored-predictions.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { forgetAnswer, keepAnswer } from '../../../platform/storage/kept-answers.ts';
import { isOutOfReach, readKeptAnswers } from '../../../platform/storage/read-kept-answers.ts';
import { Notice } from '../../../ui/notice.tsx';
import { AnswerStage } from '../answer/answer-stage.tsx';
import { FailureStage } from '../failure-stage.tsx';
import type { ListeningReport } from '../prediction-state.ts';
import { ProgressStage } from '../progress-stage.tsx';
import { followPrediction } from '../sending/follow-prediction.ts';
import { FollowsAnotherStage } from '../stage-heading.tsx';
import styles from './stored-prediction-screen.module.css';

/** An answer as it is kept; other conditions change what is seen, not what is kept. */
function Answer({ stored, keptAudio }: { readonly stored: Prediction; readonly keptAudio: KeptAudio | null | undefined }) {
  const navigate = useNavigate();
  const [changed, setChanged] = useState<Prediction | null>(null);
  return (
    <AnswerStage
      prediction={changed ?? stored}
      recording={null}
      {...(keptAudio !== undefined && { keptAudio })}
      asked={null}
      isKept
      onReconsidered={setChanged}
      onAnother={() => void navigate('/process')}
    />
  );
}

/** Work that another page may have begun: followed from here until it has come to its end. */
function Work({
  work,
  onEnd,
}: {
  readonly work: Extract<StoredPrediction, { state: 'inWork' }>['work'];
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const openHttp = useOpenHttp();
  const { id, stage, fraction, behindOthers } = work;
  const [report, setReport] = useState<ListeningReport>({ stage, fraction, behindOthers, detections: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is to be done at the end is always the same
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async () => {
      await followPrediction(await openHttp(), id, { signal, onListening: (next) => !signal.aborted && setReport(next) });
      if (!signal.aborted) onEnd();
    };
    follow().catch(() => !signal.aborted && onEnd()); // asking once more tells what is the matter
    return () => controller.abort();
  }, [openHttp, id]);
  const cancel = async () => {
    await deletePrediction(await openHttp(), id);
    await navigate('/history', { replace: true });
  };
  return (
    <ProgressStage
      state={{ kind: 'listening', report }}
      recording={{ name: work.fileName ?? t('answer.noName') }}
      language={null}
      onCancel={() => void cancel().catch(onEnd)}
    />
  );
}

function Unreadable({ error, onRetry }: { readonly error: ApiError; readonly onRetry: () => void }) {
  const { t } = useTranslation();
  const sentence = useErrorSentence(error);
  const isGone = error.kind === 'problem' && error.problem.code === 'NOT_FOUND';
  return (
    <>
      <h1>{t(isGone ? 'history.goneTitle' : 'failure.title')}</h1>
      <Notice tone="warning" title={isGone ? t('history.gone') : sentence} announce onRetry={isGone ? undefined : onRetry} />
    </>
  );
}

interface StageProperties {
  readonly stored: StoredPrediction;
  /** It was kept here and the server cannot be asked: what there is of the sound by now is not known. */
  readonly isOffline: boolean;
  readonly onEnd: () => void;
}

function Stage({ stored, isOffline, onEnd }: StageProperties) {
  const navigate = useNavigate();
  switch (stored.state) {
    case 'inWork':
      return <Work work={stored.work} onEnd={onEnd} />;
    case 'done':
      return <Answer stored={stored.prediction} keptAudio={isOffline ? undefined : stored.keptAudio} />;
    case 'failed': {
      const { problem } = stored;
      const error: ApiError = { kind: 'problem', message: problem.detail, problem, retryAfterSeconds: null };
      return (
        <FailureStage
          error={{ ...error, problem: { ...problem, retryable: false } }}
          onRetry={onEnd}
          onChange={() => void navigate('/process')}
        />
      );
    }
  }
}

/** `/history/:id`: an answer of earlier, as it was shown then; or how far the work is, from whichever device it was begun. */
export function StoredPredictionScreen() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const queries = useQueryClient();
  const { localId } = useAuthSnapshot().state;
  const openHttp = useOpenHttp();
  const { data, error, refetch } = useQuery({
    queryKey: storedPredictionsKey(localId, 'one', id),
    async queryFn({ queryKey, signal }) {
      try {
        const stored = await readStoredPrediction(await openHttp(), id, signal);
        if (localId !== null && stored.state === 'done') keepAnswer(localId, stored);
        return stored;
      } catch (failure) {
        if (localId !== null && !signal.aborted) {
          const kept = readKeptAnswers(localId).find(({ prediction }) => prediction.id === id);
          if (isOutOfReach(failure)) queries.setQueryData<StoredPrediction>(queryKey, (present) => present ?? kept);
          else forgetAnswer(localId, id);
        }
        throw failure; // shown until it is asked again, when the connection is back
      }
    },
    // What was kept may have been deleted elsewhere; it must not be read here then.
    gcTime: 0,
  });
  const state = data?.state ?? null;
  const [firstState, setFirstState] = useState(state);
  if (firstState === null && state !== null) setFirstState(state);
  return (
    <FollowsAnotherStage value={state !== firstState}>
      <div className={styles.screen}>
        <title>{t('title.storedPrediction')}</title>
        <Link to="/history" className={styles.back}>
          <IconArrowLeft aria-hidden="true" />
          {t('history.back')}
        </Link>
        {error && !data && <Unreadable error={toApiError(error)} onRetry={() => void refetch()} />}
        {!error && !data && (
          <p role="status" className="visually-hidden">
            {t('screen.loading')}
          </p>
        )}
        {data && (
          <Stage key={state} stored={data} isOffline={error !== null} onEnd={() => void refreshStoredPredictions(queries)} />
        )}
      </div>
    </FollowsAnotherStage>
  );
}
