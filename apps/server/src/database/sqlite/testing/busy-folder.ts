/**
 * Accepts, answers, keeps and deletes recordings in a data folder as fast as possible, in the same order as the server. Runs in a thread,
 * so that a test can use the folder at the same time.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { DATABASE_FILE_NAME } from '../open-sqlite.ts';

const dataDir = String(workerData);
const sqlite = new Sqlite(join(dataDir, DATABASE_FILE_NAME));
sqlite.pragma('busy_timeout = 5000');
sqlite.pragma('synchronous = OFF');
mkdirSync(join(dataDir, 'uploads'), { recursive: true });

const accept = sqlite.prepare(
  `INSERT INTO predictions (id, accountId, requestHash, createdAtMs, state, fields, sha256, bytes, uploadName)
   VALUES (?, 'owner', '', 1, 'queued', '{}', '', 5, ?)`,
);
const finish = sqlite.prepare("UPDATE predictions SET state = 'done' WHERE id = ?");
const keep = sqlite.prepare(
  `INSERT INTO keptSounds (id, accountId, predictionId, createdAtMs, recordingUntilMs, moments, durationSeconds, channels, asSentType)
   VALUES (?, 'owner', ?, 1, 9, '[]', 3, 1, 'audio/wav')`,
);
const forgetUpload = sqlite.prepare('UPDATE predictions SET uploadName = NULL WHERE id = ?');
const forgetSound = sqlite.prepare('DELETE FROM keptSounds WHERE id = ?');
const purge = sqlite.prepare('DELETE FROM predictions WHERE id = ?');

for (let count = 0; ; count += 1) {
  const id = `recording-${count}`;
  const upload = join(dataDir, 'uploads', id);
  const sound = join(dataDir, 'audio', id);
  writeFileSync(upload, 'sound');
  accept.run(id, id);
  await wait(1);
  finish.run(id);
  keep.run(id, id);
  mkdirSync(sound, { recursive: true });
  renameSync(upload, join(sound, 'recording'));
  forgetUpload.run(id);
  if (count === 20) parentPort?.postMessage('busy');
  if (count < 10) continue;
  const old = `recording-${count - 10}`;
  forgetSound.run(old);
  rmSync(join(dataDir, 'audio', old), { recursive: true });
  purge.run(old);
}
