import {
  type PredictionEvent,
  type ProblemBody,
  predictionEventSchema,
  type StoredPrediction,
  storedPredictionSchema,
} from '@chiffchaff/contract';
import axios, { type AxiosInstance } from 'axios';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { toApiError } from '../api/api-error.ts';
import type { AnalysisReport, Outcome } from './request-prediction.ts';
import { wait } from './wait.ts';

/** Parses an event; null if this page does not know it. */
function readEvent(name: string | undefined, data: string): PredictionEvent | null {
  try {
    const body: unknown = JSON.parse(data);
    return predictionEventSchema.parse({ ...(typeof body === 'object' ? body : {}), type: name });
  } catch {
    return null;
  }
}

/**
 * `GET /v1/predictions/:key/events`, by `fetch`: the browser's own EventSource sends no token.
 *
 * @param lastEventId the last event of an earlier stream; the new one continues after it
 * @param wait seconds that the server waits for a recording that it does not know yet
 * @throws AxiosError when no such stream exists, TypeError when it breaks off, and the error of an aborted signal
 */
async function* readEvents(http: AxiosInstance, key: string, signal: AbortSignal, lastEventId: string | null, wait: number) {
  const { data } = await http.get<ReadableStream<Uint8Array<ArrayBuffer>>>(`/v1/predictions/${key}/events`, {
    adapter: 'fetch',
    responseType: 'stream',
    signal,
    ...(wait > 0 && { params: { wait } }),
    headers: { Accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }) },
  });
  const reader = data.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal.throwIfAborted();
      const event = readEvent(part.value.event, part.value.data);
      if (event) yield { event, id: part.value.id };
    }
  } finally {
    reader.cancel().catch(() => {}); // it has already ended
  }
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onAnalysis: (report: AnalysisReport) => void;
  /** Delays in milliseconds between attempts while the server is out of reach or does not know the prediction (yet). */
  readonly retryMs?: readonly number[] | undefined;
  readonly pollMs?: number | undefined;
  /** Seconds that the server waits for a recording that may still be arriving, before it reports the key as unknown. */
  readonly arrivalSeconds?: number;
  /** Gives up after this many responses that the prediction is unknown. */
  readonly mostUnknown?: number;
}

/** Just over half a minute: as long as a train's tunnel or a server's restart takes. */
const PATIENT_RETRY_MS = [500, 1000, 2000, 4000, 8000, 16_000];
/** Streams in a row that fail or end without any event, before the page polls, which does not tell what is heard meanwhile. */
const MOST_SILENT_STREAMS = 3;

const failedWith = (problem: ProblemBody): Outcome => ({
  kind: 'failed',
  error: { kind: 'problem', message: problem.detail, problem, retryAfterSeconds: null },
});

const statusOf = (error: unknown): number | null => (axios.isAxiosError(error) ? (error.response?.status ?? null) : null);

/**
 * Follows a prediction by its key: through its event stream, resumed where it broke off, or by polling if streams fail. Resolves with null
 * when the server does not know it or the signal aborts, and with a failure when the server is out of reach for half a minute.
 */
export async function followPrediction(
  http: AxiosInstance,
  key: string,
  { signal, onAnalysis, retryMs = PATIENT_RETRY_MS, pollMs = 2000, arrivalSeconds = 0, mostUnknown = 5 }: FollowOptions,
): Promise<Outcome | null> {
  let lastEventId: string | null = null;
  /** Streams in a row without an event. */
  let silent = 0;
  let tries = 0;
  let unknown = 0;

  /** @returns null when the stream ended before the prediction was done */
  async function followStream(): Promise<Outcome | null> {
    silent += 1;
    try {
      for await (const { event, id } of readEvents(http, key, signal, lastEventId, arrivalSeconds)) {
        silent = 0;
        tries = 0;
        lastEventId = id ?? lastEventId;
        if (event.type === 'done') return { kind: 'answered', prediction: event.prediction };
        if (event.type === 'failed') return failedWith(event.problem);
        if (event.type === 'progress') onAnalysis(event);
      }
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) throw error;
      if (status !== null) silent = MOST_SILENT_STREAMS; // a response, but no stream
    }
    return null;
  }

  /** @returns null while it is in progress */
  async function ask(): Promise<Outcome | null> {
    const { data } = await http.get<unknown>(`/v1/predictions/${key}`, { signal });
    const stored: StoredPrediction = storedPredictionSchema.parse(data);
    if (stored.state === 'done') return { kind: 'answered', prediction: stored.prediction };
    if (stored.state === 'failed') return failedWith(stored.problem);
    const { stage, fraction, behindOthers } = stored.work;
    onAnalysis({ stage, fraction, behindOthers, detections: [] });
    tries = 0;
    return null;
  }

  while (!signal.aborted) {
    try {
      const outcome = await (silent < MOST_SILENT_STREAMS ? followStream() : ask());
      if (outcome) return outcome;
      await wait(pollMs, signal);
    } catch (error) {
      const isUnknown = statusOf(error) === 404;
      unknown += Number(isUnknown);
      if (unknown >= mostUnknown) return null;
      const pause = retryMs[tries];
      if (pause === undefined && !isUnknown) return { kind: 'failed', error: toApiError(error) };
      tries += 1;
      if (isUnknown) silent = 0; // a stream waits for a recording that is still arriving
      await wait(pause ?? pollMs, signal);
    }
  }
  return null;
}
