import { programVersion } from '@chiffchaff/analysis/program-version';
import type { Prediction } from '@chiffchaff/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export type Metrics = ReturnType<typeof createMetrics>;
/** Metrics of recordings, for the code that processes them. */
export type PredictionCounts = Pick<Metrics, 'countPrediction' | 'countFailure' | 'observeWork'>;

interface WorkInHand {
  readonly waiting: number;
  readonly running: number;
  readonly waitingSeconds?: number;
  /** slots of each owner, the most first */
  readonly slotsHeld?: readonly number[];
}
type WorkCount = () => WorkInHand | Promise<WorkInHand>;

/**
 * Metrics in Prometheus' terms: counts and durations, never anything about a person, a recording or a place. One registry per server, so
 * that several can live in one process.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const { version, commit } = programVersion;
  const labelNames = ['version', 'commit'];
  const info = new Gauge({ name: 'chiffchaff_info', help: 'Version and commit of the server', labelNames, registers });
  info.set({ version, commit: commit ?? 'unknown' }, 1);
  const requests = new Histogram({
    name: 'chiffchaff_http_request_duration_seconds',
    help: 'Time until a response was fully sent, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const predictions = new Counter({
    name: 'chiffchaff_predictions_total',
    help: 'Recordings analysed, by kind of verdict',
    labelNames: ['verdict'],
    registers,
  });
  const failures = new Counter({
    name: 'chiffchaff_prediction_failures_total',
    help: 'Recordings that could not be analysed, by problem code',
    labelNames: ['code'],
    registers,
  });
  const audioSeconds = new Counter({ name: 'chiffchaff_audio_seconds_total', help: 'Seconds of audio analysed', registers });
  const durations = new Histogram({
    name: 'chiffchaff_prediction_duration_seconds',
    help: 'Time spent on one recording, by step',
    labelNames: ['part'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  let countWork: WorkCount = () => ({ waiting: 0, running: 0 });
  const longestWait = new Gauge({
    name: 'chiffchaff_prediction_longest_wait_seconds',
    help: 'How long the oldest waiting recording has waited for a worker, with several machines',
    registers,
  });
  const slots = new Gauge({
    name: 'chiffchaff_slots_held',
    help: 'Recordings analysed at once for one account or network: 1 is the one with the most',
    labelNames: ['rank'],
    registers,
  });
  const work = new Gauge({
    name: 'chiffchaff_predictions_in_work',
    help: 'Recordings waiting and being analysed',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, running, waitingSeconds = 0, slotsHeld = [] } = await countWork();
      work.set({ state: 'waiting' }, waiting);
      work.set({ state: 'running' }, running);
      longestWait.set(waitingSeconds);
      slots.reset();
      for (const [index, held] of slotsHeld.entries()) slots.set({ rank: index + 1 }, held);
    },
  });

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
    /** All metrics in the text format of Prometheus. */
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    close: () => registry.clear(),
  };
}
