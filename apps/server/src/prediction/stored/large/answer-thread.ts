import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { inflateSync } from 'node:zlib';
import { type Answerer, openAnswerer } from '@chiffchaff/analysis';
import { type Detection, MOST_DETECTIONS, type Prediction } from '@chiffchaff/contract';
import { decodeEvidence, type Evidence } from '@chiffchaff/recognizer';
import { giveWay, readModelFolder } from '@chiffchaff/recognizer/node';
import { jsonFile, tableFormats } from '../table-formats.ts';
import { piecesOfAnswer, readCapped, readHead } from './read-answer.ts';
import {
  buffersOf,
  type StoredEvidence,
  type TaskName,
  type Tasks,
  type ThreadReply,
  type ThreadRequest,
} from './thread-tasks.ts';

/** The program of the thread that opens and works out large answers. Told the model's folder, which it reads when it is first needed. */
const port = parentPort;
if (port === null) throw new Error('This file is the start of a thread.');
giveWay();

let answerer: Promise<Answerer> | null = null;
const getAnswerer = (): Promise<Answerer> => {
  answerer ??= readModelFolder(String(workerData)).then(openAnswerer);
  return answerer;
};

const decode = (parts: readonly Uint8Array[]): Evidence => decodeEvidence(inflateSync(Buffer.concat(parts)));

/** Detections are worded and written so many at a time. */
const BATCH = 500;
const LEAST_PIECE_CHARACTERS = 131_072;

/** By names that no thread before this one has given. */
const tables = new Map<string, AsyncGenerator<string, void>>();

async function* writeTable({ name, options, source }: Tasks['openTable']['task']): AsyncGenerator<string, void> {
  const format = tableFormats[name];
  const [prediction, batches] =
    'answer' in source ? [await readHead(source.answer), piecesOfAnswer(source.answer)] : await batchesOf(source);
  let text = format.head(options);
  let selections = 0;
  for await (const detections of batches) {
    const { rows, next } = format.rows({ ...prediction, detections: [...detections] }, options, selections);
    text += rows;
    selections = next;
    if (text.length < LEAST_PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}

async function batchesOf({ head, parts, question }: StoredEvidence): Promise<[Prediction, Iterable<readonly Detection[]>]> {
  const detections = await (await getAnswerer()).detections(decode(parts), question);
  return [head, inBatches(detections)];
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

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const tasks: { readonly [Name in TaskName]: (task: Tasks[Name]['task']) => Promise<Tasks[Name]['result']> } = {
  text: async ({ answer }) => encode(JSON.stringify(await readCapped(answer, MOST_DETECTIONS))),
  file: async ({ answer, options }) => encode(jsonFile(await readCapped(answer, MOST_DETECTIONS), options)),
  head: ({ answer }) => readHead(answer),
  answer: async ({ evidence, question }) => ({ evidence, worded: await (await getAnswerer()).answer(evidence, question) }),
  reconsider: async ({ head, parts, question }) =>
    encode(JSON.stringify(await (await getAnswerer()).reconsider(head, decode(parts), question))),
  async openTable(task) {
    const table = randomUUID();
    tables.set(table, writeTable(task));
    return table;
  },
  async readTable({ table }) {
    const written = tables.get(table);
    if (!written) throw new Error('This table is not open.');
    const next = await written.next();
    if (!next.done) return encode(next.value);
    tables.delete(table);
    return null;
  },
  async closeTable({ table }) {
    await tables.get(table)?.return();
    tables.delete(table);
    return null;
  },
};

/** Memory that is not needed here any more goes along. */
function memoryOf(result: Tasks[TaskName]['result']): ArrayBuffer[] {
  if (result instanceof Uint8Array) return result.buffer instanceof ArrayBuffer ? [result.buffer] : [];
  return typeof result === 'object' && result !== null && 'evidence' in result ? buffersOf(result.evidence) : [];
}

async function answer<Name extends TaskName>({ name, task }: { name: Name; task: Tasks[Name]['task'] }): Promise<void> {
  try {
    const result = await tasks[name](task);
    port?.postMessage({ result } satisfies ThreadReply, memoryOf(result));
  } catch (error) {
    port?.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies ThreadReply);
  }
}

port.on('message', (request: ThreadRequest) => void answer(request));
