import { openAsBlob } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { bytesOfBlob, readTags } from '@chiffchaff/survey/metadata';

// Reads tags outside the main thread, which their parser could block for long.
parentPort?.on('message', async (path: string | null) => {
  parentPort?.postMessage(await readTags(path === null ? null : bytesOfBlob(await openAsBlob(path))));
});
