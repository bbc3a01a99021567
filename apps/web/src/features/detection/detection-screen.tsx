import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenHttp } from '../../platform/api/open-http.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useWorkInHand } from '../../platform/api/use-stored-predictions.ts';
import { useStore } from '../../platform/browser/store.ts';
import { useAuthSession } from '../../platform/session/session-context.tsx';
import { keepAnswer } from '../../platform/storage/kept-answers.ts';
import { lazyScreen } from '../../ui/lazy-screen.tsx';
import { WorkInHand } from '../../ui/work-in-hand/work-in-hand.tsx';
import { ChooseStage } from './choose/choose-stage.tsx';
import { useNoOpeningByDrop } from './choose/use-recordings-handed-over.ts';
import styles from './detection.module.css';
import { FailureStage } from './failure-stage.tsx';
import { flagsOf, type PredictionState } from './prediction-state.ts';
import { ProgressStage } from './progress-stage.tsx';
import { connectQueue } from './queue/connect-queue.ts';
import { createPredictionQueue, type PredictionQueue, type QueueEntry } from './queue/prediction-queue.ts';
import { QueuePanel } from './queue/queue-panel.tsx';
import type { SendPrediction } from './sending/request-prediction.ts';
import { FollowsAnotherStage } from './stage-heading.tsx';

function useSendPrediction(): SendPrediction {
  const session = useAuthSession();
  const openHttp = useOpenHttp();
  return useMemo(
    () => async (request, options) => {
      try {
        const [http, { askPrediction }] = await Promise.all([openHttp(), import('./sending/ask-prediction.ts')]);
        const isKept = session.snapshot().state.token !== null;
        const outcome = await askPrediction(http, request, { ...options, isKept });
        const { localId } = session.snapshot().state;
        if (outcome.kind === 'answered' && isKept && localId !== null)
          keepAnswer(localId, { state: 'done', prediction: outcome.prediction, keptAudio: null });
        return outcome;
      } catch {
        return { kind: 'failed', error: { kind: 'network', message: 'Network Error' } };
      }
    },
    [openHttp, session],
  );
}

/** The page's predictions: they outlive the screen, so that looking something up elsewhere does not lose them. */
const pageQueue = createPredictionQueue((error) => {
  // biome-ignore lint/suspicious/noConsole: the specification asks for it
  console.error('The prediction failed:', error.message);
});

/** The heaviest stage: fetched while the recording is on its way. */
const AnswerStage = lazyScreen('answer', async () => (await import('./answer/answer-stage.tsx')).AnswerStage);

const stageOf = ({ kind }: PredictionState) => (kind === 'done' || kind === 'failed' ? kind : 'progress');

function EntryStage({ entry, queue }: { readonly entry: QueueEntry; readonly queue: PredictionQueue }) {
  const { id, request, state } = entry;
  const session = useAuthSession();
  const isAlone = queue.snapshot().entries.length === 1;
  const another = () => (isAlone ? queue.reset() : queue.show(null));
  switch (state.kind) {
    case 'idle':
    case 'uploading':
    case 'listening':
      return (
        <ProgressStage state={state} recording={request.file} language={request.language} onCancel={() => queue.cancel(id)} />
      );
    case 'failed':
      return (
        <FailureStage
          fileName={request.file.name}
          error={state.error}
          onRetry={() => queue.retry(id)}
          onChange={() => (isAlone ? queue.cancel(id) : queue.show(null))}
        />
      );
    case 'done':
      return (
        <AnswerStage
          prediction={state.result}
          recording={request.file}
          asked={request}
          isKept={session.snapshot().state.token !== null}
          onReconsidered={(result) => queue.reconsidered(id, result)}
          onAnother={another}
        />
      );
  }
}

export function DetectionScreen({ queue = pageQueue }: { readonly queue?: PredictionQueue }) {
  const { t } = useTranslation();
  const snapshot = useStore(queue);
  const { data: config } = usePublicConfig();
  const session = useAuthSession();
  const queries = useQueryClient();
  const sendPrediction = useSendPrediction();
  const { entries, shown, takenBack } = snapshot;
  const stage = shown ? `${shown.id} ${stageOf(shown.state)}` : 'choose';
  const [firstStage] = useState(stage);
  const [changed, setChanged] = useState(false);
  if (stage !== firstStage && !changed) setChanged(true);

  useNoOpeningByDrop();
  useEffect(() => connectQueue(queue, session), [queue, session]);

  const isUnderWay = entries.length > 0;
  // What this page has sent itself is shown as its queue.
  const isOthersShown = !shown && entries.every(({ state }) => flagsOf(state).done);
  const { data: work } = useWorkInHand(isOthersShown);
  useEffect(() => {
    // A failure shows, and can be tried again, when the answer is there.
    if (isUnderWay) void queries.prefetchQuery(AnswerStage.query);
  }, [queries, isUnderWay]);

  if (!config) return null; // the gate opens only with a configuration
  return (
    <FollowsAnotherStage value={changed}>
      <div className={styles.screen}>
        <title>{t('title.detection')}</title>
        {entries.length > (shown ? 1 : 0) && (
          <QueuePanel queue={snapshot} onShow={queue.show} onRemove={queue.cancel} onClear={queue.reset} />
        )}
        {shown ? (
          <EntryStage key={stage} entry={shown} queue={queue} />
        ) : (
          <>
            {isOthersShown && work && (
              <div className={styles.inHand}>
                <WorkInHand {...work} />
              </div>
            )}
            <ChooseStage config={config} earlier={takenBack} onSubmit={(requests) => queue.submit(requests, sendPrediction)} />
          </>
        )}
      </div>
    </FollowsAnotherStage>
  );
}
