import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The Unicode Consortium's list of time zones with all their names over time, including the IANA backward links. */
const LIST = fileURLToPath(import.meta.resolve('cldr-bcp47/bcp47/timezone.json'));

/** UTC offsets without a place, although the list links each to one: Panama, Phoenix and Honolulu. */
const PLACELESS = new Set(['est', 'mst', 'hst']);

const zoneSchema = z.looseObject({ _alias: z.string().optional(), _iana: z.string().optional() });
const listSchema = z.object({
  keyword: z.object({ u: z.object({ tz: z.record(z.string(), z.union([z.string(), zoneSchema, z.boolean()])) }) }),
});

/**
 * Reads the names of time zones. Browsers still send `Asia/Calcutta` and `Europe/Kiev`, in any case: each zone has one current name.
 *
 * @returns a function that gives the current IANA name of a zone, or null for an unknown one. `Intl` is not used, because whether it
 * replaces a name depends on its version.
 */
export function readZoneNames(): (name: string) => string | null {
  const { tz } = listSchema.parse(JSON.parse(readFileSync(LIST, 'utf8'))).keyword.u;
  const currentNames = new Map<string, string>();
  for (const zone of Object.values(tz)) {
    if (typeof zone !== 'object' || zone._alias === undefined) continue;
    const names = zone._alias.split(' ');
    const present = zone._iana ?? names[0] ?? '';
    for (const name of names) currentNames.set(name.toLowerCase(), present);
  }
  for (const name of PLACELESS) currentNames.delete(name);
  return (name) => currentNames.get(name.toLowerCase()) ?? null;
}
