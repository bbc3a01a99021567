/**
 * The thread that opens large answers and concludes from large evidence. Its `workerData` is the model, whose folder is opened when first needed.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openModelFolder } from '@chiffchaff/recognizer/node';
import { createBirpc } from 'birpc';
import type { Answerer } from '../answer/answerer.ts';
import { openAnswerer } from '../open-answerer.ts';
import { createAnswerOperations } from './answer-operations.ts';
import type { ThreadModel } from './answer-operations-in-thread.ts';
import { channelOf } from './thread-channel.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the start of a thread.');

let answerer: Promise<Answerer> | null = null;

// Passed by `createAnswerThread`; both ends have the same version.
const { path, fingerprint } = workerData as ThreadModel;

createBirpc(
  createAnswerOperations(() => {
    answerer ??= openModelFolder(path, fingerprint).then(openAnswerer);
    return answerer;
  }),
  channelOf(port),
);
