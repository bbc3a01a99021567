import {
  type AnalysisService,
  type AnswerHead,
  isLargeAnswer,
  isLargeEvidence,
  type Reconsideration,
  type StoredAnswer,
  type TableName,
} from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type TableOptions } from '@chiffchaff/contract';
import { bufferOf } from '../../buffer-of.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { CorrectionStore } from './correction-store.ts';
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

export type Answers = ReturnType<typeof createAnswers>;

/** Has stored predictions opened by the analysis service: of each account one large one after the other. */
export function createAnswers(store: PredictionStore, corrections: Pick<CorrectionStore, 'of'>, service: AnalysisService) {
  const work = createLargeWork();
  const openTable = openTables(work, service);

  const isLarge = ({ answerBytes }: StoredRow): boolean => isLargeAnswer(answerBytes);
  const ownerOf = ({ id, accountId }: StoredRow): string => accountId ?? id;

  async function load({ id }: StoredRow): Promise<Uint8Array> {
    const answer = await store.answerOf(id);
    if (answer === null) throw new HttpProblem('NOT_FOUND', {});
    return answer;
  }

  async function loadCorrected(row: StoredRow): Promise<StoredAnswer> {
    const [answer, said] = await Promise.all([load(row), corrections.of(row.id)]);
    return { answer, corrections: said };
  }

  /** What is small is opened at once: that takes milliseconds. */
  const inTurn = <Value>(row: StoredRow, isLarge: boolean, patient: boolean, open: () => Promise<Value>): Promise<Value> =>
    isLarge ? work.run({ owner: ownerOf(row), patient }, open) : open();

  async function* readWhole(table: string): AsyncGenerator<Uint8Array, void> {
    for (let piece = await service.readTable(table); piece !== null; piece = await service.readTable(table)) yield piece;
  }

  return {
    /**
     * The prediction as JSON.
     *
     * @param patient waits for its turn rather than being refused
     * @throws HttpProblem NOT_FOUND when it has been removed meanwhile, SERVER_BUSY
     */
    jsonOf: (row: StoredRow, patient = false): Promise<Buffer> =>
      inTurn(row, isLarge(row), patient, async () => bufferOf(await service.answerJson(await loadCorrected(row)))),

    /** The same as a file of JSON. @param options of the detections; null: all that it holds, as it is */
    fileOf: (row: StoredRow, options: TableOptions | null, patient = false): Promise<Buffer> =>
      inTurn(row, isLarge(row), patient, async () => bufferOf(await service.answerFile(await loadCorrected(row), options))),

    /** The prediction without its detections and corrections, and what is told of it in lists. Waits for its turn. */
    headOf: (row: StoredRow): Promise<AnswerHead> =>
      inTurn(row, isLarge(row), true, async () => service.answerHead({ answer: await load(row) })),

    /** JSON of the prediction under other conditions. @throws PredictionError MODEL_REPLACED */
    async reconsider(row: StoredRow, asked: Reconsideration): Promise<Buffer> {
      const request = { ...asked, mostDetections: MOST_DETECTIONS };
      const isLargeWork = isLarge(row) || isLargeEvidence(await store.evidenceBytesOf(row.id));
      return inTurn(row, isLargeWork, false, async () => {
        const stored = { ...(await loadCorrected(row)), parts: await store.evidenceOf(row.id) };
        return bufferOf(await service.reconsider(stored, request));
      });
    },

    /**
     * A table of all detections, made while it is read, those that the answer leaves out included; where the model has been replaced, of
     * those that it holds.
     *
     * @param patient waits for its turn rather than being refused
     */
    async tableOf(row: StoredRow, name: TableName, options: TableOptions, patient = false): Promise<AsyncIterable<Uint8Array>> {
      const begin = async (): Promise<string> => {
        const stored = await loadCorrected(row);
        const { prediction } = await service.answerHead(stored);
        const parts = prediction.detectionsLeftOut === undefined ? null : await store.evidenceOf(row.id);
        return service.openTable({ ...stored, name, options, parts });
      };
      return isLarge(row) ? openTable(ownerOf(row), begin, patient) : readWhole(await begin());
    },

    beginClosing: work.beginClosing,
    close: work.close,
  };
}
