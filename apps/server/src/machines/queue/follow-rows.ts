import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import {
  CANCELLED,
  type JobOutcome,
  type JobProgress,
  type JobWatcher,
  tellWatchers,
  waitingProgress,
} from '../../prediction/queue/job.ts';
import { storedOutcome } from '../../prediction/queue/job-queue.ts';
import { readProblem } from '../../prediction/queue/job-store.ts';
import type { StoredAnswers } from '../../prediction/stored/stored-answers.ts';
import { CHANGED_CHANNEL, readWork, type WorkRow } from './work-rows.ts';

/** A prediction that this machine follows. */
interface Followed {
  readonly watchers: Set<JobWatcher>;
  readonly ended: AbortController;
  /** the state that watchers were last notified of, as text */
  told: string;
  progress: JobProgress | null;
}

/** Rows are also polled, because a notification may be lost or impossible to send. */
const LOOK_EVERY_MS = 3_000;
/** The delay while the database is unavailable. */
const LOOK_AGAIN_MS = 500;

/** Follows predictions through their rows, whichever machine works on them. */
export function createRowFollower(database: PostgresDatabase, answers: Pick<StoredAnswers, 'jsonOf'>, log: FastifyBaseLogger) {
  const followed = new Map<string, Followed>();
  /** Ids to read next. Those added during a read are read together. */
  const due = new Set<string>();
  let looking = false;
  let closed = false;
  let stopListening = async (): Promise<void> => {};
  const rounds = setInterval(() => lookAt(followed.keys()), LOOK_EVERY_MS).unref();

  const read = (ids: readonly string[]) => readWork(database.query, ids);

  function lookAt(ids: Iterable<string>): void {
    for (const id of ids) due.add(id);
    if (!looking) void lookAtAll();
  }

  async function lookAtAll(): Promise<void> {
    looking = true;
    while (due.size > 0 && !closed) {
      const ids = [...due];
      due.clear();
      try {
        const rows = new Map((await read(ids)).map((row) => [row.id, row]));
        for (const id of ids) tell(id, rows.get(id));
      } catch (error) {
        log.warn({ err: error }, 'predictions could not be checked; they will be checked again');
        for (const id of ids) if (followed.has(id)) due.add(id);
        await sleep(LOOK_AGAIN_MS);
      }
    }
    looking = false;
  }

  function tell(id: string, row: WorkRow | undefined): void {
    const entry = followed.get(id);
    if (entry === undefined) return;
    const outcome = row === undefined ? Promise.resolve(CANCELLED) : outcomeIn(row, entry.ended.signal);
    if (outcome !== null) end(id, entry, outcome);
    if (row === undefined || outcome !== null) return;
    const text = `${row.progress} ${row.behindOthers}`;
    if (text === entry.told) return;
    entry.told = text;
    entry.progress = progressOf(row);
    const { progress } = entry;
    tellWatchers(entry.watchers, log, ({ onProgress }) => onProgress?.(progress));
  }

  /** null while there is no outcome */
  function outcomeIn({ id, answerBytes, problem, accountId }: WorkRow, signal: AbortSignal): Promise<JobOutcome> | null {
    if (problem !== null) return Promise.resolve({ state: 'failed', problem: readProblem(problem) });
    return answerBytes === null ? null : storedOutcome(answers, { id, accountId, answerBytes }, signal);
  }

  function end(id: string, entry: Followed, outcome: Promise<JobOutcome>): void {
    followed.delete(id);
    outcome.then(
      (known) => tellWatchers(entry.watchers, log, ({ onOutcome }) => onOutcome(known)),
      (error: unknown) => {
        if (!entry.ended.signal.aborted) log.error({ err: error, predictionId: id }, 'an answer could not be read');
      },
    );
  }

  return {
    async start(): Promise<void> {
      const look = (id: string): void => {
        if (followed.has(id)) lookAt([id]);
      };
      stopListening = await database.listen(CHANGED_CHANNEL, look, () => lookAt(followed.keys()));
    },

    /** Reports the current state, then each change, until there is an outcome or the signal aborts. */
    follow(id: string, watcher: JobWatcher, signal: AbortSignal): void {
      if (signal.aborted) return;
      let entry = followed.get(id);
      if (entry === undefined) {
        entry = { watchers: new Set(), ended: new AbortController(), told: '', progress: null };
        followed.set(id, entry);
        lookAt([id]);
      }
      const { watchers, ended } = entry;
      watchers.add(watcher);
      if (entry.progress !== null) watcher.onProgress?.(entry.progress);
      const leave = (): void => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        ended.abort();
        if (followed.get(id)?.watchers === watchers) followed.delete(id);
      };
      signal.addEventListener('abort', leave, { once: true });
    },

    async progressOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobProgress>> {
      return new Map((await read(ids)).map((row) => [row.id, progressOf(row)]));
    },

    async close(): Promise<void> {
      closed = true;
      clearInterval(rounds);
      followed.clear();
      await stopListening();
    },
  };
}

/** Parses progress that a worker wrote. */
const progressOf = ({ progress, behindOthers }: WorkRow): JobProgress =>
  progress === null ? waitingProgress(behindOthers) : (JSON.parse(progress) as JobProgress);
