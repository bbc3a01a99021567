import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** SQL expressions that differ between the databases. */
const sqlite = {
  /** Day of the recording as its sender stated it, else the day it was sent (UTC): `2026-05-01`. */
  recordedOn: sql<string>`coalesce(fields ->> '$.date', date(createdAtMs / 1000, 'unixepoch'))`,
  /** The stated day; null if none was stated. */
  statedDay: sql<string | null>`(fields ->> '$.date')`,
  /** Stated place of the recording, in degrees. */
  latitude: sql<number | null>`(fields ->> '$.latitude')`,
  longitude: sql<number | null>`(fields ->> '$.longitude')`,
  /** Whether a column has one of these values, which are a single parameter of the query, however many they are. */
  isOneOf: (column: string, values: readonly string[]): RawBuilder<SqlBool> =>
    sql`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  /** Milliseconds since 1970, by the clock that all machines with this database share. */
  nowMs: sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
};

export type Expressions = Readonly<typeof sqlite>;

const postgres: Expressions = {
  recordedOn: sql`coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))`,
  statedDay: sql`(fields::json ->> 'date')`,
  latitude: sql`(fields::json ->> 'latitude')::double precision`,
  longitude: sql`(fields::json ->> 'longitude')::double precision`,
  isOneOf: (column, values) => sql`${sql.ref(column)} = ANY (${values}::text[])`,
  nowMs: sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
};

export const expressions = { sqlite, postgres };
