import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type PredictionDays,
  type PredictionList,
  type PredictionListQuery,
  type PredictionSummary,
  partOfName,
} from '@chiffchaff/contract';
import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Flag, PredictionState, PredictionsTable, Tables } from '../../database/tables.ts';
import { existing } from '../../http/http-problem.ts';
import { foldName } from '../../places/fold-name.ts';
import { readSummary } from './listing.ts';

/** A stored answer. */
export interface StoredRow {
  readonly id: string;
  readonly accountId: string | null;
  /** of the deflated answer, as stored */
  readonly answerBytes: number;
}

/** A prediction of an account, done or not. */
export interface FoundPrediction extends Readonly<Pick<Selectable<PredictionsTable>, (typeof FOUND)[number]>> {
  /** of the deflated answer; null unless it is done */
  readonly answerBytes: number | null;
}

/** Filters of a list; absent ones match everything. */
type ListQuery = Pick<PredictionListQuery, 'limit'> & Partial<Omit<PredictionListQuery, 'limit' | 'language'>>;

export interface ListedPredictions {
  readonly predictions: readonly Omit<PredictionSummary, 'keptAudio' | 'reviews'>[];
  readonly cursor: PredictionList['cursor'];
}

/** The time of a deletion that cannot be undone. */
export const FOR_GOOD = 0;
/** Few enough that rewriting rows with long answers takes less than the space reserved for a full disk. */
const MARKED_AT_ONCE = 10;
/** A power cut may undo it, because the row is then still overdue and purged again. */
const PURGING = { patient: true, freesRoom: true, light: true } as const;

/** The others follow when these have been deleted. */
const MOST_FAILED = 50;

const FOUND = ['id', 'createdAtMs', 'state', 'fileName', 'fields', 'problem', 'apiTokenId'] as const;
/** Without the answer itself, which may have megabytes. */
const answerBytes = sql<number | null>`length(${sql.ref('answer')})`.as('answerBytes');

/** Literals, because the databases do not use an index of rows in one state when the state is a parameter. */
const LITERAL_DONE = sql.lit<PredictionState>('done');
const LITERAL_YES = sql.lit<Flag>(1);
const LITERAL_QUEUED = sql.lit<PredictionState>('queued');
const LITERAL_FAILED = sql.lit<PredictionState>('failed');

/** @throws HttpProblem NOT_FOUND unless the account has this answer */
export async function requireAnswer(query: Kysely<Tables>, accountId: string, id: string): Promise<void> {
  const answers = query.selectFrom('predictions').select('id').where('accountId', '=', accountId).where('state', '=', 'done');
  existing(await answers.where('id', '=', id).where('deletedAtMs', 'is', null).executeTakeFirst());
}

export type PredictionStore = ReturnType<typeof createPredictionStore>;

/** The predictions of accounts. Rows of other accounts are invisible. */
export function createPredictionStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  const ofAccount = (accountId: string, of: Kysely<Tables> = query) =>
    of.selectFrom('predictions').where('accountId', '=', accountId).where('deletedAtMs', 'is', null);

  const found = (accountId: string) => ofAccount(accountId).select([...FOUND, answerBytes]);

  /**
   * Changes rows of an account a few at a time, and lets other work run in between.
   *
   * @param which selects rows, but none that has been changed
   * @returns how many were changed
   */
  async function mark(
    accountId: string,
    changed: { readonly deletedAtMs: number; readonly uploadName?: null },
    which: (of: ExpressionBuilder<Tables, 'predictions'>) => Expression<SqlBool>,
  ): Promise<number> {
    for (let total = 0; ; ) {
      const { numUpdatedRows } = await change({ freesRoom: true }, (step) => {
        const rows = step.selectFrom('predictions').select('id').where('accountId', '=', accountId).where(which);
        return step.updateTable('predictions').set(changed).where('id', 'in', rows.limit(MARKED_AT_ONCE)).executeTakeFirst();
      });
      total += Number(numUpdatedRows);
      if (numUpdatedRows < MARKED_AT_ONCE) return total;
      await yieldToEventLoop();
    }
  }

  return {
    /** @param idOrKey id of the prediction, or idempotency key of the request */
    async find(accountId: string, idOrKey: string): Promise<FoundPrediction | null> {
      const rows = await found(accountId)
        .where((of) => of.or([of('id', '=', idOrKey), of('idempotencyKey', '=', idOrKey)]))
        .execute();
      return rows.find(({ id }) => id === idOrKey) ?? rows[0] ?? null;
    },

    /**
     * Lists predictions, newest first; an invalid cursor starts at the newest.
     *
     * @param names common names by scientific name that `search` also finds, besides those in the answers
     */
    async list(
      accountId: string,
      { limit, cursor, search = '', ...wanted }: ListQuery,
      names: ReadonlyMap<string, string> | null = null,
    ): Promise<ListedPredictions> {
      const from = readCursor(cursor);
      const withSpecies = query.selectFrom('predictionSpecies').select('predictionId').where('ownerId', '=', accountId);
      const having = (scientificNames: readonly string[]) =>
        withSpecies.where(expressions.isOneOf('scientificName', scientificNames));
      const words = foldName(search).split(' ').filter(Boolean);
      const meant = names === null ? [] : speciesMeant(words, names);
      // First selects ids, from an index alone.
      const listed = ofAccount(accountId)
        .select('id')
        .where('state', '=', LITERAL_DONE)
        .$if(from !== null, (some) =>
          some.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('createdAtMs', 'id'), '<', tuple(from?.createdAtMs ?? 0, from?.id ?? '')),
          ),
        )
        .where((of) =>
          of.and(
            words.map((word, index) =>
              of.or([
                of('searchText', 'like', `%${partOfName(word)}%`),
                ...[meant[index] ?? []].filter((species) => species.length > 0).map((species) => of('id', 'in', having(species))),
              ]),
            ),
          ),
        )
        .$if(wanted.species !== undefined, (some) => some.where('id', 'in', having([wanted.species ?? ''])))
        .$if(wanted.confirmed === true, (some) => some.where('id', 'in', withSpecies.where('confirmed', '=', LITERAL_YES)))
        .$if(wanted.sha256 !== undefined, (some) => some.where('sha256', '=', wanted.sha256 ?? ''))
        .$if(wanted.from !== undefined, (some) => some.where(expressions.recordedOn, '>=', wanted.from ?? ''))
        .$if(wanted.to !== undefined, (some) => some.where(expressions.recordedOn, '<=', wanted.to ?? ''))
        .$if(wanted.latitude !== undefined && wanted.longitude !== undefined, (some) =>
          some.where(({ and, or, eb }) => {
            const { south, north, spans } = around(wanted.latitude ?? 0, wanted.longitude ?? 0);
            const inSpan = spans.map(([west, east]) =>
              and([eb(expressions.longitude, '>=', west), eb(expressions.longitude, '<=', east)]),
            );
            return and([eb(expressions.latitude, '>=', south), eb(expressions.latitude, '<=', north), or(inSpan)]);
          }),
        )
        .orderBy('createdAtMs', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      const rows = await query
        .selectFrom('predictions')
        .select(['id', 'createdAtMs', 'fileName', 'summary'])
        .select([
          expressions.statedDay.as('statedDay'),
          expressions.latitude.as('latitude'),
          expressions.longitude.as('longitude'),
        ])
        .where('id', 'in', listed)
        .orderBy('createdAtMs', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const page = rows.slice(0, limit);
      return {
        predictions: page.map(({ id, createdAtMs, fileName, summary, statedDay, latitude, longitude }) => ({
          id,
          createdAt: new Date(createdAtMs).toISOString(),
          fileName,
          recordedOn: statedDay,
          place: latitude === null || longitude === null ? null : { latitude, longitude },
          ...readSummary(summary),
        })),
        cursor: rows.length > limit ? writeCursor(page.at(-1)) : null,
      };
    },

    inWork: (accountId: string): Promise<readonly FoundPrediction[]> =>
      found(accountId).where('state', '=', LITERAL_QUEUED).orderBy('createdAtMs', 'desc').execute(),

    /** Failed predictions that are not purged yet, latest first, up to `MOST_FAILED`. */
    failed: (accountId: string): Promise<readonly FoundPrediction[]> =>
      found(accountId).where('state', '=', LITERAL_FAILED).orderBy('finishedAtMs', 'desc').limit(MOST_FAILED).execute(),

    /** The number of answers by the day of their recordings, latest day first. */
    days: (accountId: string): Promise<PredictionDays['days']> =>
      query
        // SQLite groups by an expression only with the whole rows; first selecting the days needs an index alone.
        .with(
          (name) => name('recorded').materialized(),
          () => ofAccount(accountId).select(expressions.recordedOn.as('day')).where('state', '=', LITERAL_DONE),
        )
        .selectFrom('recorded')
        .select(({ fn }) => ['day', fn.countAll<number>().as('predictions')])
        .groupBy('day')
        .orderBy('day', 'desc')
        .execute(),

    /** The deflated answer; null when it no longer exists. */
    async answerOf(id: string): Promise<Uint8Array | null> {
      const row = await query.selectFrom('predictions').select('answer').where('id', '=', id).executeTakeFirst();
      return row?.answer ?? null;
    },

    /** Levels of the whole recording; null when there are none. */
    async overviewOf(id: string): Promise<Uint8Array | null> {
      const row = await query.selectFrom('predictions').select('overview').where('id', '=', id).executeTakeFirst();
      return row?.overview ?? null;
    },

    /** Parts of the deflated evidence, in order. Reads one at a time, and lets other work run in between. */
    async evidenceOf(id: string): Promise<readonly Uint8Array[]> {
      const parts: Uint8Array[] = [];
      for (;;) {
        const row = await query
          .selectFrom('predictionEvidence')
          .select('bytes')
          .where('predictionId', '=', id)
          .where('part', '=', parts.length)
          .executeTakeFirst();
        if (!row) return parts;
        parts.push(row.bytes);
        await yieldToEventLoop();
      }
    },

    async evidenceBytesOf(id: string): Promise<number> {
      const { bytes } = await query
        .selectFrom('predictionEvidence')
        .select(({ fn }) => fn.sum<number | null>(fn<number>('length', ['bytes'])).as('bytes'))
        .where('predictionId', '=', id)
        .executeTakeFirstOrThrow();
      return bytes ?? 0;
    },

    /** Sets answers and failures aside; they can be restored until they are purged. @returns how many */
    async remove(accountId: string, id: string | 'all'): Promise<number> {
      return mark(accountId, { deletedAtMs: now() }, (of) =>
        of.and([
          of('deletedAtMs', 'is', null),
          sql<SqlBool>`state IN ('done', 'failed')`,
          ...(id === 'all' ? [] : [of('id', '=', id)]),
        ]),
      );
    },

    /** Restores what was set aside after a time. @returns how many */
    restore: (accountId: string, idOrKey: string | 'all', removedAfterMs: number): Promise<number> =>
      change({ freesRoom: true, ownRows: true }, async (transaction) => {
        const rows = await transaction
          .selectFrom('predictions')
          .select(['id', 'idempotencyKey'])
          .where('accountId', '=', accountId)
          .where('deletedAtMs', '>', removedAfterMs)
          .$if(idOrKey !== 'all', (some) =>
            some.where((of) => of.or([of('id', '=', idOrKey), of('idempotencyKey', '=', idOrKey)])),
          )
          .execute();
        let restored = 0;
        for (const { id, idempotencyKey } of rows) {
          // If the key now stands for a newer prediction, that one keeps it.
          const taken = await ofAccount(accountId, transaction)
            .select('id')
            .where('idempotencyKey', '=', idempotencyKey ?? '')
            .executeTakeFirst();
          const change = { deletedAtMs: null, ...(taken ? { idempotencyKey: null } : {}) };
          const { numUpdatedRows } = await transaction
            .updateTable('predictions')
            .set(change)
            .where('id', '=', id)
            .where('deletedAtMs', '>', removedAfterMs)
            .executeTakeFirst();
          restored += Number(numUpdatedRows);
        }
        return restored;
      }),

    /** What was set aside, or failed, before a time. */
    async overdue(removedBeforeMs: number, failedBeforeMs: number): Promise<readonly { id: string; accountId: string | null }[]> {
      const some = query.selectFrom('predictions').select(['id', 'accountId']);
      const removed = some.where('deletedAtMs', '<=', removedBeforeMs);
      const failed = some.where('state', '=', LITERAL_FAILED).where('finishedAtMs', '<=', failedBeforeMs);
      // Two queries, because each has its own index. A row in both is purged twice, which does no harm.
      return [...(await removed.execute()), ...(await failed.execute())];
    },

    /** Predictions that no longer exist but whose audio is still kept, because a process was killed before it removed it. */
    goneWithSound: (): Promise<readonly { id: string; accountId: string }[]> =>
      query
        .selectFrom('keptSounds')
        .select(['predictionId as id', 'accountId'])
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('predictions').select('id').whereRef('predictions.id', '=', 'keptSounds.predictionId'))),
        )
        .execute(),

    /**
     * Removes a row for good, its evidence first, part by part, and lets other work run in between: overwriting tens of megabytes at once
     * would hold up all requests. Can be interrupted and restarted.
     */
    async purge(id: string, signal: AbortSignal): Promise<void> {
      for (let parts = 1n; parts > 0n; ) {
        if (signal.aborted) return;
        const { numDeletedRows } = await change(PURGING, (connection) =>
          connection
            .deleteFrom('predictionEvidence')
            .where('predictionId', '=', id)
            .where('part', '=', (of) =>
              of
                .selectFrom('predictionEvidence')
                .select(({ fn }) => fn.min('part').as('first'))
                .where('predictionId', '=', id),
            )
            .executeTakeFirst(),
        );
        parts = numDeletedRows;
        await yieldToEventLoop();
      }
      await change(PURGING, (connection) => connection.deleteFrom('predictions').where('id', '=', id).execute());
    },

    /**
     * Removes the predictions of an account, or those sent up to a time. When this returns, none of them can be found or restored. Queued
     * rows are deleted; all others are overdue and left to be purged. Idempotent.
     *
     * @returns predictions that were queued or had an upload left
     */
    async removeAccount(
      accountId: string,
      createdUntilMs = Number.MAX_SAFE_INTEGER,
    ): Promise<{ readonly jobs: readonly { id: string; uploadName: string | null }[] }> {
      const jobs = await change({ freesRoom: true }, async (transaction) => {
        const own = await transaction
          .selectFrom('predictions')
          .select(['id', 'uploadName'])
          .where('accountId', '=', accountId)
          .where('createdAtMs', '<=', createdUntilMs)
          .where('uploadName', 'is not', null)
          .execute();
        await transaction
          .deleteFrom('predictions')
          .where('accountId', '=', accountId)
          .where('createdAtMs', '<=', createdUntilMs)
          .where('state', '=', 'queued')
          .execute();
        return own;
      });
      await mark(accountId, { deletedAtMs: FOR_GOOD, uploadName: null }, (of) =>
        of.and([of('createdAtMs', '<=', createdUntilMs), of('deletedAtMs', 'is distinct from', FOR_GOOD)]),
      );
      return { jobs };
    },

    /** Answers of an account, oldest first, except those deleted before their turn. */
    async *answersOf(accountId: string): AsyncIterable<StoredRow> {
      const ids = await ofAccount(accountId)
        .select('id')
        .where('state', '=', 'done')
        .orderBy('createdAtMs')
        .orderBy('id')
        .execute();
      for (const { id } of ids) {
        const row = await ofAccount(accountId).select(answerBytes).where('id', '=', id).executeTakeFirst();
        if (row?.answerBytes) yield { id, accountId, answerBytes: row.answerBytes };
      }
    },
  };
}

/** How far from a town a recording is still near it. */
const NEAR_KM = 25;
const KM_PER_DEGREE = 111.2;

/** A square around a place: latitudes, and one or two spans of longitudes, split at the date line. */
function around(latitude: number, longitude: number) {
  const high = NEAR_KM / KM_PER_DEGREE;
  const wide = Math.min(180, high / Math.max(0.001, Math.cos((latitude * Math.PI) / 180)));
  const west = longitude - wide;
  const east = longitude + wide;
  const spans: (readonly [west: number, east: number])[] = [[west, east]];
  if (west < -180) spans.push([west + 360, 180]);
  if (east > 180) spans.push([-180, east - 360]);
  return { south: latitude - high, north: latitude + high, spans };
}

/** Folded names, keyed by a model's map of names, which stays the same object. */
const foldedNames = new WeakMap<ReadonlyMap<string, string>, ReadonlyMap<string, string>>();

/** For each word, the species that have it in their names. */
function speciesMeant(words: readonly string[], names: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const folded = foldedNames.get(names) ?? new Map([...names].map(([species, name]) => [species, ` ${foldName(name)}`]));
  foldedNames.set(names, folded);
  return words.map((word) => [...folded].flatMap(([species, name]) => (name.includes(partOfName(word)) ? [species] : [])));
}

function writeCursor(last: { createdAtMs: number; id: string } | undefined): string | null {
  return last === undefined ? null : Buffer.from(`${last.createdAtMs} ${last.id}`).toString('base64url');
}

function readCursor(cursor: string | undefined): { createdAtMs: number; id: string } | null {
  const [, createdAtMs, id] = /^(\d{1,16}) (\S{1,64})$/.exec(Buffer.from(cursor ?? '', 'base64url').toString()) ?? [];
  return createdAtMs === undefined || id === undefined ? null : { createdAtMs: Number(createdAtMs), id };
}
