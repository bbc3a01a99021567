import type { AnswerHead } from '@chiffchaff/analysis';
import type { Prediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { bufferOf } from '../../buffer-of.ts';
import type { PredictionCounts } from '../../operation/metrics.ts';
import { toAnalysisRequest } from '../analysis-request.ts';
import type { AnalyzerSource } from '../analyzer-source.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import type { UploadFolder } from '../incoming/upload-folder.ts';
import type { Job, JobProgress } from './job.ts';
import type { AnsweredUpload, JobStore } from './job-store.ts';

export interface FinalizeUploadOptions {
  readonly jobs: JobStore;
  readonly uploads: UploadFolder;
  readonly sounds: Pick<AudioRetention, 'keepSound' | 'forget'>;
  readonly log: FastifyBaseLogger;
}

export interface AnalyzeJobOptions extends FinalizeUploadOptions {
  readonly analyzers: AnalyzerSource;
  readonly counts: PredictionCounts;
}

export interface JobRun {
  readonly signal: AbortSignal;
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
  const recording = { path: uploads.pathOf(job.uploadName), fileName: job.fileName, sha256: job.sha256 };
  const answered = { id: job.id, createdAt: new Date(job.createdAtMs).toISOString() };
  const evidence: Uint8Array[] = [];
  const analysis = await analyzer.analyze(
    { ...toAnalysisRequest(recording, job.fields), ...answered },
    {
      signal: run.signal,
      onProgress: (progress) => run.onProgress({ stage: 'listening', ...progress }),
      onEvidence: (part) => evidence.push(part),
      checkpoint: { path: uploads.checkpointPathOf(job.uploadName), onSaved: run.onCheckpoint },
    },
  );
  if (!(await jobs.finish(job, analysis, evidence))) return null;
  counts.countPrediction(analysis.prediction, queuedMs / 1000);
  logPrediction(log, analysis.prediction, { bytes: job.bytes, queuedMs });
  await finalizeUpload(options, job, analysis);
  return bufferOf(analysis.json);
}

/**
 * Keeps what is wanted of the sound of an answered recording, and removes the upload. The answer is stored by then: what fails here
 * is logged, and a start takes it up again when the process was killed.
 */
export async function finalizeUpload(
  { jobs, uploads, sounds, log }: FinalizeUploadOptions,
  { id, accountId, uploadName, fields }: AnsweredUpload,
  { prediction: { recording }, excerpts }: AnswerHead,
): Promise<void> {
  try {
    if (accountId !== null) {
      const { keepAudio = null, listeningCopy } = fields;
      const uploadPath = uploads.pathOf(uploadName);
      const asked = { keepAudio, listeningCopy: listeningCopy === 'true' };
      await sounds.keepSound({ accountId, predictionId: id, uploadPath, recording, excerpts, ...asked });
    }
  } catch (error) {
    log.error({ err: error, predictionId: id }, 'the sound of a recording could not be kept');
  }
  await uploads.remove(uploadName);
  if (accountId === null || (await jobs.forgetUpload(id))) return;
  // Its account was deleted while its sound was put away, perhaps after the sound of that account had been removed.
  await sounds.forget(accountId, id);
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
