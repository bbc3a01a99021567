import { sql } from 'kysely';
import type { Expressions } from '../database.ts';

export const expressions: Expressions = {
  recordedOn: sql`coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))`,
  statedDay: sql`(fields::json ->> 'date')`,
  latitude: sql`(fields::json ->> 'latitude')::double precision`,
  longitude: sql`(fields::json ->> 'longitude')::double precision`,
  isOneOf: (column, values) => sql`${sql.ref(column)} = ANY (${values}::text[])`,
};
