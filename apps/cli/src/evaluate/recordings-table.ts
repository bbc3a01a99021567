import { InputError } from '../command-error.ts';

/** One recording whose species is known. */
export interface TableRow {
  readonly file: string;
  readonly split: string;
  /** empty when there is no bird to name */
  readonly scientificName: string;
  readonly group: string;
  /** what is heard, in words; the table of the public recordings has it, others need not */
  readonly label: string;
  /** which published recording it was cut from; empty when the table does not say */
  readonly source: string;
}

const REQUIRED = ['file', 'split', 'scientific_name', 'group'] as const;

/**
 * Reads a table of tab-separated values with the columns file, split, scientific_name and group, in any order.
 * @throws InputError that names what is missing
 */
export function readRecordingsTable(text: string, shownAs: string): TableRow[] {
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const columns = head.split('\t');
  const missing = REQUIRED.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    throw new InputError(
      `${shownAs} has no column ${missing.join(', ')}; a tab-separated table with ${REQUIRED.join(', ')} works.`,
    );
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const fields = line.split('\t');
      const field = (name: string) => (fields[columns.indexOf(name)] ?? '').trim();
      return {
        file: field('file'),
        split: field('split'),
        scientificName: field('scientific_name'),
        group: field('group'),
        label: field('label'),
        source: field('source_id'),
      };
    });
}

/** ESC-50's categories that are birds or have some in them: their clips cannot show a false alarm. */
const BIRDS_IN_ESC50 = new Set(['chirping_birds', 'crow', 'hen', 'rooster']);

/** Whether a bird named in this recording would be a false alarm. */
export function isBirdFree({ group, label, scientificName }: TableRow): boolean {
  return group !== 'bird' && scientificName === '' && !(group === 'esc50' && BIRDS_IN_ESC50.has(label));
}
