/**
 * The thread that opens large answers and concludes from large evidence. Its `workerData` is the model, whose folder is opened when first needed.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openModelFolder } from '@chiffchaff/recognizer/node';
import { createBirpc } from 'birpc';
import { type Answerer, createAnswerer } from '../answer/answerer.ts';
import { readConfusions } from '../read-confusions.ts';
import { openSpeciesNames } from '../species-names.ts';
import { createAnswerOperations } from './answer-operations.ts';
import type { ThreadModel } from './answer-operations-in-thread.ts';
import { channelOf } from './thread-channel.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the start of a thread.');

let answerer: Promise<Answerer> | null = null;

async function openAnswerer(): Promise<Answerer> {
  // Passed by `createAnswerThread`; both ends have the same version.
  const { path, fingerprint } = workerData as ThreadModel;
  const model = await openModelFolder(path, fingerprint);
  return createAnswerer(model, await openSpeciesNames(model), await readConfusions(model));
}

createBirpc(
  createAnswerOperations(() => {
    answerer ??= openAnswerer();
    return answerer;
  }),
  channelOf(port),
);
