import { programVersion } from '@chiffchaff/analysis/program-version';
import type { Prediction } from '@chiffchaff/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Finding, TroubleCode } from './troubles.ts';

const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export type Metrics = ReturnType<typeof createMetrics>;
/** Metrics of recordings, for the code that processes them. */
export type PredictionCounts = Pick<Metrics, 'countPrediction' | 'countFailure' | 'observeWork'>;

interface WorkInHand {
  readonly waiting: number;
  readonly running: number;
  /** slots of each owner, the most first */
  readonly slotsHeld?: readonly number[];
}
type WorkCount = () => WorkInHand | Promise<WorkInHand>;

/** What the server says of itself. */
export interface Condition {
  readonly findings: readonly Finding[];
  readonly acceptsRecordings: boolean;
  /** null while none is loaded */
  readonly model: { readonly id: string; readonly version: string; readonly sha256: string } | null;
}

/**
 * Metrics in Prometheus' terms: counts and durations, never anything about a person, a recording or a place. One registry per server, so
 * that several can live in one process.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, ...labelNames: string[]) => new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string, ...labelNames: string[]) => new Counter({ name, help, labelNames, registers });
  const durationsOf = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: DURATION_BUCKETS, registers });
  const { version, commit } = programVersion;
  const info = gauge('chiffchaff_info', 'Version and commit of the server', 'version', 'commit');
  info.set({ version, commit: commit ?? 'unknown' }, 1);
  const requestSeconds = 'chiffchaff_http_request_duration_seconds';
  const requests = durationsOf(requestSeconds, 'Time until a response was fully sent, by route', 'method', 'route', 'status');
  const predictions = counter('chiffchaff_predictions_total', 'Recordings analysed, by kind of verdict', 'verdict');
  const failures = counter(
    'chiffchaff_prediction_failures_total',
    'Recordings that could not be analysed, by problem code',
    'code',
  );
  const audioSeconds = counter('chiffchaff_audio_seconds_total', 'Seconds of audio analysed');
  const durations = durationsOf('chiffchaff_prediction_duration_seconds', 'Time spent on one recording, by step', 'part');
  let countWork: WorkCount = () => ({ waiting: 0, running: 0 });
  const slots = gauge(
    'chiffchaff_slots_held',
    'Recordings analysed at once for one account or network: 1 is the one with the most',
    'rank',
  );
  const work = new Gauge({
    name: 'chiffchaff_predictions_in_work',
    help: 'Recordings waiting and being analysed',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, running, slotsHeld = [] } = await countWork();
      work.set({ state: 'waiting' }, waiting);
      work.set({ state: 'running' }, running);
      slots.reset();
      for (const [index, held] of slotsHeld.entries()) slots.set({ rank: index + 1 }, held);
    },
  });
  const mails = counter(
    'chiffchaff_mails_total',
    'Emails that the mail server accepted, or that failed, each attempt by itself',
    'outcome',
  );
  for (const outcome of ['sent', 'failed']) mails.inc({ outcome }, 0);
  const lastMail = gauge(
    'chiffchaff_last_mail_timestamp_seconds',
    'When the mail server last accepted an email; 0 if not since the start',
  );
  const accepts = gauge(
    'chiffchaff_accepts_recordings',
    '1 if recordings are accepted, 0 if they are refused (GET /readyz says why)',
  );
  const trouble = gauge(
    'chiffchaff_trouble',
    '1 for what "./chiffchaff admin doctor" and an email tell the operator of, 0 if all is well',
    'code',
  );
  const model = gauge('chiffchaff_model_info', 'The model that is loaded', 'id', 'version', 'sha256');
  const measured: Partial<Record<TroubleCode, Gauge>> = {
    disk: gauge('chiffchaff_free_bytes', 'Free space on the disk of DATA_DIR, looked at once a minute'),
    clock: gauge('chiffchaff_clock_ahead_seconds', 'By how much the clock is ahead of the times in the database'),
    backup: gauge('chiffchaff_last_backup_timestamp_seconds', 'When the last backup was made; 0 if never'),
    waiting: gauge(
      'chiffchaff_prediction_longest_wait_seconds',
      'How long the recording that was sent first has been without its answer',
    ),
  };
  let conditionOf: () => Condition | null = () => null;

  function setCondition({ findings, acceptsRecordings, model: loaded }: Condition): void {
    accepts.set(Number(acceptsRecordings));
    for (const { code, isBad, measured: value } of findings) {
      trouble.set({ code }, Number(isBad));
      measured[code]?.set(value ?? 0);
    }
    model.reset();
    if (loaded !== null) model.set({ id: loaded.id, version: loaded.version, sha256: loaded.sha256 }, 1);
  }

  return {
    /** @param route the pattern of the route, never the URL */
    countRequest(method: string, route: string, status: number, seconds: number): void {
      requests.observe({ method, route, status }, seconds);
    },
    /** @param queuedSeconds from the arrival of the recording to the start of its analysis */
    countPrediction({ verdict, recording, timings }: Prediction, queuedSeconds: number): void {
      predictions.inc({ verdict: verdict.kind });
      audioSeconds.inc(recording.durationSeconds);
      durations.observe({ part: 'queued' }, queuedSeconds);
      durations.observe({ part: 'decoding' }, timings.decodeMs / 1000);
      durations.observe({ part: 'inference' }, timings.inferenceMs / 1000);
      durations.observe({ part: 'total' }, timings.totalMs / 1000);
    },
    /** @param code of the problem catalogue */
    countFailure(code: string): void {
      failures.inc({ code });
    },
    /** Sets the source of the gauges for queued and running work. */
    observeWork(count: WorkCount): void {
      countWork = count;
    },
    /** Sets the source of what the server says of itself. */
    observeCondition(read: () => Condition): void {
      conditionOf = read;
    },
    countMail(outcome: 'sent' | 'failed'): void {
      mails.inc({ outcome });
      if (outcome === 'sent') lastMail.setToCurrentTime();
    },
    /** All metrics in the text format of Prometheus. */
    async read() {
      const condition = conditionOf();
      if (condition !== null) setCondition(condition);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    close: () => registry.clear(),
  };
}
