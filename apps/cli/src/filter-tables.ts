import { createDetectionFilter, type DetectionFilter, type Label } from '@chiffchaff/survey';
import { namesIn, openThresholds } from './identify/lists.ts';
import { counted, printable, say, type Terminal } from './terminal/terminal.ts';

/** Opens the filter of detections that options of a command name. @throws InputError when the thresholds cannot be read */
export async function openFilter(
  { thresholds, labels }: { readonly thresholds: string | null; readonly labels: readonly Label[] },
  { startFolder, terminal }: { readonly startFolder: string; readonly terminal: Terminal },
): Promise<DetectionFilter> {
  const note = (sentence: string) => say(terminal, sentence);
  return createDetectionFilter({
    thresholds: await openThresholds(thresholds, startFolder, note),
    labels,
  });
}

const REASONS = {
  rejected: ['detection that a person said is another bird or none', 'detections that a person said are another bird or none'],
  hidden: ['detection hidden by location', 'detections hidden by location'],
  belowThreshold: ['detection below the threshold of its species', 'detections below the threshold of their species'],
  failed: ['recording that could not be analysed', 'recordings that could not be analysed'],
} as const;

/** Says how many of what were left out, and which labels and thresholds are of nothing in the tables. */
export function sayLeftOut(
  terminal: Terminal,
  leftOut: Readonly<Partial<Record<keyof typeof REASONS, number>>> & {
    readonly unmatchedLabels: number;
    readonly unheardSpecies: readonly string[];
  },
): void {
  for (const [reason, [one, several]] of Object.entries(REASONS)) {
    const count = leftOut[reason as keyof typeof REASONS] ?? 0;
    if (count > 0) say(terminal, `Left out: ${counted(count, one, several)}.`);
  }
  sayUnmatched(terminal, leftOut.unmatchedLabels);
  if (leftOut.unheardSpecies.length > 0)
    say(terminal, printable(`There are thresholds, but no detections in these tables, for ${namesIn(leftOut.unheardSpecies)}.`));
}

/** Says how many labels are of nothing in the tables. */
export function sayUnmatched(terminal: Terminal, labels: number): void {
  if (labels > 0) say(terminal, `${counted(labels, 'label is of a detection', 'labels are of detections')} that no table has.`);
}
