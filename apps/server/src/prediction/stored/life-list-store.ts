import type { ConfirmedBirds, HeardBefore, ImportedBird, LifeList, PredictionFields, Sighting } from '@chiffchaff/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { readSummary } from './listing.ts';
import { FOR_GOOD } from './prediction-store.ts';

/** With its name in the model. */
type Named = ImportedBird & { readonly commonName: string };

/** Rows that are inserted at once: few enough for the variables of a query. */
const ROWS_AT_ONCE = 1000;

export type LifeListStore = ReturnType<typeof createLifeListStore>;

/** The life lists of accounts: the species rows of their predictions, and the birds that they imported. */
export function createLifeListStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  const importedOf = (accountId: string) =>
    query.selectFrom('importedBirds').where('accountId', '=', accountId).where('deletedAtMs', 'is', null);

  return {
    /** @param year that is "this year" */
    async read(accountId: string, year = new Date(now()).getUTCFullYear()): Promise<LifeList> {
      const [from, to] = [`${year}-01-01`, `${year}-12-31`];
      const named = await query
        .selectFrom(speciesOf(query, accountId).as('heard'))
        .select(({ fn, ref }) => {
          // Confirmed ones first, of these the first day, of this the recording that was sent first.
          const order = sql<string>`(1 - ${ref('confirmed')}) || ' ' || ${ref('recordedOn')} || ' ' || ${ref('sentAtMs')} || ' ' || ${ref('predictionId')} || ' ' || ${ref('confidence')}`;
          return [
            'scientificName',
            fn.max(sql<string>`${ref('sentAtMs')} || ' ' || ${ref('commonName')}`).as('latestName'),
            fn.min(order).as('first'),
            fn
              .min<string | null>(order)
              .filterWhere('recordedOn', '>=', from)
              .filterWhere('recordedOn', '<=', to)
              .as('firstThisYear'),
            fn.sum<number>('confirmed').as('confirmedPredictions'),
            fn.countAll<number>().as('predictions'),
          ];
        })
        .groupBy('scientificName')
        .execute();
      const imported = await importedOf(accountId)
        .select(['scientificName', 'commonName', 'foundOn', 'latitude', 'longitude'])
        .execute();
      const heard = named.map(({ latestName, ...bird }) => ({
        ...bird,
        commonName: latestName.slice(latestName.indexOf(' ') + 1),
      }));
      const birds = new Map(heard.map((bird) => [bird.scientificName, bird]));
      for (const { scientificName, commonName, foundOn } of imported) {
        const first = `0 ${foundOn}`;
        const unheard = { scientificName, commonName, first, firstThisYear: null, confirmedPredictions: 0, predictions: 0 };
        const bird = birds.get(scientificName) ?? unheard;
        const firstThisYear = foundOn >= from && foundOn <= to ? earlier(bird.firstThisYear, first) : bird.firstThisYear;
        birds.set(scientificName, { ...bird, first: earlier(bird.first, first), firstThisYear });
      }
      const firsts = [...birds.values()].flatMap(({ first, firstThisYear }) => [first, firstThisYear ?? '']);
      const rows = await query
        .selectFrom('predictions')
        .select(['id', 'fields'])
        .where(expressions.isOneOf('id', [...new Set(firsts.flatMap((first) => first.split(' ')[3] ?? []))]))
        .execute();
      const fields = new Map(rows.map((row) => [row.id, JSON.parse(row.fields) as Partial<PredictionFields>]));
      const places = new Map(imported.map((bird) => [`${bird.scientificName} ${bird.foundOn}`, bird]));
      function sighting(scientificName: string, first: string): Sighting {
        const [unconfirmed, on = '', sentAtMs, predictionId = null, confidence = 0] = first.split(' ');
        const { date = null, ...at } = (predictionId === null ? null : fields.get(predictionId)) ?? {};
        const place = predictionId === null ? places.get(`${scientificName} ${on}`) : at;
        return {
          on,
          sentAt: predictionId === null || date !== null ? null : new Date(Number(sentAtMs)).toISOString(),
          place:
            place?.latitude == null || place.longitude == null ? null : { latitude: place.latitude, longitude: place.longitude },
          confirmed: unconfirmed === '0',
          predictionId,
          confidence: Number(confidence),
        };
      }
      const species = [...birds.values()].map(({ first, firstThisYear, ...bird }) => ({
        ...bird,
        first: sighting(bird.scientificName, first),
        firstThisYear: firstThisYear === null ? null : sighting(bird.scientificName, firstThisYear),
      }));
      return { species: species.sort(byFirst), imported: new Set(imported.map(({ scientificName }) => scientificName)).size };
    },

    /** The birds confirmed in recordings with a stated day and place, recording by recording in the order of their days. */
    async confirmed(accountId: string): Promise<ConfirmedBirds> {
      const { statedDay, latitude, longitude } = expressions;
      const rows = await query
        .selectFrom(speciesOf(query, accountId).where('confirmed', '=', 1).as('heard'))
        .innerJoin('predictions', 'predictions.id', 'heard.predictionId')
        .select(['heard.scientificName', 'heard.commonName', 'heard.predictionId'])
        .select([statedDay.as('on'), latitude.as('latitude'), longitude.as('longitude')])
        .orderBy('heard.recordedOn')
        .orderBy('heard.predictionId')
        .execute();
      const birds = rows.flatMap(({ on, latitude, longitude, ...bird }) =>
        on === null || latitude === null || longitude === null ? [] : [{ ...bird, on, place: { latitude, longitude } }],
      );
      return { birds, leftOut: rows.length - birds.length };
    },

    /** For each bird that an answer names: how often the account has heard it this year, up to its recording, and when before. */
    async heardBefore(accountId: string, id: string): Promise<readonly HeardBefore[]> {
      const row = await query
        .selectFrom('predictions')
        .select(['summary', 'createdAtMs'])
        .select(expressions.recordedOn.as('recordedOn'))
        .where('accountId', '=', accountId)
        .where('deletedAtMs', 'is', null)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row?.summary) return [];
      const names = readSummary(row.summary).verdict.named.map(({ scientificName }) => scientificName);
      if (names.length === 0) return [];
      const { recordedOn, createdAtMs } = row;
      const counted = await query
        .selectFrom(speciesOf(query, accountId).as('heard'))
        .select(({ fn, eb }) => [
          'scientificName',
          fn
            .countAll<number>()
            .filterWhere('recordedOn', '>=', `${recordedOn.slice(0, 4)}-01-01`)
            .as('timesThisYear'),
          fn.max(eb.case().when('predictionId', '<>', id).then(eb.ref('recordedOn')).end()).as('lastHeardOn'),
        ])
        .where('scientificName', 'in', names)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('recordedOn', 'sentAtMs', 'predictionId'), '<=', tuple(recordedOn, createdAtMs, id)),
        )
        .groupBy('scientificName')
        .execute();
      const imported = await importedOf(accountId)
        .select(({ fn }) => ['scientificName', fn.max('foundOn').as('lastFoundOn')])
        .where('scientificName', 'in', names)
        .where('foundOn', '<', recordedOn)
        .groupBy('scientificName')
        .execute();
      const heard = new Map(counted.map((one) => [one.scientificName, one]));
      const found = new Map(imported.map((one) => [one.scientificName, one.lastFoundOn]));
      return names.map((scientificName) => {
        const { timesThisYear = 0, lastHeardOn = null } = heard.get(scientificName) ?? {};
        const lastFoundOn = found.get(scientificName) ?? '';
        return { scientificName, timesThisYear, lastHeardOn: lastFoundOn > (lastHeardOn ?? '') ? lastFoundOn : lastHeardOn };
      });
    },

    /** Replaces everything that was imported. */
    replaceImported: (accountId: string, birds: readonly Named[]): Promise<void> =>
      change({}, async (transaction) => {
        await transaction.deleteFrom('importedBirds').where('accountId', '=', accountId).execute();
        const importedAtMs = now();
        const rows = birds.map(({ scientificName, commonName, on: foundOn, place }) => ({
          ...{ accountId, scientificName, commonName, foundOn, importedAtMs },
          ...{ latitude: place?.latitude ?? null, longitude: place?.longitude ?? null },
        }));
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
          await transaction
            .insertInto('importedBirds')
            .values(rows.slice(from, from + ROWS_AT_ONCE))
            .execute();
      }),

    /** What was imported, for the export of an account. */
    imported: (accountId: string) =>
      importedOf(accountId)
        .select(['scientificName', 'commonName', 'foundOn', 'latitude', 'longitude'])
        .orderBy('scientificName')
        .orderBy('foundOn')
        .execute(),

    /** Sets aside what was imported; it can be restored until it is purged. @returns 1, or 0 if there was nothing */
    remove: (accountId: string): Promise<number> =>
      change({ freesRoom: true }, async (step) => {
        const ofAccount = step.updateTable('importedBirds').where('accountId', '=', accountId).where('deletedAtMs', 'is', null);
        return Math.min(1, Number((await ofAccount.set({ deletedAtMs: now() }).executeTakeFirst()).numUpdatedRows));
      }),

    /** Restores what was set aside after a time. @returns 1, or 0 if there was nothing */
    restore: (accountId: string, removedAfterMs: number): Promise<number> =>
      change({ freesRoom: true }, async (step) => {
        const removed = step
          .updateTable('importedBirds')
          .where('accountId', '=', accountId)
          .where('deletedAtMs', '>', removedAfterMs);
        return Math.min(1, Number((await removed.set({ deletedAtMs: null }).executeTakeFirst()).numUpdatedRows));
      }),

    /** Removes for good what was set aside before a time. */
    purge: (removedBeforeMs: number) =>
      change({ patient: true, freesRoom: true }, (step) =>
        step.deleteFrom('importedBirds').where('deletedAtMs', '<=', removedBeforeMs).execute(),
      ),

    /** Removes for good what an account imported up to a time. */
    removeAccount: (accountId: string, importedUntilMs = Number.MAX_SAFE_INTEGER) =>
      change({ freesRoom: true }, (step) =>
        step
          .deleteFrom('importedBirds')
          .where('accountId', '=', accountId)
          .where('importedAtMs', '<=', importedUntilMs)
          .execute(),
      ),
  };
}

/** All species rows of an account, except of deleted predictions, from an index that covers the selected columns. */
const speciesOf = (query: Kysely<Tables>, accountId: string) =>
  query
    .selectFrom('predictionSpecies')
    .select(['predictionId', 'scientificName', 'commonName', 'confidence', 'confirmed', 'sentAtMs', 'recordedOn'])
    .where('ownerId', '=', accountId)
    .where('predictionId', 'not in', (of) =>
      of.selectFrom('predictions').select('id').where('accountId', '=', accountId).where('deletedAtMs', '>=', FOR_GOOD),
    );

const earlier = (known: string | null, other: string): string => (known !== null && known < other ? known : other);

/** Latest first. */
function byFirst(one: LifeList['species'][number], other: LifeList['species'][number]): number {
  if (one.first.on !== other.first.on) return one.first.on < other.first.on ? 1 : -1;
  return one.scientificName < other.scientificName ? -1 : 1;
}
