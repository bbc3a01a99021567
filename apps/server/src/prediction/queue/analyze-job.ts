import type { AnswerHead } from '@chiffchaff/analysis';
import type { Prediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { bufferOf } from '../../buffer-of.ts';
import type { PredictionCounts } from '../../operation/metrics.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { untilBack } from '../../storage/until-back.ts';
import { toAnalysisRequest } from '../analysis-request.ts';
import type { AnalyzerSource } from '../analyzer-source.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { type Uploads, uploadObject } from '../incoming/upload-folder.ts';
import type { Answers } from '../stored/answers.ts';
import type { Job, JobProgress } from './job.ts';
import { type AnsweredUpload, type JobStore, JobTakenAway } from './job-store.ts';

export interface FinalizeUploadOptions {
  readonly jobs: JobStore;
  readonly uploads: Uploads;
  readonly sounds: Pick<AudioRetention, 'keepSound' | 'forget'>;
  readonly log: FastifyBaseLogger;
}

export interface AnalyzeJobOptions extends FinalizeUploadOptions {
  readonly analyzers: AnalyzerSource;
  readonly counts: PredictionCounts;
}

export interface JobRun {
  /** Aborts for `JobTakenAway` when another worker has the job: its checkpoint is the other's then. */
  readonly signal: AbortSignal;
  /** Whose turns it takes, in words that mean nothing elsewhere. */
  readonly owner: string;
  readonly onProgress: (progress: JobProgress) => void;
  /** Told when the work can go on from here if it breaks off. */
  readonly onCheckpoint: () => void;
}

/**
 * Analyses the recording of a job, stores the answer and finalizes the upload.
 *
 * @returns the prediction as JSON; null when the job has been removed meanwhile
 * @throws what the analyzer throws. @throws the signal's reason when it aborts
 */
export async function analyzeJob(options: AnalyzeJobOptions, job: Job, run: JobRun): Promise<Buffer | null> {
  const { analyzers, uploads, jobs, counts, log } = options;
  const queuedMs = Math.max(0, Date.now() - job.createdAtMs);
  const analyzer = await analyzers.get();
  const { uploadName, fileName, sha256 } = job;
  await using file = await uploads.open(uploadName, run.signal);
  if (file === null) throw new Error('The recording of a job is gone.');
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
 * Keeps what is wanted of the sound of an answered recording, and removes the upload. The answer is stored by then: what fails here
 * is logged, and a start takes it up again when the process was killed.
 *
 * @param signal ends waiting for a storage that is away; without one it is not waited for
 */
export async function finalizeUpload(
  { jobs, uploads, sounds, log }: FinalizeUploadOptions,
  { id, accountId, uploadName, fields }: AnsweredUpload,
  { prediction: { recording }, excerpts }: AnswerHead,
  signal?: AbortSignal,
): Promise<void> {
  try {
    if (accountId !== null) {
      const { keepAudio = null, listeningCopy } = fields;
      const upload = uploadObject(uploadName);
      const asked = { keepAudio, listeningCopy: listeningCopy === 'true' };
      const heard = { accountId, predictionId: id, upload, recording, excerpts, ...asked };
      const keep = () => sounds.keepSound(heard);
      await (signal === undefined ? keep() : untilBack(keep, signal));
    }
  } catch (error) {
    // It is taken up again, and needs the upload then.
    if (signal?.aborted || error instanceof StorageError) return;
    log.error({ err: error, predictionId: id }, 'the audio of a recording could not be kept');
  }
  await uploads.remove(uploadName);
  if ((await jobs.forgetUpload({ id, accountId })) || accountId === null) return;
  // Its account was deleted while its sound was put away, perhaps after the sound of that account had been removed.
  await sounds.forget(accountId, id);
}

/** The same for one that was answered before, by a process that did not come to it. */
export async function finalizeLeft(
  options: FinalizeUploadOptions & { readonly answers: Pick<Answers, 'headOf'> },
  upload: AnsweredUpload,
): Promise<void> {
  const outcome = await options.jobs.outcomeOf(upload.id);
  if (outcome === null || outcome === 'inWork' || outcome.state !== 'done') return;
  await finalizeUpload(options, upload, await options.answers.headOf(outcome.row));
}

/** One line a prediction; nothing that names a recording or its place. */
function logPrediction(
  log: FastifyBaseLogger,
  { id, model, recording, verdict, timings }: Prediction,
  measured: { bytes: number; queuedMs: number },
): void {
  const { container, codec, durationSeconds: audioSeconds } = recording;
  const about = { predictionId: id, model: model.id, container, codec, audioSeconds, verdict: verdict.kind };
  log.info({ ...about, ...measured, ...timings }, 'prediction');
}
