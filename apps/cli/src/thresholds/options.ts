import { createCommand, nonEmptyText, numberWithin } from '../command-line.ts';

export const TARGET = { min: 0.5, max: 0.999 } as const;

export interface ThresholdsOptions {
  readonly labels: string;
  /** tables and folders of tables, as given; empty: the labelled detections stand for all */
  readonly detections: readonly string[];
  readonly target: number;
  /** null: no table is written */
  readonly out: string | null;
  readonly overwrites: boolean;
}

const description = `Works out from labels from which confidence on detections of a species are right often enough.

LABELS is a CSV with a line for each label (docs/exports.md has its columns): yes, no, unsure or other. Other
counts as no, unsure is left out. Without --detections it needs the column Confidence, and the labelled
detections stand for all. --detections are the tables of identify that the thresholds are for: how many
detections of which confidence there are decides how many of those that are kept are right.

A threshold is the lowest confidence from which on the expected share of right detections is at least
--target with 80 % certainty. Each expected number has an interval that holds it with 90 % certainty; of a few detections, more or
fewer may be right. Few labels do: what all species together say counts for each, and the intervals are wide
until there are enough. A precision is known when its interval is at most ± 5 points; label detections about
the confidence that is named next. A species whose labels do not tell whether there is a threshold keeps all
its detections; it loses all only when its labels show that no confidence is high enough.

--out writes a table that --thresholds of identify, summarise, segments, review and export applies. Label
detections of all confidences, not only the best (./chiffchaff segments --choose balanced).
Exit status: 0 success, 1 a table could not be read,
2 invalid arguments, 3 internal error, 130 cancelled.`;

/** @throws UsageError when parsing its arguments */
export const thresholdsCommand = (run: (options: ThresholdsOptions) => Promise<void>) =>
  createCommand('thresholds')
    .summary('Works out from labels which confidence is right often enough for a species.')
    .description(description)
    .usage('<LABELS> [options]')
    .argument('<LABELS>')
    .option('--detections <TABLE...>', 'CSV tables of identify, or folders of them')
    .option('--target <SHARE>', 'share of detections kept that is to be right, 0.5 to 0.999', numberWithin(TARGET), 0.95)
    .option('--out <CSV>', 'table of thresholds to write', nonEmptyText)
    .option('--overwrite', 'replace the table if there is one')
    .action((labels, { detections = [], out = null, overwrite = false, target }) =>
      run({ labels, detections, target, out, overwrites: overwrite }),
    );
