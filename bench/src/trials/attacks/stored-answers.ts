import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deflateSync } from 'node:zlib';
import type { Detection, Prediction } from '@chiffchaff/contract';

/** Replaces the detections of a stored prediction, in the form of versions without a limit. No server may be running on the folder. */
export function replaceAnswer(
  dataDir: string,
  { detectionsLeftOut, ...prediction }: Prediction,
  detections: readonly Detection[],
) {
  const database = new DatabaseSync(join(dataDir, 'chiffchaff.sqlite'));
  const answer = deflateSync(JSON.stringify({ ...prediction, detections }));
  database.prepare('UPDATE predictions SET answer = ? WHERE id = ?').run(answer, prediction.id);
  database.close();
}

/** Detections of many birds, one a second. */
export const manyDetections = (count: number): Detection[] =>
  Array.from({ length: count }, (_, index) => ({
    scientificName: `Avis numero ${index % 2000}`,
    commonName: `Bird ${index % 2000}`,
    startSeconds: index,
    endSeconds: index + 3,
    score: (index % 997) / 1000,
    confidence: 0.1,
    occurrence: null,
    hidden: false,
  }));
