import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsQuerySchema, type PredictionEvent, predictionEventSchema } from '@chiffchaff/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../http/access.ts';
import { clientDisconnected } from '../http/client-connection.ts';
import { HttpProblem, problemBody } from '../http/http-problem.ts';
import { joinText } from '../http/send-json-text.ts';
import { INTERRUPTED } from './incoming/incoming-uploads.ts';
import type { PredictionOrUpload } from './predictions.ts';
import { type JobOutcome, type JobProblem, type JobProgress, waitingProgress } from './queue/job.ts';
import type { OwnersRoutesOptions } from './requester.ts';
import { predictionParamsSchema } from './stored/stored-routes.ts';

/** How often to look for a recording that is not known yet. */
const LOOKS_A_SECOND = 4;

interface EventText {
  readonly type: PredictionEvent['type'];
  /** JSON on one line */
  readonly data: string | Buffer;
}

/** Serialized progress: it is long after hours of song, and the same for all watchers. */
const progressTexts = new WeakMap<JobProgress, string>();

function progressText(progress: JobProgress): string {
  const known = progressTexts.get(progress);
  if (known !== undefined) return known;
  const text = dataOf({ type: 'progress', ...progress, detections: [...progress.detections] });
  progressTexts.set(progress, text);
  return text;
}

const failedText = (id: string, { code, details }: JobProblem): EventText => ({
  type: 'failed',
  data: dataOf({ type: 'failed', problem: problemBody(code, details, id) }),
});

function dataOf(event: PredictionEvent): string {
  const { type, ...data } = predictionEventSchema.parse(event);
  return JSON.stringify(data);
}

/**
 * `GET /v1/predictions/:id/events`: server-sent events of a prediction's progress and outcome. Each contains the full state, so a client
 * that reconnects misses nothing: the latest state comes first, and ids continue from `Last-Event-ID`.
 */
export const eventRoute: FastifyPluginAsyncZod<OwnersRoutesOptions & { readonly heartbeatMs: number }> = async (app, options) => {
  const { predictions, requesters, heartbeatMs } = options;
  const { queue } = predictions;

  /** Finds a recording that exists or arrives within `seconds`, on whichever machine. */
  async function findSoon(
    accountId: string,
    idOrKey: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<PredictionOrUpload | null> {
    for (let left = seconds * LOOKS_A_SECOND; ; left -= 1) {
      const found = await predictions.find(accountId, idOrKey);
      if (found || left === 0 || signal.aborted) return found;
      await sleep(1000 / LOOKS_A_SECOND, undefined, { signal }).catch(() => {}); // looks once more, then ends
    }
  }

  app.get(
    '/v1/predictions/:id/events',
    routeFor(
      'signedIn',
      {
        summary: 'Follow the progress and outcome of a prediction',
        description:
          'Server-sent events `progress`, `done` and `failed`; the stream ends with one of the last two. A comment every 15 seconds keeps the connection open. `wait` is the number of seconds in which a recording that is not known yet may come. An API token without the scope `read` follows only what was sent with it.',
        params: predictionParamsSchema,
        querystring: eventsQuerySchema,
        produces: ['text/event-stream'],
      },
      { tokenScopes: ['read', 'predict'] },
    ),
    async (request, reply) => {
      const accountId = requesters.require(request);
      const isOver = AbortSignal.any([clientDisconnected(reply), predictions.closing]);
      const found = await findSoon(accountId, request.params.id, request.query.wait, isOver);
      if (!found || !requesters.mayRead(request, found)) throw new HttpProblem('NOT_FOUND', {});
      const events = new PassThrough();
      const gone = new AbortController();
      const stop = AbortSignal.any([gone.signal, isOver]);
      let eventId = Number(/^\d{1,9}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0] ?? 0);
      let waiting: EventText | null = null;
      let toldLast = '';

      const write = ({ type, data }: EventText): void => {
        eventId += 1;
        events.write(joinText(`id: ${eventId}\nevent: ${type}\ndata: `, data, '\n\n'));
      };
      // A reader that is slower than the work gets fewer events, not later ones.
      const tell = (event: EventText): void => {
        if (events.writableNeedDrain && event.type === 'progress') waiting = event;
        else write(event);
      };
      events.on('drain', () => {
        const latest = waiting;
        waiting = null;
        if (latest && !events.writableEnded) write(latest);
      });
      const end = (): void => {
        clearInterval(heartbeat);
        gone.abort();
        if (!events.writableEnded) events.end();
      };
      const onProgress = (progress: JobProgress): void => {
        const data = progressText(progress);
        if (data !== toldLast) tell({ type: 'progress', data });
        toldLast = data;
      };
      const onOutcome = (id: string, outcome: JobOutcome): void => {
        if (outcome.state === 'done') tell({ type: 'done', data: joinText('{"prediction":', outcome.text, '}') });
        else tell(failedText(id, outcome.problem));
        end();
      };
      const follow = (id: string): void => queue.follow(id, { onProgress, onOutcome: (outcome) => onOutcome(id, outcome) }, stop);

      const heartbeat = setInterval(() => events.write(': still here\n\n'), heartbeatMs);
      events.once('close', end);
      stop.addEventListener('abort', end, { once: true });

      if (stop.aborted) end();

      const { id } = found;
      if (!('cancel' in found)) follow(id);
      else {
        onProgress(waitingProgress(false));
        found
          .become()
          .then(async (become) => {
            // Another machine may not have told how it ended.
            const row = 'id' in become ? await predictions.store.find(accountId, become.id) : null;
            if (stop.aborted) return;
            if (row) follow(row.id);
            else onOutcome(id, { state: 'failed', problem: 'problem' in become ? become.problem : INTERRUPTED });
          })
          .catch(end);
      }
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'private, no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(events);
    },
  );
};
