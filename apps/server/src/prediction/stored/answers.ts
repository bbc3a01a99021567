import {
  type AnalysisService,
  type AnswerHead,
  isLargeAnswer,
  isLargeEvidence,
  type Reconsideration,
  type TableName,
} from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type TableOptions } from '@chiffchaff/contract';
import { bufferOf } from '../../buffer-of.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { createLargeWork } from './large-work.ts';
import { openTables } from './open-tables.ts';
import type { PredictionStore } from './prediction-store.ts';

/** An answer that is stored. */
export interface StoredRow {
  readonly id: string;
  readonly accountId: string | null;
  /** as it is stored: deflated */
  readonly answerBytes: number;
}

/** Has stored predictions opened by the analysis service: of each account one large one after the other. */
export interface Answers {
  /**
   * The prediction as JSON.
   *
   * @param patient waits for its turn rather than being refused
   * @throws HttpProblem NOT_FOUND when it has been removed meanwhile, SERVER_BUSY
   */
  jsonOf(row: StoredRow, patient?: boolean): Promise<Buffer>;
  /** The same as a file of JSON. @param options of the detections; null: all that it holds, as it is */
  fileOf(row: StoredRow, options: TableOptions | null, patient?: boolean): Promise<Buffer>;
  /** The prediction without its detections, and what is told of it in lists. Waits for its turn. */
  headOf(row: StoredRow): Promise<AnswerHead>;
  /** JSON of the prediction under other conditions. @throws PredictionError MODEL_REPLACED */
  reconsider(row: StoredRow, request: Reconsideration): Promise<Buffer>;
  /**
   * A table of all detections, made while it is read, those that the answer leaves out included; where the model has been replaced, of those
   * that it holds.
   *
   * @param patient waits for its turn rather than being refused
   */
  tableOf(row: StoredRow, name: TableName, options: TableOptions, patient?: boolean): Promise<AsyncIterable<Uint8Array>>;
  beginClosing(): void;
  close(): void;
}

export interface AnswersOptions {
  readonly store: PredictionStore;
  readonly service: AnalysisService;
}

export function createAnswers({ store, service }: AnswersOptions): Answers {
  const work = createLargeWork();
  const tables = openTables(work, service);

  const isLarge = ({ answerBytes }: StoredRow): boolean => isLargeAnswer(answerBytes);
  const ownerOf = ({ id, accountId }: StoredRow): string => accountId ?? id;

  async function load({ id }: StoredRow): Promise<Uint8Array> {
    const answer = await store.answerOf(id);
    if (answer === null) throw new HttpProblem('NOT_FOUND', {});
    return answer;
  }

  /** What is small has no turns: it is opened in milliseconds. */
  const inTurn = <Value>(row: StoredRow, isLarge: boolean, patient: boolean, open: () => Promise<Value>): Promise<Value> =>
    isLarge ? work.run({ owner: ownerOf(row), patient }, open) : open();

  async function* readWhole(table: string): AsyncGenerator<Uint8Array, void> {
    for (let piece = await service.readTable(table); piece !== null; piece = await service.readTable(table)) yield piece;
  }

  return {
    jsonOf: (row, patient = false) =>
      inTurn(row, isLarge(row), patient, async () => bufferOf(await service.answerJson({ answer: await load(row) }))),

    fileOf: (row, options, patient = false) =>
      inTurn(row, isLarge(row), patient, async () => bufferOf(await service.answerFile({ answer: await load(row) }, options))),

    headOf: (row) => inTurn(row, isLarge(row), true, async () => service.answerHead({ answer: await load(row) })),

    async reconsider(row, asked) {
      const request = { ...asked, mostDetections: MOST_DETECTIONS };
      const isLargeWork = isLarge(row) || isLargeEvidence(await store.evidenceBytesOf(row.id));
      return inTurn(row, isLargeWork, false, async () => {
        const stored = { answer: await load(row), parts: await store.evidenceOf(row.id) };
        return bufferOf(await service.reconsider(stored, request));
      });
    },

    async tableOf(row, name, options, patient = false) {
      const begin = async (): Promise<string> => {
        const answer = await load(row);
        const { prediction } = await service.answerHead({ answer });
        const parts = prediction.detectionsLeftOut === undefined ? null : await store.evidenceOf(row.id);
        return service.openTable({ answer, name, options, parts });
      };
      return isLarge(row) ? tables.open(ownerOf(row), begin, patient) : readWhole(await begin());
    },

    beginClosing: work.beginClosing,
    close: work.close,
  };
}
