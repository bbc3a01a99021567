/** The program of the thread that opens and concludes large answers. Told the model's folder, which it reads when it is first needed. */
import { parentPort, workerData } from 'node:worker_threads';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { createBirpc } from 'birpc';
import { type Answerer, openAnswerer } from '../open-answerer.ts';
import { createAnswerWork } from './answer-work.ts';
import { channelOf } from './thread-channel.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the start of a thread.');

let answerer: Promise<Answerer> | null = null;
createBirpc(
  createAnswerWork(() => {
    answerer ??= readModelFolder(String(workerData)).then(openAnswerer);
    return answerer;
  }),
  channelOf(port),
);
