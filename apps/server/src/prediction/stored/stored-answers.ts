import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Analysis,
  type AnalysisService,
  type AnswerHead,
  isLargeAnswer,
  isLargeEvidence,
  type Reconsideration,
  type StoredAnswer,
  type TableName,
} from '@chiffchaff/analysis';
import type { TableOptions } from '@chiffchaff/contract';
import { bufferOf } from '../../buffer-of.ts';
import { existing } from '../../http/http-problem.ts';
import { createFairLimiter, type Requester } from '../../http/limits/fair-limiter.ts';
import type { PredictionStore, StoredRow } from './prediction-store.ts';
import type { ReviewStore } from './review-store.ts';

export interface TableReader {
  /** Waits for its turn instead of being refused. */
  readonly patient?: boolean;
  /** Aborts once no request waits for the table. */
  readonly signal?: AbortSignal;
}

/** Where tables are written. */
export interface TableFolder {
  readonly path: string;
  /** How much must stay free on its disk. */
  readonly minFreeBytes: number;
}

export interface StoredAnswersOptions {
  readonly store: PredictionStore;
  readonly reviews: Pick<ReviewStore, 'of'>;
  readonly service: AnalysisService;
  readonly tables: TableFolder;
}

export type StoredAnswers = ReturnType<typeof createStoredAnswers>;

/**
 * How many large tables are written concurrently, and how many others. Each holds its answer or evidence in memory, and some take minutes.
 */
const TABLES_AT_ONCE = 3;

/** Creates an empty folder for tables, without those that a killed process left. @returns its path */
export async function openTableFolder(dataDir: string): Promise<string> {
  const path = join(dataDir, 'exports');
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** Opens stored predictions in the analysis service, one large answer at a time per account. */
export function createStoredAnswers({ store, reviews, service, tables }: StoredAnswersOptions) {
  const work = createFairLimiter();
  const largeTables = createFairLimiter({ atOnce: TABLES_AT_ONCE });
  // Small tables are limited, too, because one account could request thousands at once. They need not wait for large ones.
  const smallTables = createFairLimiter({ atOnce: TABLES_AT_ONCE });

  const isLarge = ({ answerBytes }: StoredRow): boolean => isLargeAnswer(answerBytes);
  const ownerOf = ({ id, accountId }: StoredRow): string => accountId ?? id;

  async function load({ id }: StoredRow): Promise<Uint8Array> {
    return existing(await store.answerOf(id));
  }

  async function loadReviewed(row: StoredRow): Promise<StoredAnswer> {
    const [answer, said] = await Promise.all([load(row), reviews.of(row.id)]);
    return { answer, reviews: said };
  }

  /** Opens a small answer immediately, because that takes milliseconds. */
  const whenPermitted = <Value>(
    row: StoredRow,
    isLarge: boolean,
    patient: boolean,
    open: () => Promise<Value>,
  ): Promise<Value> => (isLarge ? work.run({ owner: ownerOf(row), patient }, open) : open());

  async function loadTable(row: StoredRow, signal?: AbortSignal) {
    signal?.throwIfAborted();
    const stored = await loadReviewed(row);
    const { prediction } = await service.answerHead(stored);
    signal?.throwIfAborted();
    return { ...stored, parts: prediction.detectionsLeftOut === undefined ? null : await store.evidenceOf(row.id) };
  }

  return {
    isLarge,

    /**
     * The prediction as JSON.
     *
     * @param patient waits for its turn instead of being refused
     * @throws HttpProblem NOT_FOUND when it has been removed, SERVER_BUSY
     */
    jsonOf: (row: StoredRow, patient = false): Promise<Buffer> =>
      whenPermitted(row, isLarge(row), patient, async () => bufferOf(await service.answerJson(await loadReviewed(row)))),

    /** The prediction as a JSON file. @param options of the detections; null for everything, unchanged */
    fileOf: (row: StoredRow, options: TableOptions | null, patient = false): Promise<Buffer> =>
      whenPermitted(row, isLarge(row), patient, async () => bufferOf(await service.answerFile(await loadReviewed(row), options))),

    /**
     * The prediction without detections and reviews, and what lists show of it.
     *
     * @param visitor whose turn it uses; absent for its owner, who waits for it
     * @throws HttpProblem NOT_FOUND, and for visitors SERVER_BUSY
     */
    async headOf(row: StoredRow, visitor?: Requester): Promise<AnswerHead> {
      const open = async () => service.answerHead({ answer: await load(row) });
      return visitor ? work.run(visitor, open) : whenPermitted(row, isLarge(row), true, open);
    },

    /** The prediction under other conditions, without reviews. @throws PredictionError MODEL_REPLACED */
    async reconsider(row: StoredRow, asked: Reconsideration): Promise<Analysis> {
      const isLargeWork = isLarge(row) || isLargeEvidence(await store.evidenceBytesOf(row.id));
      return whenPermitted(row, isLargeWork, false, async () => {
        const stored = { answer: await load(row), parts: await store.evidenceOf(row.id) };
        return service.reconsider(stored, asked);
      });
    },

    /**
     * A table of all detections, including those that the answer leaves out. If the model has been replaced, only of those in the answer.
     * It is read from an unlinked file, which is gone when the stream is closed or this process ends, in whatever way.
     *
     * @throws HttpProblem NOT_FOUND, SERVER_BUSY; Error with the code ENOSPC when there is no room for the file; the signal's reason
     */
    async tableOf(
      row: StoredRow,
      name: TableName,
      options: TableOptions,
      { patient = false, signal }: TableReader = {},
    ): Promise<Readable> {
      const file = { path: join(tables.path, randomUUID()), minFreeBytes: tables.minFreeBytes };
      const write = async () => service.writeTable({ ...(await loadTable(row, signal)), name, options, file });
      try {
        const owner = ownerOf(row);
        await (isLarge(row) ? largeTables.run({ owner, patient }, write) : smallTables.run({ owner, patient: true }, write));
        return (await open(file.path)).createReadStream();
      } finally {
        await rm(file.path, { force: true });
      }
    },

    beginClosing(): void {
      for (const limiter of [work, largeTables, smallTables]) limiter.beginClosing();
    },
    close(): void {
      for (const limiter of [work, largeTables, smallTables]) limiter.close();
    },
  };
}
