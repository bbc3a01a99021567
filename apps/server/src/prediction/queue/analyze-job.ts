import type { AnswerHead } from '@chiffchaff/analysis';
import type { Prediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { bufferOf } from '../../buffer-of.ts';
import type { PredictionCounts } from '../../operation/metrics.ts';
import { retryUntilAvailable, StorageError } from '../../storage/storage-error.ts';
import { toAnalysisRequest } from '../analysis-request.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { type Uploads, uploadObject } from '../incoming/uploads.ts';
import type { ModelLoader } from '../model-loader.ts';
import type { StoredAnswers } from '../stored/stored-answers.ts';
import type { Job, JobProgress } from './job.ts';
import { type AnsweredUpload, type JobStore, JobTakenAway } from './job-store.ts';

export interface FinalizeUploadOptions {
  readonly jobs: JobStore;
  readonly uploads: Uploads;
  readonly sounds: Pick<AudioRetention, 'keepSound' | 'forget'>;
  readonly log: FastifyBaseLogger;
}

export interface AnalyzeJobOptions extends FinalizeUploadOptions {
  readonly modelLoader: ModelLoader;
  readonly counts: PredictionCounts;
}

export interface JobRun {
  /** Aborts with `JobTakenAway` when another worker has the job, which then also owns the checkpoint. */
  readonly signal: AbortSignal;
  /** Whose turns it takes, as a string without meaning elsewhere. */
  readonly owner: string;
  readonly onProgress: (progress: JobProgress) => void;
  /** Called when there is a checkpoint from which the work can resume. */
  readonly onCheckpoint: () => void;
}

/**
 * Analyses the recording of a job, stores the answer and finalizes the upload.
 *
 * @returns the prediction as JSON; null when the job has been removed
 * @throws what the analyzer throws. @throws the signal's reason when it aborts
 */
export async function analyzeJob(options: AnalyzeJobOptions, job: Job, run: JobRun): Promise<Buffer | null> {
  const { modelLoader, uploads, jobs, counts, log } = options;
  const queuedMs = Math.max(0, Date.now() - job.createdAtMs);
  const analyzer = await modelLoader.get();
  const { uploadName, bytes, fileName, sha256 } = job;
  await using file = await uploads.open(uploadName, bytes, run.signal);
  if (file === null) throw new Error('The recording of a job is gone, or cut short.');
  await using checkpoint = await uploads.openCheckpoint(uploadName, run.signal);
  const onSaved = (): void => {
    if (run.signal.reason instanceof JobTakenAway) return;
    checkpoint.save();
    run.onCheckpoint();
  };
  const answered = { id: job.id, createdAt: new Date(job.createdAtMs).toISOString() };
  const evidence: Uint8Array[] = [];
  const analysis = await analyzer.analyze(
    { ...toAnalysisRequest({ path: file.path, fileName, sha256 }, job.fields), ...answered, owner: run.owner },
    {
      signal: run.signal,
      onProgress: (progress) => run.onProgress({ stage: 'listening', behindOthers: false, ...progress }),
      onEvidence: (part) => evidence.push(part),
      checkpoint: { path: checkpoint.path, onSaved },
    },
  );
  if (!(await jobs.finish(job, analysis, evidence))) return null;
  counts.countPrediction(analysis.prediction, queuedMs / 1000);
  logPrediction(log, analysis.prediction, { bytes: job.bytes, queuedMs });
  await finalizeUpload(options, job, analysis, run.signal);
  return bufferOf(analysis.json);
}

/**
 * Hands an answered recording to audio retention, then removes the upload. The answer is stored already, so failures here are only logged.
 * Until all is done, the row names the upload, and the next process to find it repeats what a crash, the database or the storage prevented.
 *
 * @param signal ends waiting for unavailable storage; without one, this does not wait
 */
export async function finalizeUpload(
  { jobs, uploads, sounds, log }: FinalizeUploadOptions,
  { id, accountId, uploadName, fields }: AnsweredUpload,
  { prediction: { recording }, excerpts }: AnswerHead,
  signal?: AbortSignal,
): Promise<void> {
  const act = (work: () => Promise<void>) => (signal === undefined ? work() : retryUntilAvailable(work, signal));
  try {
    if (accountId !== null) {
      const { keepAudio = null, listeningCopy } = fields;
      const upload = uploadObject(uploadName);
      const asked = { keepAudio, listeningCopy: listeningCopy === 'true' };
      const answered = { accountId, predictionId: id, upload, recording, excerpts, ...asked };
      await act(() => sounds.keepSound(answered));
    }
    await act(() => uploads.removeNow(uploadName));
    if ((await jobs.forgetUpload({ id, accountId })) || accountId === null) return;
    // The account was deleted meanwhile, and the removal of its audio may have missed this one.
    await sounds.forget(accountId, id);
  } catch (error) {
    if (signal?.aborted || error instanceof StorageError) return;
    log.error({ err: error, predictionId: id }, 'an answered recording could not be finalized yet');
  }
}

/** Finalizes an upload that was answered by a process that died before it got this far. */
export async function finalizeLeft(
  options: FinalizeUploadOptions & { readonly answers: Pick<StoredAnswers, 'headOf'> },
  upload: AnsweredUpload,
): Promise<void> {
  const outcome = await options.jobs.outcomeOf(upload.id);
  if (outcome === null || outcome === 'inWork' || outcome.state !== 'done') return;
  await finalizeUpload(options, upload, await options.answers.headOf(outcome.row));
}

/** Logs one line per prediction, with nothing that names a recording or its place. */
function logPrediction(
  log: FastifyBaseLogger,
  { id, model, recording, verdict, timings }: Prediction,
  measured: { bytes: number; queuedMs: number },
): void {
  const { container, codec, durationSeconds: audioSeconds } = recording;
  const about = { predictionId: id, model: model.id, container, codec, audioSeconds, verdict: verdict.kind };
  log.info({ ...about, ...measured, ...timings }, 'prediction');
}
