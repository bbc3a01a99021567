import type { Prediction, ProblemBody, StoredPrediction } from '@chiffchaff/contract';
import { IconArrowLeft, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { type ApiError, isProblem, toApiError } from '../../platform/api/api-error.ts';
import { reviewsQuery } from '../../platform/api/bird-reviews.ts';
import { useErrorSentence } from '../../platform/api/error-sentence.ts';
import { deletePrediction, readStoredPrediction } from '../../platform/api/stored-predictions.ts';
import { useDeletion } from '../../platform/api/use-deletion.ts';
import { refreshStoredPredictions, storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { followPrediction } from '../../platform/sending/follow-prediction.ts';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { coordinatesOf } from '../../platform/sending/requested-conditions.ts';
import { useAccountApi, useOpenHttp } from '../../platform/session/session-context.tsx';
import { forgetAnswer, keepAnswer } from '../../platform/storage/kept-answers.ts';
import { isOutOfReach, readKeptAnswers } from '../../platform/storage/read-kept-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/notice.tsx';
import { FollowsAnotherStage } from '../../ui/stage-heading.tsx';
import { AnswerPage } from './answer/answer-page.tsx';
import { FailureStage } from './failure-stage.tsx';
import { ProgressStage } from './progress-stage.tsx';
import { besideOf, besideQuery } from './served-sound.ts';
import styles from './stored-prediction-screen.module.css';
import { townKey } from './visit-places.ts';

/** A prediction in progress, which another page may have started: follows it to its end. */
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
  const [report, setReport] = useState<AnalysisReport>({ stage, fraction, behindOthers, detections: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is to be done at the end is always the same
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async () => {
      await followPrediction(await openHttp(), id, { signal, onAnalysis: (next) => !signal.aborted && setReport(next) });
      if (!signal.aborted) onEnd();
    };
    follow().catch(() => !signal.aborted && onEnd()); // the next request shows what is wrong
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
  const isGone = isProblem(error, 'NOT_FOUND');
  return (
    <>
      <h1>{t(isGone ? 'history.goneTitle' : 'failure.title')}</h1>
      <Failure sentence={isGone ? t('history.gone') : sentence} onRetry={isGone ? undefined : onRetry} />
    </>
  );
}

/** The same recording cannot be sent again from here. */
const failureOf = (problem: ProblemBody): ApiError => ({
  ...{ kind: 'problem', message: problem.detail, retryAfterSeconds: null },
  problem: { ...problem, retryable: false },
});

/** `/history/:id`: an earlier prediction, as it was shown then, or its progress, whichever device started it. */
export function StoredPredictionScreen() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const queries = useQueryClient();
  const api = useAccountApi();
  const { openHttp, localId } = api;
  const queryKey = storedPredictionsKey(localId, 'one', id);
  const { data, error, refetch } = useQuery({
    queryKey,
    async queryFn({ queryKey, signal }) {
      try {
        const stored = await readStoredPrediction(await openHttp(), id, signal);
        if (localId !== null && stored.state === 'done') {
          keepAnswer(localId, stored);
          const { id: predictionId, reviews = [], conditions } = stored.prediction;
          queries.setQueryData(reviewsQuery(api, predictionId).queryKey, reviews);
          if (stored.town !== undefined) queries.setQueryData(townKey(coordinatesOf(conditions)), stored.town);
          queries.setQueryData(besideQuery(api, predictionId).queryKey, besideOf(stored));
        }
        return stored;
      } catch (failure) {
        if (localId !== null && !signal.aborted) {
          const kept = readKeptAnswers(localId).find(({ prediction }) => prediction.id === id);
          if (isOutOfReach(failure)) queries.setQueryData<StoredPrediction>(queryKey, (present) => present ?? kept);
          else forgetAnswer(localId, id);
        }
        throw failure; // shown until the connection is back and it is fetched again
      }
    },
    // It may have been deleted elsewhere, and must not be shown here then.
    gcTime: 0,
  });
  const navigate = useNavigate();
  const { failure, ...remove } = useDeletion();
  const state = data?.state ?? null;
  const [firstState, setFirstState] = useState(state);
  if (firstState === null && state !== null) setFirstState(state);
  const refresh = () => void refreshStoredPredictions(queries);
  const toProcess = () => void navigate('/process');
  /** The server has stored another prediction for it, or the first one again. */
  const change = (prediction: Prediction, conditionsChanged: boolean) =>
    queries.setQueryData<StoredPrediction>(queryKey, (shown) =>
      shown?.state === 'done' ? { ...shown, prediction, conditionsChanged } : shown,
    );
  return (
    <FollowsAnotherStage value={state !== firstState}>
      <div className="stack">
        {state !== 'done' && <title>{t('title.storedPrediction')}</title>}
        <Link to="/history" className={`line finger unprinted ${styles.back}`}>
          <IconArrowLeft aria-hidden="true" />
          {t('history.back')}
        </Link>
        {error && !data && <Unreadable error={toApiError(error)} onRetry={() => void refetch()} />}
        {!error && !data && (
          <p role="status" className="visually-hidden">
            {t('screen.loading')}
          </p>
        )}
        <Failure sentence={failure} />
        {data?.state === 'inWork' && <Work work={data.work} onEnd={refresh} />}
        {data?.state === 'failed' && <FailureStage error={failureOf(data.problem)} onRetry={refresh} onChange={toProcess} />}
        {data?.state === 'done' && (
          <AnswerPage
            prediction={data.prediction}
            recording={null}
            // From this tab's storage while the server is out of reach: which audio is left is unknown.
            {...(error === null && { keptAudio: data.keptAudio })}
            isKept
            onFirst={data.conditionsChanged ? (first) => change(first, false) : undefined}
            onReconsidered={(next) => change(next, true)}
            onAnother={toProcess}
          />
        )}
        {data?.state === 'done' && error === null && (
          <Button
            icon={IconTrash}
            look="destructive"
            className={styles.remove}
            isDisabled={remove.isPending}
            onClick={() => remove.mutate(data.prediction.id, { onSuccess: () => void navigate('/history') })}
          >
            {t('deleteResult.button')}
          </Button>
        )}
      </div>
    </FollowsAnotherStage>
  );
}
