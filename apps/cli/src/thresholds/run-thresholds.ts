import { resolve } from 'node:path';
import {
  CERTAINTY,
  detectionKey,
  fitThresholds,
  labelledDetections,
  readLabels,
  type SpeciesThreshold,
  thresholdHeader,
  thresholdRow,
} from '@chiffchaff/survey';
import { type ExitCode, exitCode, InputError } from '../command-error.ts';
import { readGiven, requireAbsent } from '../files.ts';
import { writeWhole } from '../identify/output/destination.ts';
import { type Context, readTables } from '../read-tables.ts';
import { counted, printable, say, type Terminal, writeAll } from '../terminal/terminal.ts';
import type { ThresholdsOptions } from './options.ts';

/** Fits thresholds to labels, prints them and, with `out`, writes them to a table. @throws UsageError, InputError, SetUpError */
export async function runThresholds(options: ThresholdsOptions, context: Context): Promise<ExitCode> {
  const { config, terminal } = context;
  const { startFolder } = config;
  const { target } = options;
  const out = options.out === null ? null : { path: resolve(startFolder, options.out), shownAs: options.out };
  if (out && !options.overwrites) await requireAbsent(out.path, out.shownAs, 'name');
  const note = (sentence: string) => say(terminal, sentence);
  const labels = await readGiven({ what: 'The labels', file: options.labels, startFolder, note }, readLabels);
  /** Confidence by detection, so that one in several tables counts once. */
  const bySpecies = new Map<string, Map<string, number>>();
  const byDetection = new Map<string, number>();
  const wanted = new Set(labels.map((label) => detectionKey(label)));
  const names = new Set(labels.map(({ scientificName }) => scientificName));
  await readTables(options.detections, context, {
    detection: (detection) => {
      const { scientificName, confidence, isHidden } = detection;
      if (isHidden || !names.has(scientificName)) return;
      const key = detectionKey(detection);
      bySpecies.set(scientificName, (bySpecies.get(scientificName) ?? new Map()).set(key, confidence));
      if (wanted.has(key)) byDetection.set(key, confidence);
    },
  });
  const { labelled, unsure, unknown } = labelledDetections(labels, byDetection);
  if (labelled.length === 0) {
    const shown = printable(options.labels);
    if (unknown === 0) throw new InputError(`${shown} has no label that says yes, no or other.`);
    throw new InputError(
      options.detections.length === 0
        ? `The confidence of the detections labelled in ${shown} is not known. Give the tables of identify with --detections.`
        : `None of the detections labelled in ${shown} is in these tables. The first is in ${printable(labels[0]?.file ?? '')}.`,
    );
  }
  const confidences = new Map([...bySpecies].map(([name, known]) => [name, [...known.values()]]));
  const found = fitThresholds(labelled, confidences, target);
  await writeAll(terminal.out, tableOf(found));
  sayOutcomes(found, options, terminal);
  if (unknown > 0)
    say(terminal, `${counted(unknown, 'label is', 'labels are')} left out, because no table has what they are of.`);
  if (unsure > 0)
    say(
      terminal,
      `${counted(unsure, 'detection is', 'detections are')} left out: the people who labelled them were unsure or disagreed.`,
    );
  say(terminal, methods(found, options));
  if (out) await writeWhole(out.path, out.shownAs, [thresholdHeader(), ...found.map((each) => thresholdRow(each, target))]);
  return exitCode.done;
}

const percent = (value: number): string => `${Math.round(100 * value)} %`;
const between = ({ low, high }: SpeciesThreshold['precisionInterval'], shown: (value: number) => string): string =>
  `${shown(low)}–${shown(high)}`;

function tableOf(found: readonly SpeciesThreshold[]): string {
  const rows = [
    ['Species', 'Labels', 'Threshold', '90 %', 'Right', '90 %', 'Kept', ''],
    ...found.map((each) => [
      each.scientificName,
      `${each.labels} (${each.right} right)`,
      each.threshold?.toFixed(2) ?? (each.outcome === 'not enough labels' ? 'all kept' : 'none'),
      between(each.thresholdInterval, (value) => value.toFixed(2)),
      percent(each.precision),
      between(each.precisionInterval, percent),
      percent(each.kept),
      each.isKnown ? 'known' : each.askNext === null ? '' : `label more about ${each.askNext.toFixed(2)}`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** Says which species have no threshold, and why, and which have a ceiling. */
function sayOutcomes(found: readonly SpeciesThreshold[], { target }: ThresholdsOptions, terminal: Terminal): void {
  const named = (species: readonly SpeciesThreshold[]) =>
    printable(species.map(({ scientificName }) => scientificName).join(', '));
  const undecided = found.filter(({ outcome }) => outcome === 'not enough labels');
  if (undecided.length > 0)
    say(terminal, `Not enough labels for a threshold: ${named(undecided)}. Detections of these species are all kept.`);
  const without = found.filter(({ outcome }) => outcome === 'no confidence is high enough');
  if (without.length > 0)
    say(terminal, `No confidence is high enough for ${percent(target)}: ${named(without)}. None of their detections is kept.`);
  const misfits = found.filter(({ outcome, fits }) => outcome === 'found' && !fits);
  if (misfits.length > 0)
    say(
      terminal,
      `The curve does not fit well: ${named(misfits)}. Their intervals hold what the labels above the threshold say alone, too.`,
    );
  for (const { scientificName, levelsOffAt } of found)
    if (levelsOffAt !== null)
      say(
        terminal,
        `${printable(scientificName)} levels off: however high the confidence, about ${percent(levelsOffAt)} are right. The logistic function alone does not fit; it has a ceiling here.`,
      );
}

/** A paragraph to copy into a report. */
function methods(found: readonly SpeciesThreshold[], { target, detections }: ThresholdsOptions): string {
  const labels = found.reduce((sum, each) => sum + each.labels, 0);
  return [
    `Methods: ${counted(labels, 'detection')} of ${found.length} species ${labels === 1 ? 'was' : 'were'} labelled by listening. For each species, the chance that a detection is right`,
    `was modelled as a logistic function of the log-odds of its confidence, with or without a ceiling (Bayesian, on a grid; prior learned from all`,
    `species). Species without enough labels for a threshold keep all detections. The threshold is`,
    `the lowest confidence from which on at least ${percent(target)} of the detections kept are expected to be right with ${percent(CERTAINTY)} certainty`,
    `(${detections.length > 0 ? 'among all detections in the tables' : 'among the labelled detections'}); intervals are 90 % intervals of the expected share.`,
  ].join('\n');
}
