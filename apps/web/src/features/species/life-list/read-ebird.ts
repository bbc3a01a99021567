import type { ImportedBird } from '@chiffchaff/contract';
import { createTableReader, TableError } from '@chiffchaff/survey';

/** The table has other columns; the message is the first of them. */
class OtherColumns extends Error {
  override readonly name = 'OtherColumns';
}

const PIECE_BYTES = 1_000_000;
const COLUMNS_SHOWN = 3;

/** Genus and epithet, also of a subspecies or a group of them; not of hybrids, pairs, genera and domestic forms. */
const SPECIES = /^(\p{L}+ [\p{L}-]+)(?= |$)(?! [x×] )(?!.*\bdomestic type\b)/u;

/**
 * Reads the birds of eBird's *My data*: of each species the first day, and the first in a year, with their places. Nothing else of the file
 * is kept.
 *
 * @returns also the names that are not of one species
 * @throws TableError, OtherColumns
 */
export async function readEbird(
  file: File,
  year: number,
): Promise<{ birds: readonly ImportedBird[]; others: readonly string[] }> {
  const firsts = new Map<string, ImportedBird>();
  const others = new Set<string>();
  function keep(key: string, bird: ImportedBird): void {
    const known = firsts.get(key);
    if (known === undefined || bird.on < known.on) firsts.set(key, bird);
  }
  const reader = createTableReader(
    (columns) => {
      if (!columns.has('Scientific name') || !columns.has('Date'))
        throw new OtherColumns(columns.names.slice(0, COLUMNS_SHOWN).join(', '));
      return (cells) => {
        const name = cells.scientificName();
        const [, scientificName] = SPECIES.exec(name) ?? [];
        if (scientificName === undefined) return void others.add(name);
        const on = cells.filled('Date') && cells.day('Date');
        const latitude = cells.numberOrNull('Latitude', -90, 90);
        const longitude = cells.numberOrNull('Longitude', -180, 180);
        const bird = { scientificName, on, place: latitude === null || longitude === null ? null : { latitude, longitude } };
        keep(scientificName, bird);
        if (on.startsWith(`${year}-`)) keep(`${scientificName} ${year}`, bird);
      };
    },
    { shownAs: file.name, note: () => {} },
  );
  // In pieces, between which the page stays alive.
  for (let from = 0; from === 0 || from < file.size; from += PIECE_BYTES)
    reader.push(new Uint8Array(await file.slice(from, from + PIECE_BYTES).arrayBuffer()), from + PIECE_BYTES >= file.size);
  if (firsts.size === 0) throw new TableError(`${file.name} has no bird.`);
  return { birds: [...new Set(firsts.values())], others: [...others] };
}
