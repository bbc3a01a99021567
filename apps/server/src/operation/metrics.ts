import type { Prediction } from '@chiffchaff/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Work that is waiting and being done, asked for when the metrics are. */
export interface WorkCounts {
  readonly waiting: number;
  readonly running: number;
}

/** What becomes of recordings, as those who work on them tell it. */
export interface PredictionCounts {
  /** @param queuedSeconds between the recording's arrival and its turn */
  countPrediction(prediction: Prediction, queuedSeconds: number): void;
  /** @param code of the problem catalogue */
  countFailure(code: string): void;
  /** Names what to ask for the gauges of the work in hand. */
  observeWork(count: () => WorkCounts): void;
}

/**
 * What an operator can watch, in Prometheus' own terms: counts and durations, never anything about a person, a recording or a
 * place. One registry a server, so that several can live in one process.
 */
export interface Metrics extends PredictionCounts {
  /** @param route the pattern of the route, never its address */
  countRequest(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** Everything in the text format of Prometheus. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
  close(): void;
}

const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'chiffchaff_info', help: 'Version of the server', labelNames: ['version'], registers }).set({ version }, 1);
  const requests = new Histogram({
    name: 'chiffchaff_http_request_duration_seconds',
    help: 'Time until an answer was sent whole, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const predictions = new Counter({
    name: 'chiffchaff_predictions_total',
    help: 'Recordings answered, by kind of verdict',
    labelNames: ['verdict'],
    registers,
  });
  const failures = new Counter({
    name: 'chiffchaff_prediction_failures_total',
    help: 'Recordings that could not be answered, by problem code',
    labelNames: ['code'],
    registers,
  });
  const audioSeconds = new Counter({ name: 'chiffchaff_audio_seconds_total', help: 'Seconds of sound listened to', registers });
  const durations = new Histogram({
    name: 'chiffchaff_prediction_duration_seconds',
    help: 'Time spent on one recording, by part of the work',
    labelNames: ['part'],
    buckets: durationBuckets,
    registers,
  });
  let countWork: () => WorkCounts = () => ({ waiting: 0, running: 0 });
  const work = new Gauge({
    name: 'chiffchaff_predictions_in_work',
    help: 'Recordings that wait for their turn and that are being listened to',
    labelNames: ['state'],
    registers,
    collect() {
      const { waiting, running } = countWork();
      work.set({ state: 'waiting' }, waiting);
      work.set({ state: 'running' }, running);
    },
  });

  return {
    countRequest({ method, route, status, seconds }) {
      requests.observe({ method, route, status }, seconds);
    },
    countPrediction({ verdict, recording, timings }, queuedSeconds) {
      predictions.inc({ verdict: verdict.kind });
      audioSeconds.inc(recording.durationSeconds);
      durations.observe({ part: 'queued' }, queuedSeconds);
      durations.observe({ part: 'decoding' }, timings.decodeMs / 1000);
      durations.observe({ part: 'inference' }, timings.inferenceMs / 1000);
      durations.observe({ part: 'total' }, timings.totalMs / 1000);
    },
    countFailure(code) {
      failures.inc({ code });
    },
    observeWork(count) {
      countWork = count;
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    close: () => registry.clear(),
  };
}
