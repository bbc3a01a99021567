import { quote, type ReviewVerdict, reviewVerdicts } from '@chiffchaff/contract';
import { createColumns } from './read/columns.ts';
import { bytesOf, createRowReader, endOfRows } from './read/read-rows.ts';
import { type Cells, readTable, type TableOpener } from './read/read-table.ts';
import { type Note, TableError } from './read/table-error.ts';
import { decimalSignOf } from './read/written-cells.ts';
import { csvLine, type Value } from './tables/csv.ts';

const LONGEST_SECONDS = 366 * 24 * 3600;

/** What a person said about one detection. */
export interface Label {
  readonly id: string;
  /** an ISO time in UTC; empty when unknown */
  readonly labelled: string;
  readonly by: string;
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  /** of the detection, if the label has it */
  readonly confidence: number | null;
  readonly verdict: ReviewVerdict;
  /** The other species, if the label is `other` and names one. */
  readonly otherSpecies: string;
}

/**
 * Reads labels of a review, oldest first if all have a time: a spreadsheet may have sorted them otherwise. Leaves out lines that a later one undoes (`Undoes`) and, with a note, the partial last line that a
 * killed program leaves.
 *
 * @param speciesOf the scientific name of another species that a label names; null for anything but a species
 * @throws TableError when the columns of labels are missing, or a value is none
 */
export function readLabels(
  content: string | Uint8Array,
  shownAs: string,
  note: Note = () => {},
  speciesOf: (name: string) => string | null = (name) => name,
): readonly Label[] {
  const labels: Label[] = [];
  const undone = new Map<string, Cells>();
  const open: TableOpener = (columns) => {
    columns.need(['Label id', 'By', 'File', 'Start', 'End', 'Scientific name', 'Label'], 'A table of labels (docs/exports.md)');
    return (cells) => {
      const undoes = cells.text('Undoes');
      if (undoes === '') labels.push(readLabel(cells, speciesOf));
      else undone.set(undoes, cells);
    };
  };
  readTable(content, open, { shownAs, note, mayBeTorn: true });
  const ids = new Set(labels.map(({ id }) => id));
  for (const [id, cells] of undone) if (!ids.has(id)) cells.fail('Undoes', 'is the id of a label in this file');
  const counted = labels.filter(({ id }) => !undone.has(id));
  const timeOf = ({ labelled }: Label): number => Date.parse(labelled);
  return counted.some((label) => Number.isNaN(timeOf(label))) ? counted : counted.sort((a, b) => timeOf(a) - timeOf(b));
}

function readLabel(cells: Cells, speciesOf: (name: string) => string | null): Label {
  const startSeconds = cells.number('Start', 0, LONGEST_SECONDS);
  const [written, labelled] = [cells.text('Labelled (UTC)'), cells.instant('Labelled (UTC)')];
  const verdict = cells.oneOf('Label', reviewVerdicts);
  const named = cells.text('Other species');
  if (named !== '' && verdict !== 'other') cells.fail('Other species', `is empty where the label is ${verdict}, not other`);
  return {
    id: cells.text('Label id'),
    labelled: labelled === null || written.endsWith('Z') ? written : new Date(labelled).toISOString(),
    by: cells.text('By'),
    file: cells.path('File'),
    startSeconds,
    endSeconds: cells.number('End', startSeconds, LONGEST_SECONDS),
    scientificName: cells.scientificName(),
    verdict,
    confidence: cells.numberOrNull('Confidence', 0, 1),
    otherSpecies: named && (speciesOf(named) ?? cells.fail('Other species', 'is a species that the model knows, or empty')),
  };
}

const COLUMNS = [
  ...['Label id', 'Labelled (UTC)', 'By', 'File', 'Start', 'End', 'Scientific name', 'Confidence'],
  ...['Label', 'Other species', 'Undoes'],
] as const;

/** The first line of a file of labels. */
export const labelsHeader = (): string => csvLine(COLUMNS);

export const labelLine = (label: Label, line: LabelForm['line'] = csvLine): string =>
  line([
    ...[label.id, label.labelled, label.by, label.file, label.startSeconds, label.endSeconds, label.scientificName],
    ...[label.confidence, label.verdict, label.otherSpecies, null],
  ]);

/** A line that undoes another. */
export const undoLine = (
  { id, labelled, by, undoes }: Pick<Label, 'id' | 'labelled' | 'by'> & { undoes: string },
  line: LabelForm['line'] = csvLine,
): string => line([id, labelled, by, null, null, null, null, null, null, null, undoes]);

/** Text up to the end of its last whole line; a killed program may leave part of another. */
export const wholeLines = (text: string): string => text.slice(0, endOfRows(text.replace(/\r(?!\n)/g, '\n')));

export type LabelForm = ReturnType<typeof labelForm>;

/**
 * How a file of labels is written: by `review`, or as a spreadsheet saved it since, so that more lines can be added in the same form.
 *
 * @throws TableError for a file to which no labels can be added
 */
export function labelForm(text: string, shownAs: string) {
  const reader = createRowReader({ shownAs, note: () => {}, mayBeTorn: true });
  const [header, ...rows] = reader.push(bytesOf(text), true);
  const columns = createColumns(header?.cells ?? [], shownAs);
  const missing = COLUMNS.filter((name) => !columns.has(name));
  if (missing.length > 0)
    throw new TableError(
      `${shownAs} is no file of labels that review writes: it has no column ${missing.join(', ')}. Choose another name for --labels.`,
    );
  if (rows.some(({ cells, isEnded }) => ![cells, null].includes(columns.align(cells, isEnded))))
    throw new TableError(`${shownAs} has numbers of rows, which have no column. Save it without them (in R, row.names = FALSE).`);
  const separator = reader.separator() ?? ',';
  const lineEnd = /\r\n?|\n/.exec(text)?.[0] ?? '\n';
  const hasCommas = rows.some(({ cells }) => columns.numbers(cells).some(({ text: cell }) => decimalSignOf(cell) === ','));
  const written = (value: Value): string => {
    const cell = typeof value === 'number' && hasCommas ? String(value).replace('.', ',') : String(value ?? '');
    return quote(cell, separator);
  };
  return {
    lineEnd,
    line(values: readonly Value[]): string {
      const cells = columns.names.map(() => '');
      for (const [index, name] of COLUMNS.entries()) cells[columns.at(name)] = written(values[index] ?? null);
      return cells.join(separator) + lineEnd;
    },
    /** Whether a last line lacks nothing but its line end, which editors may drop. @param before the lines before */
    isWhole(tail: string, before: string): boolean {
      const cells = tail.split(separator);
      const undoes = cells[columns.at('Undoes')] ?? '';
      const isUndone = undoes === '' || before === '' || `\n${before.replaceAll('\r', '\n')}`.includes(`\n${undoes}${separator}`);
      return !tail.includes('"') && cells.length === columns.names.length && isUndone;
    },
  };
}

/** What people together said about one detection: their latest labels if they agree. */
export interface Judgement {
  readonly verdict: Label['verdict'];
  /** everyone who labelled it, in order */
  readonly by: readonly string[];
  /** time of the latest label */
  readonly labelled: string;
  readonly otherSpecies: string;
}

/** Without the `./` with which a path may begin. */
export const plainPath = (file: string): string => file.replace(/^(\.\/+)+/, '');

/** Identifies a detection in tables and labels, whose paths may begin with `./` or not. */
export const detectionKey = (
  detection: Pick<Label, 'file' | 'startSeconds' | 'endSeconds' | 'scientificName'>,
  name = detection.scientificName,
): string =>
  JSON.stringify([plainPath(detection.file), detection.startSeconds.toFixed(2), detection.endSeconds.toFixed(2), name]);

/** The judgement of every labelled detection. A person's later label replaces the earlier one; if people disagree, it is `unsure`. */
export function judge(labels: readonly Label[]): ReadonlyMap<string, Judgement> {
  const byDetection = new Map<string, Map<string, Label>>();
  for (const label of labels) {
    const key = detectionKey(label);
    const said = byDetection.get(key) ?? new Map<string, Label>();
    said.set(label.by, label);
    byDetection.set(key, said);
  }
  return new Map([...byDetection].map(([key, said]) => [key, combineLabels([...said.values()])]));
}

function combineLabels(labels: readonly Label[]): Judgement {
  const verdicts = new Set(labels.map(({ verdict }) => (verdict === 'other' ? 'no' : verdict)));
  const others = new Set(labels.map(({ verdict, otherSpecies }) => (verdict === 'other' ? otherSpecies : '')));
  const [otherSpecies = ''] = others.size === 1 ? others : [];
  const [agreed = 'unsure'] = verdicts.size === 1 ? verdicts : [];
  return {
    verdict: otherSpecies === '' ? agreed : 'other',
    by: labels.map(({ by }) => by).filter((by) => by !== ''),
    labelled:
      labels
        .map(({ labelled }) => labelled)
        .toSorted()
        .at(-1) ?? '',
    otherSpecies,
  };
}
