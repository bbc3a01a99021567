import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The Unicode Consortium's list of time zones with every name that each has had, the IANA backward links among them. */
const LIST = fileURLToPath(import.meta.resolve('cldr-bcp47/bcp47/timezone.json'));

/** Hours of a clock without a place, though links name one for each: Panama, Phoenix and Honolulu. */
const PLACELESS = new Set(['est', 'mst', 'hst']);

const zoneSchema = z.looseObject({ _alias: z.string().optional(), _iana: z.string().optional() });
const listSchema = z.object({
  keyword: z.object({ u: z.object({ tz: z.record(z.string(), z.union([z.string(), zoneSchema, z.boolean()])) }) }),
});

/**
 * Reads the names of time zones. Browsers still say `Asia/Calcutta` and `Europe/Kiev`, in whatever case: each has one present name.
 *
 * @returns the present IANA name of a zone, null where the name is not known. Not by `Intl`, which keeps or replaces a name as its version does.
 */
export function readZoneNames(): (name: string) => string | null {
  const { tz } = listSchema.parse(JSON.parse(readFileSync(LIST, 'utf8'))).keyword.u;
  const presentNames = new Map<string, string>();
  for (const zone of Object.values(tz)) {
    if (typeof zone !== 'object' || zone._alias === undefined) continue;
    const names = zone._alias.split(' ');
    const present = zone._iana ?? names[0] ?? '';
    for (const name of names) presentNames.set(name.toLowerCase(), present);
  }
  for (const name of PLACELESS) presentNames.delete(name);
  return (name) => presentNames.get(name.toLowerCase()) ?? null;
}
