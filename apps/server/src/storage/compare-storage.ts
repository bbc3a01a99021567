/**
 * Compares the objects of recordings and kept audio with the rows that need them. `check-storage` and the check of a data folder or of a
 * backup tell what differs; the server removes what no row needs, every day and, on a single machine, when it starts.
 */
import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { ObjectStorage, StoredObject } from './object-storage.ts';

export interface StorageDifferences {
  /** Objects that no row needs: left by a killed process, or by a database that was restored. */
  readonly strays: readonly StoredObject[];
  /** Rows whose objects are missing: a recording that waits, or kept audio that cannot be made again. */
  readonly lost: readonly LostObjects[];
  /** Ids of kept audio that was prepared, and of which parts are missing. */
  readonly unprepared: readonly string[];
}

export interface LostObjects {
  readonly of: 'recording' | 'keptAudio';
  readonly predictionId: string;
  /** milliseconds since 1970 */
  readonly createdAtMs: number;
}

export interface ComparedStores {
  readonly storage: Pick<ObjectStorage, 'list' | 'remove'>;
  readonly query: Kysely<Tables>;
}

const FOLDERS = ['uploads', 'audio', 'resumable-uploads'];
const OLD_MS = 86_400_000;

/**
 * What an object is a part of, by its name: `uploads/NAME` for a recording and its checkpoint `uploads/NAME.checkpoint/N`, `audio/ID` for
 * `audio/ID/PART`, `resumable-uploads/ID` for `resumable-uploads/ID.START-END`.
 */
export const wholeOf = (name: string): string => /^[^/]+\/[^/.]+/.exec(name)?.[0] ?? name;

/** A server may be running: a recording that has just been stored has no row yet, and what just ended may still have one. */
export async function compareStorage({ storage, query }: ComparedStores): Promise<StorageDifferences> {
  // Objects first: all others have their rows by the time the rows are read.
  const objects = new Map<string, StoredObject[]>();
  for (const folder of FOLDERS) {
    for await (const object of storage.list(`${folder}/`)) {
      const whole = wholeOf(object.name);
      objects.set(whole, [...(objects.get(whole) ?? []), object]);
    }
  }
  const has = (name: string): boolean => objects.get(wholeOf(name))?.some((object) => object.name === name) ?? false;

  const uploads = await query
    .selectFrom('predictions')
    .select(['id', 'uploadName', 'state', 'createdAtMs'])
    .where('uploadName', 'is not', null)
    .execute();
  const resumable = await query.selectFrom('resumableUploads').select('id').where('usedAtMs', 'is', null).execute();
  const sounds = await query
    .selectFrom('keptSounds')
    .select(['id', 'predictionId', 'createdAtMs', 'recordingUntilMs', 'momentsUntilMs', 'asSentType', 'preparedAtMs'])
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('predictions').select('predictions.id').whereRef('predictions.id', '=', 'keptSounds.predictionId')),
    )
    .execute();

  const needed = new Set([
    ...uploads.map(({ uploadName }) => `uploads/${uploadName}`),
    ...resumable.map(({ id }) => `resumable-uploads/${id}`),
    ...sounds.map(({ id }) => `audio/${id}`),
  ]);
  const strays = [...objects].flatMap(([whole, found]) => (needed.has(whole) ? [] : found));
  const lost: LostObjects[] = uploads
    .filter(({ state, uploadName }) => state === 'queued' && !has(`uploads/${uploadName}`))
    .map(({ id, createdAtMs }) => ({ of: 'recording', predictionId: id, createdAtMs }));

  const unprepared: string[] = [];
  const uploadOf = new Map(uploads.map(({ id, uploadName }) => [id, `uploads/${uploadName}`]));
  for (const { id, predictionId, createdAtMs, recordingUntilMs, momentsUntilMs, asSentType, preparedAtMs } of sounds) {
    const whole = `audio/${id}`;
    const kept = [
      ...(recordingUntilMs === null ? [] : [`${whole}/recording`]),
      ...(momentsUntilMs === null ? [] : [`${whole}/moments`]),
    ];
    const wanted = kept.flatMap((name) => [name, `${name}.spectrum`]);
    // What is still being prepared has a source, and more objects.
    const sources = [`${whole}/original`, asSentType && `${whole}/recording`, uploadOf.get(predictionId)];
    const isKept = Math.max(recordingUntilMs ?? 0, momentsUntilMs ?? 0) > Date.now();
    if (wanted.every(has)) {
      strays.push(...(objects.get(whole) ?? []).filter(({ name }) => !wanted.includes(name)));
      continue;
    }
    if (preparedAtMs !== null) unprepared.push(id);
    if (isKept && !kept.every(has) && !sources.some((name) => name && has(name)))
      lost.push({ of: 'keptAudio', predictionId, createdAtMs });
  }
  return { strays, lost, unprepared };
}

/**
 * Removes objects that no row needs.
 *
 * @param mayArrive whether a recording may just be arriving, and get its row soon
 * @returns ids of kept audio of which parts are missing
 */
export async function removeStrays(stores: ComparedStores, mayArrive = true): Promise<readonly string[]> {
  const { strays, unprepared } = await compareStorage(stores);
  const gone = strays.filter(({ name, changedAtMs }) => !(mayArrive && name.startsWith('uploads/')) || isOld(changedAtMs));
  await stores.storage.remove(gone.map(({ name }) => name));
  return unprepared;
}

/** Whether something has been there for more than a day: a recording arrives within hours, and has its row then. */
export const isOld = (sinceMs: number, nowMs = Date.now()): boolean => sinceMs < nowMs - OLD_MS;

/** A difference in words. */
export const describeLost = ({ of, predictionId }: LostObjects): string =>
  of === 'recording'
    ? `the recording of job ${predictionId} is missing`
    : `the kept audio of prediction ${predictionId} is missing`;
export const describeStray = ({ name }: Pick<StoredObject, 'name'>): string => `${name} belongs to no row`;
