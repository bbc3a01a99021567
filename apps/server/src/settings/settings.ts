import { type OperatorSettings, operatorSettingsSchema, type PublicTerms } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/open-database.ts';
import type { Tables } from '../database/tables.ts';
import { invalidFields } from '../http/http-problem.ts';
import {
  blanks,
  type EnvironmentSettings,
  findSettingFaults,
  fixedFields,
  type OtherField,
  otherFields,
  tidySettings,
} from './settings-fields.ts';

/** The settings in effect: the environment's value of each field, else the saved one, else null. */
export interface CurrentSettings extends OperatorSettings {
  /** How many times the saved terms have changed. */
  readonly termsRevision: number;
}

export type Settings = Awaited<ReturnType<typeof openSettings>>;

/** Notification channel between machines. */
const CHANNEL = 'settings';
const READ_AGAIN_MS = 3000;

/** Rows of the table `settings`, by name. */
const rowSchemas = {
  ...operatorSettingsSchema.shape,
  terms: operatorSettingsSchema.shape.terms.partial(),
  termsRevision: z.int().nonnegative(),
};
type RowName = keyof typeof rowSchemas;
type Rows = { readonly [Name in RowName]?: z.infer<(typeof rowSchemas)[Name]> };

/**
 * Settings that the operator can change while the server runs, the same on all machines. Never secrets, and nothing about mail, proxies or
 * access.
 *
 * @param environment takes precedence over saved values
 * @throws DatabaseError
 */
export async function openSettings(database: Database, environment: EnvironmentSettings, log: Pick<FastifyBaseLogger, 'warn'>) {
  const fixed = fixedFields(environment);

  async function readRows(query: Kysely<Tables>): Promise<Rows> {
    const rows = await query.selectFrom('settings').selectAll().execute();
    return Object.fromEntries(
      rows.flatMap(({ name, value }) => {
        const schema = Object.hasOwn(rowSchemas, name) ? rowSchemas[name as RowName] : null;
        const read = schema?.safeParse(JSON.parse(value));
        if (read?.success) return [[name, read.data]];
        log.warn({ setting: name }, 'a setting in the database cannot be read and is ignored');
        return [];
      }),
    );
  }

  function combine({ terms, ...rows }: Rows): CurrentSettings {
    return {
      terms: Object.fromEntries(
        blanks.map((blank) => [blank, environment.terms[blank] ?? terms?.[blank] ?? null]),
      ) as PublicTerms,
      defaultPlace: environment.defaultPlace ?? rows.defaultPlace ?? null,
      defaultLanguage: environment.defaultLanguage ?? rows.defaultLanguage ?? null,
      speciesPictures: environment.speciesPictures ?? rows.speciesPictures ?? null,
      termsRevision: rows.termsRevision ?? 0,
    };
  }

  let current = combine(await readRows(database.query));
  /** Reads one after the other, so that an older result never replaces a newer one. */
  let reading: Promise<void> = Promise.resolve();
  let again: NodeJS.Timeout | undefined;

  function refresh(): Promise<void> {
    reading = reading.then(async () => {
      try {
        current = combine(await readRows(database.query));
      } catch (error) {
        log.warn({ err: error }, 'the settings could not be read again; the next try follows');
        again = setTimeout(refresh, READ_AGAIN_MS).unref();
      }
    });
    return reading;
  }
  const stop = isPostgres(database)
    ? await database.listen(
        CHANNEL,
        () => void refresh(),
        () => void refresh(),
      )
    : null;
  // Picks up changes from before it listened.
  if (stop) await refresh();

  const isFixed = (field: string): boolean => Object.hasOwn(fixed, field);

  /** @throws HttpProblem REQUEST_INVALID if a value is not valid, or differs from one that the environment sets */
  function requireValid(wanted: OperatorSettings): void {
    const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
    const overruled = [
      ...blanks.filter((blank) => isFixed(blank) && differs(wanted.terms[blank], environment.terms[blank])),
      ...otherFields.filter((field) => isFixed(field) && differs(wanted[field], environment[field])),
    ].map((field) => ({ field, message: `is set by ${fixed[field]}` }));
    const faults = [...findSettingFaults(wanted), ...overruled];
    if (faults.length > 0) throw invalidFields(faults);
  }

  return {
    /** The settings in effect. Read them when they are needed; do not keep them. */
    current: (): CurrentSettings => current,
    /** Fields that the environment sets, each with its variable. */
    fixed,
    /** Whether nothing was ever saved. */
    async isUnset(): Promise<boolean> {
      return (await database.query.selectFrom('settings').select('name').limit(1).execute()).length === 0;
    },
    /**
     * Saves all fields except those that the environment sets.
     *
     * @param alongside makes changes in the same transaction; an error in it rolls back everything
     * @throws HttpProblem REQUEST_INVALID
     */
    async save(given: OperatorSettings, alongside: (query: Kysely<Tables>) => Promise<void>): Promise<void> {
      const wanted = tidySettings(given);
      requireValid(wanted);
      await database.change({}, async (query) => {
        await alongside(query);
        const rows = await readRows(query);
        const free = blanks.filter((blank) => !isFixed(blank));
        const areTermsChanged = free.some((blank) => wanted.terms[blank] !== (rows.terms?.[blank] ?? null));
        const saved: Rows = {
          // A field that the environment sets keeps its saved value, for when the environment no longer sets it.
          terms: { ...rows.terms, ...Object.fromEntries(free.map((blank) => [blank, wanted.terms[blank]])) },
          termsRevision: (rows.termsRevision ?? 0) + (areTermsChanged ? 1 : 0),
          ...(Object.fromEntries(
            otherFields.filter((field) => !isFixed(field)).map((field) => [field, wanted[field]]),
          ) as Partial<Pick<OperatorSettings, OtherField>>),
        };
        const values = Object.entries(saved).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
        for (const row of values) {
          await query
            .insertInto('settings')
            .values(row)
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
            .execute();
        }
        if (isPostgres(database)) await database.notify(CHANNEL, '', query);
      });
      await refresh();
    },
    async close(): Promise<void> {
      await stop?.();
      await reading;
      clearTimeout(again);
    },
  };
}
