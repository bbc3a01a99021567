import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuthSession } from '../../platform/auth-session/session-context.tsx';
import { usePublicConfig } from '../../platform/public-config.ts';
import { useHttpClient } from '../../platform/use-http-client.ts';
import { createScreenLoader, LazyScreen } from '../../ui/lazy-screen.tsx';
import { ChooseStage } from './choose/choose-stage.tsx';
import styles from './detection.module.css';
import { FailureStage } from './failure-stage.tsx';
import { followAccount } from './follow-account.ts';
import { createPredictionJob, type PredictionJob } from './prediction-job.ts';
import type { PredictionState } from './prediction-state.ts';
import { ProgressStage } from './progress-stage.tsx';
import { type PredictionRequest, requestPrediction } from './request-prediction.ts';
import { FollowsAnotherStage } from './stage-heading.tsx';

/** The page's one prediction: it outlives the screen, so that looking something up elsewhere does not lose it. */
const pageJob = createPredictionJob((error) => {
  // biome-ignore lint/suspicious/noConsole: the specification asks for it
  console.error('The prediction failed:', error.message);
});

/** The heaviest stage: fetched while the recording is on its way. */
const answerStage = createScreenLoader(async () => (await import('./answer/answer-stage.tsx')).AnswerStage);

const stageOf = ({ kind }: PredictionState) => (kind === 'uploading' || kind === 'listening' ? 'progress' : kind);

/** `/process`: choose a recording, see how far it is, read the answer. The heading of each new stage takes the focus. */
export function DetectionScreen({ job = pageJob }: { readonly job?: PredictionJob }) {
  const { t } = useTranslation();
  const { state, request } = useSyncExternalStore(job.subscribe, job.snapshot);
  const { data: config } = usePublicConfig();
  const session = useAuthSession();
  const http = useHttpClient();
  const stage = stageOf(state);
  const [firstStage] = useState(stage);
  const [changed, setChanged] = useState(false);
  if (stage !== firstStage && !changed) setChanged(true);

  useEffect(() => followAccount(job, session), [job, session]);

  useEffect(() => {
    // A failure shows, and can be tried again, when the answer is there.
    if (stage === 'progress') answerStage.load().catch(() => {});
  }, [stage]);

  if (!config) return null; // the gate opens only with a configuration
  const submit = (asked: PredictionRequest) => job.submit(asked, (body, options) => requestPrediction(http, body, options));
  return (
    <FollowsAnotherStage value={changed}>
      <div className={styles.screen}>
        <title>{t('title.detection')}</title>
        {state.kind === 'idle' && <ChooseStage config={config} http={http} earlier={request} onSubmit={submit} />}
        {(state.kind === 'uploading' || state.kind === 'listening') && request && (
          <ProgressStage state={state} file={request.file} onCancel={job.cancel} />
        )}
        {state.kind === 'failed' && request && (
          <FailureStage error={state.error} onRetry={() => submit(request)} onChange={job.cancel} />
        )}
        {state.kind === 'done' && request && (
          <LazyScreen
            loader={answerStage}
            properties={{ prediction: state.result, recording: request.file, onAnother: job.reset }}
          />
        )}
      </div>
    </FollowsAnotherStage>
  );
}
