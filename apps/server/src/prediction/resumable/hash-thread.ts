import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The program of a thread that hashes one file: told its path, it says the SHA-256 in hexadecimal digits and ends. */
const hash = createHash('sha256');
await pipeline(createReadStream(String(workerData), { highWaterMark: 1024 * 1024 }), hash);
parentPort?.postMessage(hash.digest('hex'));
