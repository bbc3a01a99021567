import { join, resolve } from 'node:path';
import { createSummary, effortTable, type Site, speciesDaySiteTable, speciesHourTable, summaryReport } from '@chiffchaff/survey';
import { type ExitCode, exitCode } from '../command-error.ts';
import { requireAbsent, requireWritableFolder } from '../files.ts';
import { openFilter, sayLeftOut } from '../filter-tables.ts';
import { openSites, unmatchedSites } from '../identify/circumstances.ts';
import { writeWhole } from '../identify/output/destination.ts';
import { readLabelsOf } from '../read-labels.ts';
import { type Context, readTables } from '../read-tables.ts';
import type { NamesConfig } from '../species-names.ts';
import { counted, printable, say } from '../terminal/terminal.ts';
import type { SummariseOptions } from './options.ts';

export type SummariseContext = Context & { readonly config: NamesConfig };

const FILES = ['species-hour.csv', 'species-day-site.csv', 'effort.csv', 'report.html'] as const;

/**
 * Summarises tables of `identify` as tables and as a page.
 *
 * @param today date shown on the page
 * @throws UsageError, InputError, SetUpError
 */
export async function runSummarise(options: SummariseOptions, context: SummariseContext, today = new Date()): Promise<ExitCode> {
  const { config, terminal, signal } = context;
  const { startFolder } = config;
  const { minConfidence, minScore } = options;
  const out = resolve(startFolder, options.out);
  if (!options.overwrites) for (const name of FILES) await requireAbsent(join(out, name), join(options.out, name), 'folder');
  const labels = options.labels === null ? [] : await readLabelsOf(options.labels, context, { leavesOut: false });
  const filter = await openFilter({ ...options, labels }, { startFolder, terminal });
  const note = (sentence: string) => say(terminal, sentence);
  const sites = await openSites(options.sites, startFolder, note);
  const summary = createSummary(zonesOf(sites));
  await readTables(options.tables, context, {
    detection: (detection) => {
      const { confidence, score } = detection;
      if (filter.keeps(detection) && confidence >= minConfidence && score >= minScore) summary.addDetection(detection);
    },
    file: (file) => summary.addFile(file),
  });
  const named = filter.named();
  for (const detection of named) summary.addDetection(detection);
  const result = summary.result();
  const leftOut = filter.leftOut();
  await requireWritableFolder(out, options.out);
  const madeOn = today.toISOString().slice(0, 10);
  const contents: Readonly<Record<(typeof FILES)[number], Iterable<string>>> = {
    'species-hour.csv': speciesHourTable(result),
    'species-day-site.csv': speciesDaySiteTable(result),
    'effort.csv': effortTable(result),
    'report.html': [summaryReport(result, { title: options.title, madeOn, limits: { minConfidence, minScore }, leftOut })],
  };
  for (const name of FILES) await writeWhole(join(out, name), join(options.out, name), contents[name], signal);
  const unmatched = unmatchedSites(sites.filter(({ site }) => !result.sites.includes(site)));
  if (unmatched !== null) say(terminal, printable(`${options.sites}: ${unmatched} in these tables.`));
  const { detections, recordings } = result.totals;
  say(
    terminal,
    `${counted(detections, 'detection')} of ${result.species.length} species ${detections === 1 ? 'is' : 'are'} summarised in ${printable(options.out)}.`,
  );
  sayLeftOut(terminal, leftOut);
  if (named.length > 0) say(terminal, `Counted instead: ${counted(named.length, 'bird')} that a person named.`);
  for (const sentence of result.farOff) say(terminal, printable(sentence));
  if (!result.knowsEffort)
    say(
      terminal,
      'There is no list of recordings (NAME.files.csv) beside the tables, so effort is not known and no zero is written.',
    );
  else if (recordings === 0) say(terminal, 'None of the recordings could be analysed.');
  return exitCode.done;
}

function zonesOf(sites: readonly Site[]): Map<string, string> {
  return new Map(sites.flatMap(({ site, timeZone }) => (timeZone === null ? [] : [[site, timeZone] as const])));
}
