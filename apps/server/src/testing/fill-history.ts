import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PredictionsTable, Tables } from '../database/tables.ts';
import { foldName } from '../places/fold-name.ts';

export interface NamedSpecies {
  readonly scientificName: string;
  readonly commonName: string;
}

export interface FillHistoryOptions {
  readonly database: Pick<Database, 'change' | 'kind' | 'query'>;
  /** One for each prediction; an account that is repeated gets several. */
  readonly accountIds: Iterable<string>;
  readonly species: readonly NamedSpecies[];
  /** from 0 to below 1 */
  readonly random: () => number;
  readonly nowMs: number;
}

const ROWS_AT_ONCE = 500;
/** Size of a deflated answer for a recording of a few minutes. */
const ANSWER_BYTES = 3000;
const MOST_SPECIES = 6;
const MINUTE_MS = 60_000;

/** Fills a history with answered predictions as the server stores them: one per minute, the newest now, each with up to six species. */
export async function fillHistory({ database, accountIds, species, random, nowMs }: FillHistoryOptions): Promise<void> {
  let predictions: Insertable<PredictionsTable>[] = [];
  let named: Insertable<Tables['predictionSpecies']>[] = [];
  const store = async (): Promise<void> => {
    if (predictions.length === 0) return;
    await database.change({}, async (query) => {
      await query.insertInto('predictions').values(predictions).execute();
      await query.insertInto('predictionSpecies').values(named).execute();
    });
    predictions = [];
    named = [];
  };
  let count = 0;
  for (const accountId of accountIds) {
    const id = randomUUID();
    const heard = pick(species, 1 + Math.floor(random() * MOST_SPECIES), random);
    const confident = heard.map((one) => ({ ...one, confidence: Math.round(random() * 100) / 100 }));
    const createdAtMs = nowMs - count * MINUTE_MS;
    const recordedOn = new Date(createdAtMs).toISOString().slice(0, 10);
    predictions.push(predictionOf({ id, accountId, createdAtMs, recordedOn, species: confident }));
    const prediction = { predictionId: id, ownerId: accountId, sentAtMs: createdAtMs, recordedOn };
    named.push(...confident.map((one) => ({ ...prediction, ...one })));
    count += 1;
    if (predictions.length === ROWS_AT_ONCE) await store();
  }
  await store();
  // PostgreSQL would do it on its own a minute later; on SQLite, the server never does.
  if (database.kind === 'postgres') await sql`VACUUM ANALYZE`.execute(database.query);
}

function pick(species: readonly NamedSpecies[], count: number, random: () => number): readonly NamedSpecies[] {
  const chosen = new Set<NamedSpecies>();
  // A few species are heard everywhere: the product of two random numbers prefers the first ones.
  while (chosen.size < Math.min(count, species.length)) {
    const one = species[Math.floor(random() * random() * species.length)];
    if (one !== undefined) chosen.add(one);
  }
  return [...chosen];
}

interface MadePrediction {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly recordedOn: string;
  readonly species: readonly (NamedSpecies & { readonly confidence: number })[];
}

function predictionOf({ id, accountId, createdAtMs, recordedOn, species }: MadePrediction): Insertable<PredictionsTable> {
  const fileName = `recording of ${recordedOn}.wav`;
  const named = species.slice(0, 1).map(({ scientificName, commonName }) => ({ scientificName, commonName }));
  const verdict = { kind: 'identified', tied: false, sentence: `This is a ${named[0]?.commonName}.`, named };
  const names = species.flatMap(({ scientificName, commonName }) => [scientificName, commonName]);
  return {
    ...{
      id,
      accountId,
      idempotencyKey: id,
      requestHash: id,
      createdAtMs,
      state: 'done',
      bytes: 5_000_000,
      attempts: 0,
    },
    ...{ sha256: id, uploadName: null, finishedAtMs: createdAtMs, problem: null, deletedAtMs: null, fileName },
    fields: JSON.stringify({ latitude: 52.5, longitude: 13.4, date: recordedOn }),
    summary: JSON.stringify({ durationSeconds: 60, verdict, species }),
    searchText: ` ${[fileName, ...names].map(foldName).join(' ')}`,
    answer: Buffer.alloc(ANSWER_BYTES, id),
  };
}
