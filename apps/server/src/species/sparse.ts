import { chooseRegions, type SeasonPlace } from '@chiffchaff/analysis';
import { EXPECTED_FROM, rangeCellAt, rangeGrid, SEASON_DEGREES, type SpeciesRange } from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { type PlaceIndex, readAreasOnce } from '../places/place-index.ts';

/** Where towns are; the occurrence model learned little about birds elsewhere. */
type TownCells = Awaited<ReturnType<PlaceIndex['townCells']>>;

const EXPECTED_BYTE = occurrenceToByte(EXPECTED_FROM);

/** Adds to a range where few people report, and the regions of the rest. */
export function markSparse(range: Omit<SpeciesRange, 'sparse' | 'regions'>, townCells: TownCells): SpeciesRange {
  const cells = Buffer.from(range.cells, 'base64');
  const sparse = Buffer.alloc(rangeGrid.columns * rangeGrid.rows, 1);
  const cellsIn = new Map<string, number>();
  for (const [cell, country] of townCells) {
    sparse[cell] = 0;
    if ((cells[cell] ?? 0) >= EXPECTED_BYTE) cellsIn.set(country, (cellsIn.get(country) ?? 0) + 1);
  }
  return { ...range, sparse: sparse.toString('base64'), regions: chooseRegions(cellsIn, readAreasOnce()) };
}

/** Whether few people report at a place: there is no town in its cell, nor in one that its rounding may have moved it from. */
export function isSparse(where: SeasonPlace, townCells: TownCells): boolean {
  if ('timeZone' in where) return false;
  const moved = [-SEASON_DEGREES / 2, SEASON_DEGREES / 2];
  const around = moved.flatMap((north) => moved.map((east) => rangeCellAt(where.latitude + north, where.longitude + east)));
  return !around.some((cell) => townCells.has(cell));
}
