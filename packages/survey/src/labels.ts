import { numberIn, readWhole } from './exports/read-tables.ts';
import { endOfRows } from './read/read-rows.ts';
import { csvLine } from './tables/csv.ts';

/** Whether the bird is there: yes, no, unsure, or it is another one. */
export const VERDICTS = ['yes', 'no', 'unsure', 'other'] as const;

/** What a person said about one detection. */
export interface Label {
  readonly id: string;
  /** as written: an ISO time in UTC */
  readonly labelled: string;
  readonly by: string;
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  /** of the detection, if the label has it */
  readonly confidence: number | null;
  readonly verdict: (typeof VERDICTS)[number];
  /** The other species, if the label is `other` and names one. */
  readonly otherSpecies: string;
}

/**
 * Reads labels of a review, oldest first. Leaves out lines that a later one undoes (`Undoes`), and the partial last line that a killed
 * program leaves.
 *
 * @throws TableError when the columns of labels are missing
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
        id: cells['Label id'] ?? '',
        labelled: cells['Labelled (UTC)'] ?? '',
        by: cells['By'] ?? '',
        file: cells['File'] ?? '',
        startSeconds,
        endSeconds,
        scientificName: cells['Scientific name'] ?? '',
        verdict,
        confidence: numberIn(cells['Confidence']),
        otherSpecies: cells['Other species'] ?? '',
      };
    },
  );
  return rows.filter((label): label is Label => label !== null && !undone.has(label.id));
}

/** The first line of a file of labels. */
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

/** A line that undoes another. */
export const undoLine = ({ id, labelled, by, undoes }: Pick<Label, 'id' | 'labelled' | 'by'> & { undoes: string }): string =>
  csvLine([id, labelled, by, null, null, null, null, null, null, null, undoes]);

/** A text up to the end of its last whole line; a killed program may leave part of another. */
export const wholeLines = (text: string): string => text.slice(0, endOfRows(text));

/** What people together said about one detection: their latest labels if they agree. */
export interface Judgement {
  readonly verdict: Label['verdict'];
  /** everyone who labelled it, in order */
  readonly by: readonly string[];
  /** time of the latest label */
  readonly labelled: string;
  readonly otherSpecies: string;
}

/** Identifies a detection in tables and labels. */
export const detectionKey = (
  detection: Pick<Label, 'file' | 'startSeconds' | 'endSeconds' | 'scientificName'>,
  name = detection.scientificName,
): string => JSON.stringify([detection.file, detection.startSeconds.toFixed(2), detection.endSeconds.toFixed(2), name]);

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
