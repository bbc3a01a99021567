import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DatabaseError } from '../database-error.ts';

export const MARKER_FILE_NAME = 'chiffchaff-data.json';
/** Version of the folder's layout, raised when an older program would misread it. Format 1 was never released. */
const FORMAT = 2;
const markerSchema = z.object({ format: z.int().min(FORMAT), createdAt: z.iso.datetime() });

/** The content of a data folder's marker file. */
export type DataMarker = z.infer<typeof markerSchema>;

/** Reads the marker of a folder; null if there is none. @throws DatabaseError SCHEMA_NEWER, FILE_DAMAGED */
export function readDataMarker(folder: string): DataMarker | null {
  const path = join(folder, MARKER_FILE_NAME);
  if (!existsSync(path)) return null;
  let marker: DataMarker;
  try {
    marker = markerSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new DatabaseError('FILE_DAMAGED', `${MARKER_FILE_NAME} in the data folder cannot be read. Restore it from a backup.`, {
      cause,
    });
  }
  if (marker.format > FORMAT) {
    throw new DatabaseError('SCHEMA_NEWER', 'The data folder was created by a newer version. Start that version.');
  }
  return marker;
}

/** Marks a folder as ours. Writes a temporary file and renames it, so that a partial marker never exists. */
export function writeDataMarker(folder: string): void {
  const path = join(folder, MARKER_FILE_NAME);
  const marker: DataMarker = { format: FORMAT, createdAt: new Date().toISOString() };
  writeFileSync(`${path}.part`, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
}
