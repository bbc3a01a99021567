import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { hasCode } from '../../../system-error.ts';
import { isServed } from '../lock-data-folder.ts';
import { type OwnedUpload, ownedUploads } from '../owned-uploads.ts';

/** Mismatches between the files of a data folder and its database. */
export interface FileReport {
  /** Rows whose file is missing: data was lost. */
  readonly faults: readonly string[];
  /** Files, or rows about files, without an owner: left by a killed process, and deleted at the next start. */
  readonly leftovers: readonly string[];
}

interface SoundRow {
  readonly id: string;
  readonly predictionId: string;
  readonly wantsRecording: number;
  readonly wantsMoments: number;
  readonly isAsSent: number;
  /** If not, its files are being removed. */
  readonly isKept: number;
  readonly isOwned: number;
}

/** Enough time for files that are written or deleted right after their row. */
const SECOND_LOOK_MS = 2000;

/**
 * Compares the files of recordings and kept audio with the rows that own them. A server may be using the folder: a mismatch counts only if
 * it still exists a moment later, and incoming uploads of a running server are ignored.
 */
export function checkFiles(folder: string, sqlite: Sqlite.Database): FileReport {
  const first = lookAtFiles(folder, sqlite);
  if (first.faults.length + first.leftovers.length === 0) return first;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SECOND_LOOK_MS);
  const second = lookAtFiles(folder, sqlite);
  return {
    faults: second.faults.filter((fault) => first.faults.includes(fault)),
    leftovers: second.leftovers.filter((leftover) => first.leftovers.includes(leftover)),
  };
}

function lookAtFiles(folder: string, sqlite: Sqlite.Database): FileReport {
  // Files first: each of them has its row by the time the rows are read.
  const files = {
    uploads: namesIn(join(folder, 'uploads')),
    audio: subfoldersOf(join(folder, 'audio')),
    resumable: namesIn(join(folder, 'resumable-uploads')),
  };
  const uploads = ownedUploads(sqlite);
  const sounds = sqlite
    .prepare<[], SoundRow>(
      `SELECT id, predictionId, recordingUntilMs IS NOT NULL AS wantsRecording, momentsUntilMs IS NOT NULL AS wantsMoments,
        asSentType IS NOT NULL AS isAsSent, max(ifnull(recordingUntilMs, 0), ifnull(momentsUntilMs, 0)) > ${Date.now()} AS isKept,
        predictionId IN (SELECT id FROM predictions) AS isOwned FROM keptSounds`,
    )
    .all();
  const waiting = new Set(sqlite.prepare<[], string>('SELECT id FROM resumableUploads WHERE usedAtMs IS NULL').pluck().all());
  const reports = [
    checkUploads(folder, files.uploads, uploads),
    checkSounds(files.audio, sounds, new Map(uploads.map(({ id, uploadName }) => [id, join(folder, 'uploads', uploadName)]))),
  ];
  return {
    faults: reports.flatMap(({ faults }) => faults),
    leftovers: [
      ...reports.flatMap(({ leftovers }) => leftovers),
      ...files.resumable
        .filter((name) => !waiting.has(name.replace(/\..*$/, '')))
        .map((name) => `resumable-uploads/${name} belongs to no upload`),
      ...['.', 'keys'].flatMap((name) => halfWritten(folder, name)),
    ],
  };
}

function checkUploads(folder: string, found: readonly string[], rows: readonly OwnedUpload[]): FileReport {
  const owned = new Set(rows.map(({ uploadName }) => uploadName));
  // A start deletes leftovers, so a running server's files without a row are incoming uploads.
  const leftovers = isServed(folder)
    ? []
    : found.filter((name) => !owned.has(name.replace(/\.checkpoint$/, ''))).map((name) => `uploads/${name} belongs to no job`);
  const faults = rows
    .filter(({ inWork, uploadName }) => inWork === 1 && !existsSync(join(folder, 'uploads', uploadName)))
    .map(({ id }) => `the recording of job ${id} is missing`);
  return { faults, leftovers };
}

function checkSounds(
  found: ReadonlyMap<string, readonly string[]>,
  rows: readonly SoundRow[],
  uploads: ReadonlyMap<string, string>,
): FileReport {
  const faults: string[] = [];
  const leftovers: string[] = [];
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const id of found.keys()) if (!known.has(id)) leftovers.push(`audio/${id} belongs to no prediction`);
  for (const { id, predictionId, wantsRecording, wantsMoments, isAsSent, isKept, isOwned } of rows) {
    const names = found.get(id) ?? [];
    if (isOwned === 0) leftovers.push(`kept audio ${id} belongs to no prediction`);
    const sounds = [...(wantsRecording === 1 ? ['recording'] : []), ...(wantsMoments === 1 ? ['moments'] : [])];
    const wanted = sounds.flatMap((name) => [name, `${name}.spectrum`]);
    const isWhole = wanted.every((name) => names.includes(name));
    const sources = ['original', ...(isAsSent === 1 ? ['recording'] : [])];
    const upload = uploads.get(predictionId);
    const canBeMade = sources.some((name) => names.includes(name)) || (upload !== undefined && existsSync(upload));
    if (isKept === 1 && !canBeMade && !sounds.every((name) => names.includes(name)))
      faults.push(`the kept audio of prediction ${predictionId} is missing`);
    // Audio that is still being prepared has a source, and further files.
    const strays = isWhole ? names.filter((name) => !wanted.includes(name)) : [];
    leftovers.push(...strays.map((name) => `audio/${id}/${name} belongs to nothing that is kept`));
  }
  return { faults, leftovers };
}

const halfWritten = (folder: string, name: string): string[] =>
  namesIn(join(folder, name))
    .filter((file) => file.endsWith('.part'))
    .map((file) => `${join(name, file)} is unfinished`);

function subfoldersOf(folder: string): Map<string, string[]> {
  return new Map(namesIn(folder).map((name) => [name, namesIn(join(folder, name))]));
}

/** Empty if the folder does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
