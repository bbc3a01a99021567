import type { Analysis } from '@chiffchaff/analysis';
import type { HeardSpecies, Prediction, PredictionList, PredictionSummary } from '@chiffchaff/contract';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import type { PredictionState, Tables } from '../../database/tables.ts';
import { foldName } from '../../places/fold-name.ts';
import type { StoredRow } from './answers.ts';

/** A prediction of an account, done or not. */
export interface FoundPrediction {
  readonly id: string;
  readonly createdAtMs: number;
  readonly state: PredictionState;
  readonly fileName: string | null;
  readonly bytes: number;
  /** of the deflated answer; null unless it is done */
  readonly answerBytes: number | null;
  /** JSON; null unless it failed */
  readonly problem: string | null;
  readonly uploadName: string | null;
}

export interface ListedPredictions {
  readonly predictions: readonly Omit<PredictionSummary, 'keptAudio'>[];
  readonly cursor: PredictionList['cursor'];
}

/** As the moment of a deletion: it cannot be undone. */
export const FOR_GOOD = 0;
/** With long answers, each of which is written anew, still less than what is set aside for a full disk. */
const MARKED_AT_ONCE = 10;
/** A power cut may undo it: the row is overdue still, and is purged again. */
const PURGING = { patient: true, freesRoom: true, light: true } as const;

/** The others follow when these are deleted. */
const MOST_FAILED = 50;

const FOUND = ['id', 'createdAtMs', 'state', 'fileName', 'bytes', 'problem', 'uploadName'] as const;
/** Without the answer itself, which may have megabytes. */
const answerBytes = sql<number | null>`length(answer)`.as('answerBytes');

export type PredictionStore = ReturnType<typeof createPredictionStore>;

/** What accounts have asked and were told. Nothing is found under another account than its own. */
export function createPredictionStore({ query, change }: Database, now: () => number = Date.now) {
  const ofAccount = (accountId: string, of: Kysely<Tables> = query) =>
    of.selectFrom('predictions').where('accountId', '=', accountId).where('deletedAtMs', 'is', null);

  /** Changes rows a few at a time, with room for other work in between. @param which none that has been changed. @returns how many */
  async function mark(
    changed: { readonly deletedAtMs: number; readonly uploadName?: null },
    which: (
      rows: SelectQueryBuilder<Tables, 'predictions', { id: string }>,
    ) => SelectQueryBuilder<Tables, 'predictions', { id: string }>,
  ): Promise<number> {
    for (let total = 0; ; ) {
      const { numUpdatedRows } = await change({ freesRoom: true }, (step) =>
        step
          .updateTable('predictions')
          .set(changed)
          .where('id', 'in', which(step.selectFrom('predictions').select('id')).limit(MARKED_AT_ONCE))
          .executeTakeFirst(),
      );
      total += Number(numUpdatedRows);
      if (numUpdatedRows < MARKED_AT_ONCE) return total;
      await giveWay();
    }
  }

  /** Of each word, the species of the account that have it in their name. */
  async function speciesMeant(
    accountId: string,
    words: readonly string[],
    names: ReadonlyMap<string, string>,
  ): Promise<readonly (readonly string[])[]> {
    if (words.length === 0) return [];
    const heard = await ofAccount(accountId)
      .innerJoin('predictionSpecies', 'predictionSpecies.predictionId', 'predictions.id')
      .select('scientificName')
      .distinct()
      .execute();
    const folded = heard.map(({ scientificName }) => ({ scientificName, name: ` ${foldName(names.get(scientificName) ?? '')}` }));
    return words.map((word) =>
      folded.filter(({ name }) => name.includes(` ${word}`)).map(({ scientificName }) => scientificName),
    );
  }

  return {
    /** @param idOrKey id of the prediction, or idempotency key of the request */
    async find(accountId: string, idOrKey: string): Promise<FoundPrediction | null> {
      const rows = await ofAccount(accountId)
        .select([...FOUND, answerBytes, 'idempotencyKey'])
        .where((of) => of.or([of('id', '=', idOrKey), of('idempotencyKey', '=', idOrKey)]))
        .execute();
      return rows.find(({ id }) => id === idOrKey) ?? rows[0] ?? null;
    },

    /**
     * Newest first; a cursor that is none begins at the newest.
     *
     * @param names common names by scientific name that `search` finds, too, besides those that were given in the answers
     */
    async list(
      accountId: string,
      { limit, cursor, search = '' }: { limit: number; cursor?: string | undefined; search?: string | undefined },
      names: ReadonlyMap<string, string> | null = null,
    ): Promise<ListedPredictions> {
      const from = readCursor(cursor);
      const words = foldName(search).split(' ').filter(Boolean);
      const meant = names === null ? [] : await speciesMeant(accountId, words, names);
      const rows = await ofAccount(accountId)
        .select(['id', 'createdAtMs', 'fileName', 'summary'])
        .where('state', '=', 'done')
        .$if(from !== null, (some) => some.where(sql<boolean>`(createdAtMs, id) < (${from?.createdAtMs}, ${from?.id})`))
        .where((of) =>
          of.and(
            words.map((word, index) =>
              of.or([
                of('searchText', 'like', `% ${word}%`),
                of(
                  'id',
                  'in',
                  of
                    .selectFrom('predictionSpecies')
                    .select('predictionId')
                    .where('scientificName', 'in', meant[index] ?? []),
                ),
              ]),
            ),
          ),
        )
        .orderBy('createdAtMs', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      return {
        predictions: page.map(({ id, createdAtMs, fileName, summary }) => ({
          id,
          createdAt: new Date(createdAtMs).toISOString(),
          fileName,
          ...readSummary(summary),
        })),
        cursor: rows.length > limit ? writeCursor(page.at(-1)) : null,
      };
    },

    inWork: (accountId: string): Promise<readonly FoundPrediction[]> =>
      ofAccount(accountId)
        .select([...FOUND, answerBytes])
        .where('state', '=', 'queued')
        .orderBy('createdAtMs', 'desc')
        .execute(),

    /** What came to no answer and is not purged yet, the latest first; of very many, those. */
    failed: (accountId: string): Promise<readonly FoundPrediction[]> =>
      ofAccount(accountId)
        .select([...FOUND, answerBytes])
        .where('state', '=', 'failed')
        .orderBy('finishedAtMs', 'desc')
        .limit(MOST_FAILED)
        .execute(),

    async species(accountId: string): Promise<HeardSpecies['species']> {
      const heard = ofAccount(accountId)
        .innerJoin('predictionSpecies', 'predictionSpecies.predictionId', 'predictions.id')
        .groupBy('scientificName');
      // SQLite takes bare columns from the row of the one max(): the name as it was last given.
      const named = await heard.select(({ fn }) => ['scientificName', 'commonName', fn.max('createdAtMs').as('last')]).execute();
      const names = new Map(named.map(({ scientificName, commonName }) => [scientificName, commonName]));
      const rows = await heard
        .select(({ fn }) => [
          'scientificName',
          sql<string>`min(coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')))`.as('first'),
          fn.max('confidence').as('confidence'),
          fn.countAll<number>().as('predictions'),
        ])
        .orderBy('first', 'desc')
        .orderBy('scientificName')
        .execute();
      return rows.map(({ scientificName, first, confidence, predictions }) => ({
        scientificName,
        commonName: names.get(scientificName) ?? scientificName,
        firstHeardOn: first,
        confidence,
        predictions,
      }));
    },

    /** The deflated answer; null when there is none any more. */
    async answerOf(id: string): Promise<Uint8Array | null> {
      const row = await query.selectFrom('predictions').select('answer').where('id', '=', id).executeTakeFirst();
      return row?.answer ?? null;
    },

    /** Parts of the deflated evidence, in order. Read one by one, with room for other work in between. */
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
        await giveWay();
      }
    },

    async evidenceBytesOf(id: string): Promise<number> {
      const { bytes } = await query
        .selectFrom('predictionEvidence')
        .select(sql<number>`coalesce(sum(length(bytes)), 0)`.as('bytes'))
        .where('predictionId', '=', id)
        .executeTakeFirstOrThrow();
      return bytes;
    },

    /** Sets answers aside; they can be restored until they are purged. @returns how many */
    async remove(accountId: string, id: string | 'all'): Promise<number> {
      return mark({ deletedAtMs: now() }, (some) =>
        some
          .where('accountId', '=', accountId)
          .where('deletedAtMs', 'is', null)
          .where(sql<boolean>`state IN ('done', 'failed')`)
          .$if(id !== 'all', (those) => those.where('id', '=', id)),
      );
    },

    /** Brings back what was set aside after a moment. @returns how many */
    restore: (accountId: string, idOrKey: string | 'all', removedAfterMs: number): Promise<number> =>
      change({ freesRoom: true }, async (transaction) => {
        const rows = await transaction
          .selectFrom('predictions')
          .select(['id', 'idempotencyKey'])
          .where('accountId', '=', accountId)
          .where('deletedAtMs', '>', removedAfterMs)
          .$if(idOrKey !== 'all', (some) =>
            some.where((of) => of.or([of('id', '=', idOrKey), of('idempotencyKey', '=', idOrKey)])),
          )
          .execute();
        for (const { id, idempotencyKey } of rows) {
          // The key may stand for a newer prediction by now; that one keeps it.
          const taken = await ofAccount(accountId, transaction)
            .select('id')
            .where('idempotencyKey', '=', idempotencyKey ?? '')
            .executeTakeFirst();
          const change = { deletedAtMs: null, ...(taken ? { idempotencyKey: null } : {}) };
          await transaction.updateTable('predictions').set(change).where('id', '=', id).execute();
        }
        return rows.length;
      }),

    /** What was set aside, or failed, before a moment. */
    async overdue(removedBeforeMs: number, failedBeforeMs: number): Promise<readonly { id: string; accountId: string }[]> {
      const rows = await query
        .selectFrom('predictions')
        .select(['id', 'accountId'])
        .where((of) =>
          of.or([
            of('deletedAtMs', '<=', removedBeforeMs),
            of.and([of('state', '=', 'failed'), of('finishedAtMs', '<=', failedBeforeMs)]),
          ]),
        )
        .execute();
      return rows.flatMap(({ id, accountId }) => (accountId === null ? [] : [{ id, accountId }]));
    },

    /** Predictions that are gone for good though sound of them is still kept: what a killed process did not come to remove. */
    goneWithSound: (): Promise<readonly { id: string; accountId: string }[]> =>
      query
        .selectFrom('keptSounds')
        .select(['predictionId as id', 'accountId'])
        .where('predictionId', 'not in', (of) => of.selectFrom('predictions').select('id'))
        .execute(),

    /**
     * Removes a row for good, its evidence first and part by part, with room for other work in between: to overwrite tens of megabytes at
     * once would hold up all requests. May be broken off and begun again.
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
        await giveWay();
      }
      await change(PURGING, (connection) => connection.deleteFrom('predictions').where('id', '=', id).execute());
    },

    /**
     * Nothing of an account is found or can be restored any more when this returns, and all of it is overdue: what is under way is gone,
     * everything else is left to be purged. May be called again. @returns what was under way, or had an upload left
     */
    async removeAccount(accountId: string): Promise<{ readonly jobs: readonly { id: string; uploadName: string | null }[] }> {
      const jobs = await change({ freesRoom: true }, async (transaction) => {
        const own = await transaction
          .selectFrom('predictions')
          .select(['id', 'uploadName'])
          .where('accountId', '=', accountId)
          .where('uploadName', 'is not', null)
          .execute();
        await transaction.deleteFrom('predictions').where('accountId', '=', accountId).where('state', '=', 'queued').execute();
        return own;
      });
      await mark({ deletedAtMs: FOR_GOOD, uploadName: null }, (some) =>
        some.where('accountId', '=', accountId).where(sql<boolean>`deletedAtMs IS NOT ${FOR_GOOD}`),
      );
      return { jobs };
    },

    /** Answers of an account that are still there when it is their turn, oldest first. */
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

/** Lets whatever else waits for the event loop go first. */
const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What is read back was written by `listed`. */
function readSummary(stored: string | null): Summary {
  return JSON.parse(stored ?? '') as Summary;
}

function writeCursor(last: { createdAtMs: number; id: string } | undefined): string | null {
  return last === undefined ? null : Buffer.from(`${last.createdAtMs} ${last.id}`).toString('base64url');
}

function readCursor(cursor: string | undefined): { createdAtMs: number; id: string } | null {
  const [, createdAtMs, id] = /^(\d{1,16}) (\S{1,64})$/.exec(Buffer.from(cursor ?? '', 'base64url').toString()) ?? [];
  return createdAtMs === undefined || id === undefined ? null : { createdAtMs: Number(createdAtMs), id };
}

/** What a list shows of a prediction besides its row and its sound. */
type Summary = Pick<PredictionSummary, 'durationSeconds' | 'verdict' | 'species'>;

/** What a row holds for lists, which never open the answer. */
export function listed({ recording, verdict }: Prediction, species: Analysis['species']) {
  const { kind, tied, sentence, named } = verdict;
  const summary: Summary = {
    durationSeconds: recording.durationSeconds,
    verdict: { kind, tied, sentence, named },
    species,
  };
  const names = species.flatMap(({ scientificName, commonName }) => [scientificName, commonName]);
  const searchText = ` ${[recording.fileName ?? '', ...names].map(foldName).join(' ')}`;
  return { summary: JSON.stringify(summary), searchText };
}
