import { extname, resolve } from 'node:path';
import { readChangedNames } from '@chiffchaff/models';
import type { LocatedDetection, LocatedFile } from '@chiffchaff/survey';
import {
  camtrapDp,
  darwinCore,
  ExportError,
  ebirdRecords,
  gatherRecords,
  lackingForCamtrap,
  lackingForDarwinCore,
  lackingForEbird,
  type Need,
  nameBy,
  type ReadTable,
  type SurveyRecords,
  splitRemark,
} from '@chiffchaff/survey/exports';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCode, InputError } from '../command-error.ts';
import { listed } from '../command-line.ts';
import { lockOutput } from '../files.ts';
import { sayLeftOut, sayUnmatched } from '../filter-tables.ts';
import { openThresholds } from '../identify/lists.ts';
import { filesListPath } from '../identify/output/destination.ts';
import { readLabelsOf } from '../read-labels.ts';
import { readTables } from '../read-tables.ts';
import { openSpeciesFinder } from '../species-names.ts';
import { counted, printable, say, type Terminal } from '../terminal/terminal.ts';
import type { ExportOptions } from './options.ts';
import { requireVacant, writeFiles, writeFolder, zipped } from './output.ts';

type ExportContext = Pick<CommandContext, 'config' | 'terminal' | 'signal'>;

/** Reads tables and labels and writes them in another format. @throws CommandError */
export async function runExport(options: ExportOptions, context: ExportContext, now = new Date()): Promise<ExitCode> {
  const { config, terminal } = context;
  const at = (path: string) => resolve(config.startFolder, path);
  const { out, to, overwrites } = options;
  try {
    using _lock = await lockOutput(at(out), out);
    await requireVacant(at(out), out, { isFolder: to.format === 'camtrap-dp', overwrites });
    const tables = await readAll(options, context);
    const labels =
      options.labels === null ? [] : await readLabelsOf(options.labels, context, { leavesOut: options.leavesOutIncomplete });
    const note = (sentence: string) => say(terminal, sentence);
    const gathered = gatherRecords(tables, labels, await openThresholds(options.thresholds, config.startFolder, note));
    sayUnmatched(terminal, gathered.leftOut.unmatchedLabels);
    const doubled = counted(gathered.doubled, 'recording is', 'recordings are');
    if (gathered.doubled > 0)
      note(`${doubled} in more than one table, with other overlaps, so birds may count twice: give one table of each.`);
    const kept = options.onlyConfirmed
      ? { ...gathered, observations: gathered.observations.filter(({ confirmed }) => confirmed !== null) }
      : gathered;
    const { records: complete, incomplete } = chooseComplete(kept, options);
    const isInEnglish = to.format === 'ebird' && to.given.names === 'common';
    const english = isInEnglish ? (await openSpeciesFinder(config)).commonNames : undefined;
    const records = nameBy(complete, await readChangedNames(), options.taxonomy, english);
    if (to.format === 'camtrap-dp') await writeFolder(at(out), out, camtrapDp(records, { ...to.given, now }));
    else if (to.format === 'darwin-core')
      await writeFiles([{ path: at(out), content: await zipped(darwinCore(records, { ...to.given, now }), now) }], out);
    else {
      const files = ebirdRecords(records, to.given).map((content, index) => ({ path: numbered(at(out), index + 1), content }));
      for (const { path } of files.slice(1)) await requireVacant(path, path, { isFolder: false, overwrites });
      await writeFiles(files, out);
      if (files.length > 1)
        say(terminal, `eBird takes 1 MB at once, so there are ${files.length} files, to ${files.at(-1)?.path}.`);
    }
    reportSummary(terminal, records, { out, incomplete, onlyConfirmed: to.format === 'ebird' });
    return exitCode.done;
  } catch (error) {
    if (error instanceof ExportError) throw new InputError(error.message, { cause: error });
    throw error;
  }
}

/** Each table with its list of recordings. @throws InputError */
async function readAll({ tables }: ExportOptions, context: ExportContext): Promise<ReadTable[]> {
  const { terminal } = context;
  const detections = new Map<string, LocatedDetection[]>();
  const files = new Map<string, LocatedFile[]>();
  const read = await readTables(tables, context, {
    detection: (detection, { path }) => pushTo(detections, path, detection),
    file: (file, { path }) => pushTo(files, path, file),
  });
  const lists = new Set(read.map(({ path }) => path));
  const found = read.filter(({ kind }) => kind === 'detections');
  const [first] = read;
  if (found.length === 0 && first)
    throw new InputError(`${printable(first.shownAs)} has no column Start (s): it lists recordings. Give the table beside it.`);
  return found.map(({ path, shownAs }) => {
    const list = filesListPath(path);
    if (!lists.has(list))
      say(
        terminal,
        `${printable(filesListPath(shownAs))} is not there: recordings without detections, and how long each was, are not known.`,
      );
    return { detections: detections.get(path) ?? [], effort: lists.has(list) ? (files.get(list) ?? []) : null };
  });
}

function pushTo<Row>(rows: Map<string, Row[]>, path: string, row: Row): void {
  const own = rows.get(path) ?? [];
  rows.set(path, own);
  own.push(row);
}

const remedies: Readonly<Record<Need, string>> = {
  day: 'identify takes it from recordings and their names',
  'time in UTC': 'identify takes the time from recordings and their names, its zone from --sites',
  place: 'identify --sites gives recordings a place',
  length: 'identify lists it beside the table',
  name: 'identify writes it to the table',
};

/**
 * The records that the format can hold: eBird takes each confirmed bird by itself, archives whole recordings.
 *
 * @throws InputError when others exist and may not be left out, or nothing would be left
 */
function chooseComplete(all: SurveyRecords, { to, leavesOutIncomplete }: ExportOptions) {
  const protocol = to.format === 'ebird' ? to.given.protocol : null;
  const concerned = protocol === null ? all.recordings : all.observations.filter(({ confirmed }) => confirmed !== null);
  const ofArchive = to.format === 'darwin-core' ? lackingForDarwinCore : lackingForCamtrap;
  const lacks = concerned.map((each) => ('recording' in each ? lackingForEbird(each, protocol) : ofArchive(each)));
  const missing = concerned.filter((_, index) => lacks[index]?.length);
  const needs = [...new Set(lacks.flat())];
  const [first] = missing;
  const isNothingLeft = missing.length === concerned.length;
  const noun = protocol === null ? 'recording' : 'confirmed detection';
  if (first && (!leavesOutIncomplete || isNothingLeft)) {
    throw new InputError(
      `${missing.length} of ${counted(concerned.length, noun)} ${missing.length === 1 ? 'has' : 'have'} no ${listed(needs)}, which the format asks for; ` +
        `the first is in ${('recording' in first ? first.recording : first).file}. ` +
        `${needs.map((need) => remedies[need]).join('; ')}${isNothingLeft ? '' : '; --leave-out-incomplete exports the others'}.`,
    );
  }
  const lost = new Set<object>(missing);
  return {
    records: {
      ...all,
      recordings: all.recordings.filter((recording) => !lost.has(recording)),
      observations: all.observations.filter((each) => !lost.has(each) && !lost.has(each.recording)),
    },
    incomplete: first ? `Left out: ${counted(missing.length, noun)} without ${listed(needs)}.` : null,
  };
}

const numbered = (path: string, number: number): string =>
  number === 1 ? path : `${path.slice(0, path.length - extname(path).length)}-${number}${extname(path)}`;

/** Reports what was written and what was left out. */
function reportSummary(
  terminal: Terminal,
  records: SurveyRecords,
  { out, incomplete, onlyConfirmed }: { out: string; incomplete: string | null; onlyConfirmed: boolean },
): void {
  const { recordings, observations, leftOut } = records;
  const confirmed = observations.filter(({ confirmed: by }) => by !== null).length;
  say(
    terminal,
    onlyConfirmed
      ? `${counted(confirmed, 'confirmed detection is', 'confirmed detections are')} in ${out}.`
      : `${counted(observations.length, 'detection')} (${confirmed} confirmed) in ${counted(recordings.length, 'recording')} ${observations.length === 1 ? 'is' : 'are'} in ${out}.`,
  );
  sayLeftOut(terminal, { ...leftOut, unmatchedLabels: 0 });
  const named = observations.filter(({ machine }) => machine === null).length;
  if (named > 0) say(terminal, `Counted instead: ${counted(named, 'bird')} that a person named.`);
  if (incomplete !== null) say(terminal, incomplete);
  const written = onlyConfirmed ? observations.filter(({ confirmed: by }) => by !== null) : observations;
  for (const remark of new Set(written.flatMap((each) => splitRemark(each) ?? []))) say(terminal, printable(`${remark}.`));
}
