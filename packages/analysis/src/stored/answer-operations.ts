import { statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Detection, listedBirds, type Prediction, type TableOptions } from '@chiffchaff/contract';
import { decodeEvidence, type Evidence } from '@chiffchaff/recognizer';
import type { Answerer } from '../answer/answerer.ts';
import type { FormattedAnswer } from '../answer/format-answer.ts';
import type { Question } from '../answer/question.ts';
import type { StoredAnswer, TableFile } from '../service/analysis-service.ts';
import { type Analysis, type AnswerHead, headOf, packAnswer } from './pack-analysis.ts';
import { inflated, readAnswer, withReviews } from './read-answer.ts';
import { jsonFile, type TableName, tableFormats } from './table-formats.ts';

/** Evidence as stored in rows, with the question to answer. `prediction` has no detections. */
export interface StoredEvidence {
  readonly prediction: Prediction;
  /** deflated, in order */
  readonly parts: readonly Uint8Array[];
  readonly question: Question;
}

export interface TableTask {
  readonly name: TableName;
  readonly options: TableOptions;
  /** The source of the table: the detections of a stored answer, or all those that its evidence gives. */
  readonly source: StoredEvidence | StoredAnswer;
  readonly file: TableFile;
}

/**
 * Opens stored answers (deflated JSON) and concludes from evidence. Large ones take seconds, so all arguments and results can be sent to
 * another thread, too.
 */
export interface AnswerOperations {
  /** The answer as JSON. */
  text(stored: StoredAnswer): Promise<Uint8Array>;
  /** The same, formatted as a JSON file. @param options filter the detections; null: the answer as it is */
  file(stored: StoredAnswer, options: TableOptions | null): Promise<Uint8Array>;
  head(answer: Uint8Array): Promise<AnswerHead>;
  /** Returns the evidence, too, because a thread takes over its memory. */
  conclude(evidence: Evidence, question: Question): Promise<{ readonly worded: FormattedAnswer; readonly evidence: Evidence }>;
  /** The prediction for other conditions, packed. */
  reconsider(stored: StoredEvidence): Promise<Analysis>;
  /** Writes a table to its file. @throws Error with the code ENOSPC when the disk is too full */
  writeTable(task: TableTask): Promise<void>;
}

/** Number of detections to word and write at a time. */
const BATCH = 500;
const LEAST_PIECE_CHARACTERS = 131_072;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** @param getAnswerer called when something is first concluded */
export function createAnswerOperations(getAnswerer: () => Promise<Answerer>): AnswerOperations {
  const decode = async (parts: readonly Uint8Array[]) => decodeEvidence(await inflated(Buffer.concat(parts)));

  async function batchesOf({ parts, question }: StoredEvidence): Promise<Iterable<readonly Detection[]>> {
    return inBatches(await (await getAnswerer()).detections(await decode(parts), question));
  }

  const readWhole = async ({ answer, reviews }: StoredAnswer): Promise<Prediction> =>
    withReviews(await readAnswer(answer), reviews);

  async function* piecesOf({ name, options, source }: TableTask): AsyncGenerator<string, void> {
    const format = tableFormats[name];
    const isAnswer = 'answer' in source;
    const prediction = isAnswer ? await readWhole(source) : source.prediction;
    const batches = isAnswer ? inBatches(prediction.detections) : await batchesOf(source);
    let text = format.head(options);
    let selections = 0;
    const listed = new Set<string>();
    for await (const detections of batches) {
      const part = { ...prediction, detections: [...detections] };
      const { rows, next } = format.rows(part, options, selections);
      text += rows;
      selections = next;
      if (prediction.reviews !== undefined) for (const bird of listedBirds(part, options)) listed.add(bird);
      if (text.length < LEAST_PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    yield text + (format.reviewRows?.(prediction, listed, options) ?? '');
  }

  return {
    text: async (stored) => encode(JSON.stringify(await readWhole(stored))),
    file: async (stored, options) => encode(jsonFile(await readWhole(stored), options)),
    head: async (answer) => headOf(await readAnswer(answer)),
    conclude: async (evidence, question) => ({ evidence, worded: await (await getAnswerer()).answer(evidence, question) }),
    async reconsider({ prediction, parts, question }) {
      const answerer = await getAnswerer();
      return packAnswer(await answerer.reconsider(prediction, await decode(parts), question), answerer.words);
    },
    async writeTable(task) {
      const { path } = task.file;
      await writeFile(path, whileThereIsRoom(piecesOf(task), task.file), { mode: 0o600 });
    },
  };
}

/** A table may take gigabytes, and its size is not known in advance: checks the disk before each piece. */
async function* whileThereIsRoom(pieces: AsyncIterable<string>, { path, minFreeBytes }: TableFile): AsyncGenerator<string, void> {
  for await (const piece of pieces) {
    const { bavail, bsize } = await statfs(dirname(path));
    if (bavail * bsize < minFreeBytes) {
      throw Object.assign(new Error(`Writing this table would leave less than ${minFreeBytes} bytes free.`), { code: 'ENOSPC' });
    }
    yield piece;
  }
}

function* inBatches(detections: Iterable<Detection>): Generator<readonly Detection[], void> {
  let batch: Detection[] = [];
  for (const detection of detections) {
    if (batch.push(detection) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
