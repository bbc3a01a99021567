import { type PredictionEvent, predictionEventSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { createParser } from 'eventsource-parser';

export interface EventsOptions {
  readonly signal: AbortSignal;
  /** The last event that an earlier stream brought: what follows it is asked for. */
  readonly lastEventId: string | null;
  readonly onEvent: (event: PredictionEvent, id: string | null) => void;
}

/** An event's name and data as one of ours; null for what this page does not know. */
function readEvent(name: string | undefined, data: string): PredictionEvent | null {
  try {
    const body: unknown = JSON.parse(data);
    return predictionEventSchema.parse({ ...(typeof body === 'object' ? body : {}), type: name });
  } catch {
    return null;
  }
}

/**
 * `GET /v1/predictions/:key/events`: calls back with each event until the stream ends. Read by `fetch`, because the browser's own
 * EventSource cannot say who is asking.
 *
 * @throws AxiosError when there is no such stream, TypeError when it breaks off, and what an aborted signal gives
 */
export async function readPredictionEvents(
  http: AxiosInstance,
  key: string,
  { signal, lastEventId, onEvent }: EventsOptions,
): Promise<void> {
  const { data } = await http.get<ReadableStream<Uint8Array<ArrayBuffer>>>(`/v1/predictions/${key}/events`, {
    adapter: 'fetch',
    responseType: 'stream',
    signal,
    headers: { Accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }) },
  });
  const parser = createParser({
    onEvent({ event, data: text, id }) {
      const known = readEvent(event, text);
      if (known) onEvent(known, id ?? null);
    },
  });
  const reader = data.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal.throwIfAborted();
      parser.feed(part.value);
    }
  } finally {
    reader.cancel().catch(() => {}); // it has ended already
  }
}
