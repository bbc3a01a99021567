import { sql } from 'kysely';
import type { Expressions } from '../database.ts';

export const expressions: Expressions = {
  recordedOn: sql`coalesce(fields ->> '$.date', date(createdAtMs / 1000, 'unixepoch'))`,
  statedDay: sql`(fields ->> '$.date')`,
  latitude: sql`(fields ->> '$.latitude')`,
  longitude: sql`(fields ->> '$.longitude')`,
  isOneOf: (column, values) => sql`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
};
