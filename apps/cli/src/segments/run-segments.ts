import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createSelection, type PlannedSegment, planSegments, readLabels, segmentRow, segmentsHeader } from '@chiffchaff/survey';
import { type ExitCode, exitCode, InputError } from '../command-error.ts';
import type { Config } from '../config.ts';
import { lockOutput, readGiven, requireWritableFolder } from '../files.ts';
import { openFilter, sayLeftOut } from '../filter-tables.ts';
import { createFinder, type FoundFile } from '../find-recording.ts';
import { writeWhole } from '../identify/output/destination.ts';
import { inOrder } from '../in-order.ts';
import { type Context, readTables } from '../read-tables.ts';
import { createProgress } from '../terminal/progress.ts';
import { counted, printable, say } from '../terminal/terminal.ts';
import { createCutter, type Outcome } from './cut-planned.ts';
import type { SegmentsOptions } from './options.ts';
import { openSegmentsFolder } from './segments-folder.ts';

export interface SegmentsDependencies extends Context {
  readonly config: Pick<Config, 'startFolder' | 'workers'>;
  readonly findFfmpeg: () => Promise<string>;
}

/**
 * Chooses detections from tables and cuts them out of their recordings.
 * @throws UsageError, InputError, SetUpError
 */
export async function runSegments(options: SegmentsOptions, dependencies: SegmentsDependencies): Promise<ExitCode> {
  const { config, terminal, signal } = dependencies;
  const { startFolder } = config;
  const selection = createSelection(options);
  const given = { what: 'The labels', startFolder, note: (sentence: string) => say(terminal, sentence) };
  const labels = options.labels === null ? [] : await readGiven({ ...given, file: options.labels }, readLabels);
  const filter = await openFilter({ ...options, labels }, { startFolder, terminal });
  const lengths = new Map<string, number>();
  const finder = createFinder({ startFolder, recordings: options.recordings });
  await readTables(options.tables, dependencies, {
    detection: (detection, table) => {
      const { confidence, score, file } = detection;
      if (!filter.keeps(detection) || confidence < options.minConfidence || score < options.minScore) return;
      selection.add(detection);
      finder.add(file, table);
    },
    file: ({ file, isAnalyzed, seconds }) => {
      // Two recordings of the same name, each relative to its own table, may differ in length.
      if (isAnalyzed) lengths.set(file, Math.min(seconds, lengths.get(file) ?? Number.POSITIVE_INFINITY));
    },
  });
  sayLeftOut(terminal, filter.leftOut());
  const planned = planSegments(selection.chosen(), options, { lengths, extension: options.format });
  if (planned.length === 0) throw new InputError('None of the detections in these tables is to be cut.');
  const out = resolve(startFolder, options.out);
  await requireWritableFolder(out, options.out);
  using _lock = await lockOutput(join(out, 'segments'), options.out);
  const folder = await openSegmentsFolder({ path: out, shownAs: options.out }, planned, options.overwrites);
  const ffmpegPath = await dependencies.findFfmpeg();
  const found = new Map<string, Promise<string | null>>();
  const find = (file: string): Promise<string | null> => {
    const known = found.get(file) ?? firstFile(finder.find(file));
    found.set(file, known);
    return known;
  };
  const cut = createCutter({ find, folder, format: options.format, ffmpegPath, signal });

  const progress = createProgress(terminal);
  const cutSeconds = new Map<PlannedSegment, number>();
  const told = new Set<string>();
  let done = 0;
  let worst: ExitCode = exitCode.done;
  try {
    for await (const outcome of inOrder(inRecordingOrder(planned), config.workers, cut, signal)) {
      done += 1;
      progress.update(done / planned.length, `${done} of ${counted(planned.length, 'segment')}`);
      report(outcome);
    }
  } finally {
    progress.stop();
    // List the segments that exist, however the work ended.
    await writeWhole(folder.listPath, folder.listShownAs, listed());
  }
  if (signal.aborted) {
    say(terminal, `Cancelled. ${printable(options.out)} has ${cutSeconds.size} of ${counted(planned.length, 'segment')}.`);
    return exitCode.cancelled;
  }
  const species = new Set([...cutSeconds.keys()].map(({ detection }) => detection.scientificName)).size;
  say(
    terminal,
    `${counted(cutSeconds.size, 'segment')} of ${species} species ${cutSeconds.size === 1 ? 'is' : 'are'} in ${printable(options.out)}, listed in segments.csv.`,
  );
  if (done > cutSeconds.size) say(terminal, `${counted(done - cutSeconds.size, 'segment')} could not be cut.`);
  return worst;

  function report(outcome: Outcome): void {
    if (outcome.kind === 'cut') return void cutSeconds.set(outcome.planned, outcome.seconds);
    if (outcome.kind === 'cancelled') return;
    worst = exitCode.input;
    const line = printable(`${outcome.planned.detection.file}: ${outcome.message}`);
    if (!told.has(line)) progress.note(line);
    told.add(line);
  }

  function* listed(): Generator<string> {
    yield segmentsHeader();
    for (const each of planned) {
      const seconds = cutSeconds.get(each);
      if (seconds !== undefined) yield segmentRow(each, seconds);
    }
  }
}

async function firstFile(found: AsyncIterable<FoundFile>): Promise<string | null> {
  for await (const { path } of found) if ((await stat(path).catch(() => null))?.isFile()) return path;
  return null;
}

/** Disks read forwards fastest, and what was just read of a recording is still cached. */
function inRecordingOrder(planned: readonly PlannedSegment[]): readonly PlannedSegment[] {
  const order = ({ detection }: PlannedSegment) => detection.file;
  return [...planned].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : a.startSeconds - b.startSeconds));
}
