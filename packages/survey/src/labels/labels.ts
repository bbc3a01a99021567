import { numberIn, readWhole } from '../exports/read-tables.ts';
import { csvLine } from '../tables/csv.ts';

/** The bird is there, is not, may be, or it is another one. */
export const VERDICTS = ['yes', 'no', 'unsure', 'other'] as const;

/** What a person said of one detection. */
export interface Label {
  readonly id: string;
  /** as written: an ISO time in UTC */
  readonly labelled: string;
  readonly by: string;
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  /** of the detection, where the label has it */
  readonly confidence: number | null;
  readonly verdict: (typeof VERDICTS)[number];
  /** What it was instead, where the label is `other` and says so. */
  readonly otherSpecies: string;
}

/**
 * Reads labels of a review, oldest first. Lines that were taken back by a later one (`Undoes`) are left out; so is a last line that a
 * killed program wrote half.
 *
 * @throws TableError for a file that has no labels' columns
 */
export function readLabels(text: string, shownAs: string): readonly Label[] {
  const undone = new Set<string>();
  const wanted = ['Label id', 'By', 'File', 'Start', 'End', 'Scientific name', 'Label'];
  const rows = readWhole(
    wholeLines(text),
    { shownAs, wanted, such: 'A table of labels (docs/exports.md)' },
    (cells): Label | null => {
      if (cells['Undoes']) undone.add(cells['Undoes']);
      const verdict = VERDICTS.find((each) => each === cells['Label']);
      const [startSeconds, endSeconds] = [numberIn(cells['Start']), numberIn(cells['End'])];
      if (cells['Undoes'] || verdict === undefined || startSeconds === null || endSeconds === null) return null;
      return {
        ...{ id: cells['Label id'] ?? '', labelled: cells['Labelled (UTC)'] ?? '', by: cells['By'] ?? '' },
        ...{ file: cells['File'] ?? '', startSeconds, endSeconds, scientificName: cells['Scientific name'] ?? '', verdict },
        confidence: numberIn(cells['Confidence']),
        otherSpecies: cells['Other species'] ?? '',
      };
    },
  );
  return rows.filter((label): label is Label => label !== null && !undone.has(label.id));
}

/** What a file of labels begins with. */
export const labelsHeader = (): string =>
  csvLine([
    ...['Label id', 'Labelled (UTC)', 'By', 'File', 'Start', 'End', 'Scientific name', 'Confidence'],
    ...['Label', 'Other species', 'Undoes'],
  ]);

export const labelLine = (label: Label): string =>
  csvLine([
    ...[label.id, label.labelled, label.by, label.file, label.startSeconds, label.endSeconds, label.scientificName],
    ...[label.confidence, label.verdict, label.otherSpecies, null],
  ]);

/** A line that takes another back. */
export const undoLine = ({ id, labelled, by, undoes }: Pick<Label, 'id' | 'labelled' | 'by'> & { undoes: string }): string =>
  csvLine([id, labelled, by, null, null, null, null, null, null, null, undoes]);

/** A text up to the end of its last whole line: what a killed program wrote of one is left out. A quoted cell may hold line breaks. */
export function wholeLines(text: string): string {
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '\n' && !isQuoted) end = at + 1;
  }
  return text.slice(0, end);
}

/** What people together said of one detection: their last words where they agree. */
export interface Judgement {
  readonly verdict: Label['verdict'];
  /** everyone who said so, in order */
  readonly by: readonly string[];
  /** when the last of them did */
  readonly labelled: string;
  readonly otherSpecies: string;
}

/** What a detection is known by in tables and labels alike. */
export const detectionKey = (
  detection: Pick<Label, 'file' | 'startSeconds' | 'endSeconds' | 'scientificName'>,
  name = detection.scientificName,
): string => JSON.stringify([detection.file, detection.startSeconds.toFixed(2), detection.endSeconds.toFixed(2), name]);

/** The judgement of every detection with labels. Who labels one twice means the second; people who disagree leave it `unsure`. */
export function judge(labels: readonly Label[]): ReadonlyMap<string, Judgement> {
  const byDetection = new Map<string, Map<string, Label>>();
  for (const label of labels) {
    const key = detectionKey(label);
    const said = byDetection.get(key) ?? new Map<string, Label>();
    said.set(label.by, label);
    byDetection.set(key, said);
  }
  return new Map([...byDetection].map(([key, said]) => [key, together([...said.values()])]));
}

function together(labels: readonly Label[]): Judgement {
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
