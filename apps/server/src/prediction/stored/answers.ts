import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { AnalyzeOptions, Analyzer, Reconsideration } from '@chiffchaff/analysis';
import { MOST_DETECTIONS, type Prediction, type TableOptions } from '@chiffchaff/contract';
import { decodeEvidence, type Evidence } from '@chiffchaff/recognizer';
import { HttpProblem } from '../../http/http-problem.ts';
import type { AnalyzerSource } from '../analyzer-source.ts';
import { type Ask, createLargeWork } from './large/large-work.ts';
import { readCapped } from './large/read-answer.ts';
import { openTables, type TableSource } from './large/tables.ts';
import type { StoredEvidence } from './large/thread-tasks.ts';
import type { PredictionStore } from './prediction-store.ts';
import { jsonFile, type TableName, wholeTable } from './table-formats.ts';

/** An answer that is stored. */
export interface StoredRow {
  readonly id: string;
  readonly accountId: string | null;
  /** as it is stored: deflated */
  readonly answerBytes: number;
}

/** Opens what is stored of predictions. What is large is done elsewhere than on the event loop, and of each account one after the other. */
export interface Answers {
  /**
   * The prediction as JSON.
   *
   * @throws HttpProblem NOT_FOUND when it has been removed meanwhile, SERVER_BUSY
   */
  textOf(row: StoredRow): Promise<string | Buffer>;
  /** The same as a file of JSON. */
  fileOf(row: StoredRow, options: TableOptions): Promise<string | Buffer>;
  /** The same, read, for what goes on and cannot be refused any more: waits for its turn however many wait. */
  open(row: StoredRow): Promise<Prediction>;
  /** JSON of the prediction under other conditions. @throws HttpProblem also MODEL_REPLACED */
  reconsider(row: StoredRow, request: Reconsideration): Promise<string | Buffer>;
  /**
   * A table of all detections, made while it is read, those that the answer leaves out included; where the model has been replaced, of those
   * that it holds.
   *
   * @param patient waits for its turn rather than being refused
   */
  tableOf(row: StoredRow, name: TableName, options: TableOptions, patient?: boolean): Promise<AsyncIterable<string | Uint8Array>>;
  /** Words the answer of a fresh analysis. @param owner whose turn it is */
  answerFor(owner: string, signal: AbortSignal): NonNullable<AnalyzeOptions['answer']>;
  beginClosing(): void;
  close(): Promise<void>;
}

export interface AnswersOptions {
  readonly store: PredictionStore;
  readonly analyzers: AnalyzerSource;
  readonly modelFolder: string;
}

/** Deflated bytes of an answer from which on it is large: some 2,500 detections, which are read in 10 ms. */
const LARGE_ANSWER_BYTES = 65_536;
/** Bytes of evidence, deflated or not, from which on it is large: what is concluded from less takes 20 ms. */
const LARGE_EVIDENCE_BYTES = 1_000_000;

const inflated = promisify(inflate);

export function createAnswers({ store, analyzers, modelFolder }: AnswersOptions): Answers {
  const work = createLargeWork(modelFolder);
  const tables = openTables(work);

  const isLarge = ({ answerBytes }: StoredRow): boolean => answerBytes > LARGE_ANSWER_BYTES;
  const turnOf = ({ id, accountId }: StoredRow) => ({ owner: accountId ?? id });

  async function load({ id }: StoredRow): Promise<Uint8Array> {
    const answer = await store.answerOf(id);
    if (answer === null) throw new HttpProblem('NOT_FOUND', {});
    return answer;
  }

  const headOf = async (row: StoredRow, ask: Ask): Promise<Prediction> => ask('head', { answer: await load(row) });

  /** null when the model that the evidence means something to is not there any more, or none is */
  async function analyzerOf({ model }: Prediction): Promise<Analyzer | null> {
    const analyzer = await analyzers.get().catch(() => null);
    return analyzer?.model.sha256 === model.sha256 ? analyzer : null;
  }

  async function reconsiderHere(prediction: Prediction, parts: readonly Uint8Array[], request: Reconsideration) {
    const analyzer = await requireAnalyzer(prediction);
    const evidence = decodeEvidence(await inflated(Buffer.concat(parts)));
    return JSON.stringify(await analyzer.reconsider(prediction, evidence, request));
  }

  /** @throws HttpProblem MODEL_REPLACED. @throws PredictionError MODEL_NOT_INSTALLED, DECODER_NOT_INSTALLED */
  async function requireAnalyzer(prediction: Prediction): Promise<Analyzer> {
    const analyzer = await analyzerOf(prediction);
    if (analyzer !== null) return analyzer;
    await analyzers.get();
    const { id, version } = prediction.model;
    throw new HttpProblem('MODEL_REPLACED', { model: `${id} ${version}` });
  }

  /** What a stored table is made of: of an answer that leaves detections out, the evidence. */
  async function sourceOf(row: StoredRow, ask: Ask): Promise<TableSource> {
    const head = await headOf(row, ask);
    const analyzer = head.detectionsLeftOut === undefined ? null : await analyzerOf(head);
    if (analyzer === null) return { answer: await load(row) };
    return { head, parts: await store.evidenceOf(row.id), question: await analyzer.ask(askedBy(head)) };
  }

  async function open(row: StoredRow): Promise<Prediction> {
    if (!isLarge(row)) return readCapped(await load(row), MOST_DETECTIONS);
    const turn = { ...turnOf(row), patient: true };
    const text = await work.run(turn, async (ask) => ask('text', { answer: await load(row) }));
    return JSON.parse(bufferOf(text).toString()) as Prediction;
  }

  return {
    open,

    async textOf(row) {
      if (!isLarge(row)) return JSON.stringify(await open(row));
      return bufferOf(await work.run(turnOf(row), async (ask) => ask('text', { answer: await load(row) })));
    },

    async fileOf(row, options) {
      if (!isLarge(row)) return jsonFile(await open(row), options);
      return bufferOf(await work.run(turnOf(row), async (ask) => ask('file', { answer: await load(row), options })));
    },

    async reconsider(row, asked) {
      const request = { ...asked, mostDetections: MOST_DETECTIONS };
      const evidenceBytes = await store.evidenceBytesOf(row.id);
      if (!isLarge(row) && evidenceBytes <= LARGE_EVIDENCE_BYTES) {
        return reconsiderHere(await open(row), await store.evidenceOf(row.id), request);
      }
      const text = await work.run(turnOf(row), async (ask) => {
        const head = await headOf(row, ask);
        const question = await (await requireAnalyzer(head)).ask(request);
        return ask('reconsider', { head, question, parts: await store.evidenceOf(row.id) } satisfies StoredEvidence);
      });
      return bufferOf(text);
    },

    async tableOf(row, name, options, patient = false) {
      const here = isLarge(row) ? null : await open(row);
      if (here !== null && here.detectionsLeftOut === undefined) return piece(wholeTable(name, here, options));
      return tables.open(turnOf(row).owner, { name, options }, (ask) => sourceOf(row, ask), patient);
    },

    answerFor: (owner, signal) => (evidence, question) =>
      bytesOf(evidence) <= LARGE_EVIDENCE_BYTES
        ? null
        : work.run({ owner, patient: true, isRare: true, signal }, (ask) => ask('answer', { evidence, question })),

    beginClosing: work.beginClosing,
    close: work.close,
  };
}

/** The same memory. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

async function* piece(text: string): AsyncGenerator<string, void> {
  yield text;
}

const bytesOf = ({ clips, passages }: Evidence): number => 4 * clips.labels.length + 8 * passages.labels.length;

/** The request whose answer a prediction is. */
function askedBy({ conditions }: Prediction): Reconsideration {
  const { latitude, longitude, week, date, minScore, language } = conditions;
  return {
    ...(latitude === null || longitude === null ? {} : { latitude, longitude }),
    ...(week === null ? {} : { week }),
    ...(date === null || date === undefined ? {} : { date }),
    ...{ minScore, language },
  };
}
