import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { bufferOf } from '../../buffer-of.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import type { PredictionCounts } from '../../operation/metrics.ts';
import { toAnalysisRequest } from '../analysis-request.ts';
import type { AnalyzerSource } from '../analyzer-source.ts';
import { isLarge, MAX_ATTEMPTS } from './database-prediction-jobs.ts';
import type { ClaimedJob, JobProblem } from './job.ts';
import { createLanes } from './lanes.ts';
import { logPrediction } from './log-prediction.ts';
import { type SettleUploadOptions, settleUpload } from './settle-upload.ts';
import type { WorkInHand } from './work-in-hand.ts';

export interface JobRunnerOptions extends SettleUploadOptions {
  readonly work: WorkInHand;
  readonly analyzers: AnalyzerSource;
  readonly counts: PredictionCounts;
  /** recordings that are listened to at once, besides long ones */
  readonly running: number;
  /** Told when a job is taken on here, … */
  readonly onBegin: (id: string, accountId: string | null) => void;
  /** … and when it has been answered, given up or handed back, with how long it took. */
  readonly onEnd: (id: string, seconds: number) => void;
}

/** Takes on jobs and does them, as many at once as it may. */
export interface JobRunner {
  /** There may be something to do. */
  wake(): void;
  /** Stops work on a job that has been removed. */
  abort(id: string): void;
  isRunning(id: string): boolean;
  /** Whether a recording of so many bytes has to wait because others are listened to. */
  isFull(bytes: number): boolean;
  readonly runningCount: number;
  /** Takes on nothing more, stops what is running and hands it back. */
  close(): Promise<void>;
}

const RENEW_EVERY_MS = 10_000;
/** Jobs that other processes left are found so late at most. */
const LOOK_EVERY_MS = 2_000;

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { jobs, work, analyzers, counts, uploads, log, running, onBegin, onEnd } = options;
  const active = new Map<string, { readonly controller: AbortController; readonly ended: Promise<void> }>();
  const lanes = createLanes(running, () => wake());
  let closed = false;
  let looking: Promise<void> | null = null;
  let lookAgain = false;

  async function look(): Promise<void> {
    // Without a model nothing can be answered; jobs wait for it rather than fail.
    if (!(await analyzers.get().catch(() => null))) return;
    while (lookAgain && !closed) {
      lookAgain = false;
      while (!closed && lanes.free.any) {
        const job = await jobs.claim({ large: lanes.free.large });
        if (!job) break;
        begin(job);
      }
    }
  }

  function wake(): void {
    lookAgain = true;
    if (closed) return;
    looking ??= look()
      .catch((error: unknown) => log.error({ err: error }, 'jobs could not be looked for'))
      .finally(() => {
        looking = null;
      });
  }

  function begin(job: ClaimedJob & { readonly exhausted: boolean }): void {
    const controller = new AbortController();
    const leave = lanes.enter(isLarge(job.bytes));
    const start = performance.now();
    onBegin(job.id, job.accountId);
    work.report(job.id, { stage: 'listening', fraction: null, detections: [] });
    const attempt = job.exhausted
      ? fail(job, { code: 'ANALYSIS_ABANDONED', details: { attempts: MAX_ATTEMPTS } })
      : listen(job, controller.signal);
    const ended = attempt
      .catch((error: unknown) => {
        log.error({ err: error, predictionId: job.id }, 'a job could not be brought to its end');
        work.settle(job.id, { state: 'failed', problem: problemOf(error, job) });
      })
      .finally(() => {
        active.delete(job.id);
        onEnd(job.id, (performance.now() - start) / 1000);
        leave();
      });
    active.set(job.id, { controller, ended });
  }

  async function listen(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const queuedMs = Math.max(0, Date.now() - job.createdAtMs);
    try {
      const analyzer = await analyzers.get();
      const recording = { path: uploads.pathOf(job.uploadName), fileName: job.fileName, sha256: job.sha256 };
      const request = toAnalysisRequest(recording, job.fields);
      const prediction = { id: job.id, createdAt: new Date(job.createdAtMs).toISOString() };
      const analysis = await analyzer.analyze(
        { ...request, ...prediction },
        {
          signal,
          onProgress: (progress) => work.report(job.id, { stage: 'listening', ...progress }),
          checkpoint: {
            path: uploads.notesPathOf(job.uploadName),
            onSaved: () => {
              jobs.noteProgress(job.id).catch((error: unknown) => log.error({ err: error }, 'progress could not be noted'));
            },
          },
        },
      );
      if (!(await jobs.finish(job, analysis))) return await drop(job);
      counts.countPrediction(analysis.prediction, queuedMs / 1000);
      logPrediction(log, analysis.prediction, { bytes: job.bytes, queuedMs });
      await settleUpload(options, job, analysis);
      work.settle(job.id, { state: 'done', text: bufferOf(analysis.json) });
    } catch (error) {
      if (!signal.aborted && error instanceof AnalysisInterrupted) {
        log.warn({ err: error, predictionId: job.id }, 'an analysis was interrupted; it is taken up again');
        await jobs.handBack(job.id, { counts: !error.fromOutside });
        work.report(job.id, { stage: 'queued', fraction: null, detections: [] });
        return wake();
      }
      if (!signal.aborted) {
        const problem = problemOf(error, job);
        // What is the recording's own trouble is no news for an operator.
        if (!(error instanceof PredictionError) || problem.code === 'DECODER_FAILED')
          log.error({ err: error, predictionId: job.id }, 'unexpected error');
        return await fail(job, problem);
      }
      if (closed && job.idempotencyKey !== null) return await jobs.handBack(job.id);
      if (closed) await jobs.discard(job.id);
      await drop(job);
    }
  }

  async function fail(job: ClaimedJob, problem: JobProblem): Promise<void> {
    if (!(await jobs.fail(job, problem))) return drop(job);
    counts.countFailure(problem.code);
    await uploads.remove(job.uploadName);
    work.settle(job.id, { state: 'failed', problem });
  }

  /** The job was removed meanwhile, or its lease ran out and somebody else has taken it on: then it is theirs to bring to an end. */
  async function drop(job: ClaimedJob): Promise<void> {
    if ((await jobs.outcomeOf(job.id)) !== null) return;
    await uploads.remove(job.uploadName);
    work.settle(job.id, { state: 'failed', problem: { code: 'PREDICTION_CANCELLED', details: {} } });
  }

  async function renew(): Promise<void> {
    const before = [...active];
    const held = await jobs.renewLeases();
    for (const [id, { controller }] of before) if (!held.has(id)) controller.abort(cancelled());
  }

  const looks = setInterval(wake, LOOK_EVERY_MS);
  const renewals = setInterval(() => {
    renew().catch((error: unknown) => log.error({ err: error }, 'leases could not be renewed'));
  }, RENEW_EVERY_MS);
  looks.unref();
  renewals.unref();

  return {
    wake,
    abort: (id) => active.get(id)?.controller.abort(cancelled()),
    isRunning: (id) => active.has(id),
    isFull: (bytes) => !(isLarge(bytes) ? lanes.free.large : lanes.free.any),
    get runningCount() {
      return active.size;
    },
    async close() {
      closed = true;
      clearInterval(looks);
      clearInterval(renewals);
      await looking;
      const last = [...active.values()];
      for (const { controller } of last) controller.abort(new DOMException('The server stops', 'AbortError'));
      await Promise.all(last.map(({ ended }) => ended));
    },
  };
}

const cancelled = (): DOMException => new DOMException('The prediction was cancelled', 'AbortError');

function problemOf(error: unknown, { id }: ClaimedJob): JobProblem {
  const known = storageProblemOf(error) ?? error;
  if (known instanceof PredictionError || known instanceof HttpProblem) return { code: known.code, details: known.details };
  return { code: 'INTERNAL', details: { reference: id } };
}
