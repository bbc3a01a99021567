import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { cutSegment, PredictionError } from '@chiffchaff/analysis';
import { problemSentence } from '@chiffchaff/contract';
import { createReview, detectionKey, type ReviewedDetection } from '@chiffchaff/survey';
import { type ExitCode, exitCode, InputError } from '../command-error.ts';
import { requireWritable, whyUnreadable } from '../files.ts';
import { openFilter, sayLeftOut } from '../filter-tables.ts';
import { createFinder, type Finder } from '../find-recording.ts';
import { type Context, readTables } from '../read-tables.ts';
import type { SpeciesFinder } from '../species-names.ts';
import { counted, printable, say, shortened, writeAll } from '../terminal/terminal.ts';
import { openLabelFile } from './label-file.ts';
import type { ReviewCommandOptions } from './options.ts';
import { readPageFiles } from './page-files.ts';
import { CONTEXT_SECONDS, createReviewCalls } from './review-calls.ts';
import { CallError, startReviewServer } from './review-server.ts';

export interface ReviewDependencies extends Context {
  readonly findFfmpeg: () => Promise<string>;
  /** opens the names of species, once one is typed */
  readonly openSpecies: () => Promise<Pick<SpeciesFinder, 'species'>>;
  /** folder of the built page; default: apps/web/dist */
  readonly pageFolder?: string;
}

/**
 * Serves the review of detections until the signal aborts.
 * @throws UsageError, InputError, SetUpError
 */
export async function runReview(options: ReviewCommandOptions, dependencies: ReviewDependencies): Promise<ExitCode> {
  const { config, terminal, signal } = dependencies;
  const { startFolder } = config;
  const page = await readPageFiles(dependencies.pageFolder);
  const ffmpegPath = await dependencies.findFfmpeg();
  const { detections, paths } = await readDetections(options, dependencies);

  const labelsPath = resolve(startFolder, options.labels);
  await requireWritable(labelsPath, printable(options.labels));
  await using labels = await openLabelFile(labelsPath, printable(options.labels), (sentence) => say(terminal, sentence));
  if (labels.isTorn) say(terminal, `The last line of ${printable(options.labels)} was incomplete and has been removed.`);
  const review = createReview(detections, { target: options.target, chance: Math.random });
  review.add(...labels.labels);
  const unmatched = labels.labels.filter((label) => review.idOf(label) === null).length;
  if (unmatched > 0)
    say(
      terminal,
      `${counted(unmatched, 'label is of a detection that is', 'labels are of detections that are')} not shown here.`,
    );

  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-review-'));
  try {
    let given = 0;
    let species: ReturnType<ReviewDependencies['openSpecies']> | null = null;
    const calls = createReviewCalls({
      detections,
      review,
      labels,
      labelsName: options.labels,
      by: options.by,
      target: options.target,
      async speciesOf(name) {
        species ??= dependencies.openSpecies();
        return (await species).species(name);
      },
      onChange: (labelsOfThisRun) => {
        given = labelsOfThisRun;
      },
    });
    const cut = createCutter({ detections, paths, folder, ffmpegPath, signal });
    {
      await using server = await startReviewServer({ calls, clip: cut, page });
      const count = new Set(detections.map(({ scientificName }) => scientificName)).size;
      say(
        terminal,
        `${counted(detections.length, 'detection')} of ${count} species. Open this address in a browser; Ctrl-C ends the review.`,
      );
      await writeAll(terminal.out, `${server.address}\n`);
      if (!signal.aborted) await once(signal, 'abort');
    }
    const labelsGiven = given === 1 ? 'One label was' : `${given} labels were`;
    say(terminal, `${labelsGiven} given and saved to ${printable(options.labels)}. The next review goes on from there.`);
    return exitCode.cancelled;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Detections from the tables, each once, without hidden ones and without those whose recordings cannot be opened. */
async function readDetections(
  options: ReviewCommandOptions,
  dependencies: ReviewDependencies,
): Promise<{ readonly detections: readonly ReviewedDetection[]; readonly paths: ReadonlyMap<string, string> }> {
  const { config, terminal } = dependencies;
  const { startFolder } = config;
  // Not by labels: those that say no are needed for thresholds, too.
  const filter = await openFilter({ ...options, labels: [] }, { startFolder, terminal });
  const found = new Map<string, ReviewedDetection>();
  const finder = createFinder({ startFolder, recordings: options.recordings });
  await readTables(options.tables, dependencies, {
    detection: (listed, table) => {
      const { file, startSeconds, endSeconds, scientificName, commonName, confidence } = listed;
      if (!filter.keeps(listed) || confidence < options.minConfidence) return;
      const detection = { file, startSeconds, endSeconds, scientificName, commonName, confidence };
      found.set(detectionKey(detection), detection);
      finder.add(file, table);
    },
  });
  sayLeftOut(terminal, filter.leftOut());
  if (found.size === 0) throw new InputError('These tables have no detections to review.');
  const paths = new Map<string, string>();
  const messages: string[] = [];
  for (const file of finder.named()) {
    const opened = await findWithin(finder, file);
    if ('path' in opened) paths.set(file, opened.path);
    else messages.push(printable(opened.message));
  }
  for (const message of shortened(messages, 'recordings')) say(terminal, message);
  const detections = [...found.values()].filter(({ file }) => paths.has(file));
  if (detections.length === 0) throw new InputError('None of the recordings in these tables can be opened.');
  return { detections, paths };
}

/**
 * The file of a recording, links resolved, or why it is not shown. A link out of its folder is not followed, nor is `../`, so that a table
 * from a stranger opens nothing else on this machine.
 */
async function findWithin(finder: Finder, file: string): Promise<{ readonly path: string } | { readonly message: string }> {
  let message = `There is no recording ${file}. --recordings names the folder that names in the tables are relative to.`;
  for await (const found of finder.find(file)) {
    const [root, path] = await Promise.all([realpath(found.folder), realpath(found.path)]);
    if (!isWithin(root, path)) message = `${file} is not in ${found.folder}. --recordings opens another folder.`;
    else if ((await stat(path)).isFile()) return { path };
    else message = `${file} is no file.`;
  }
  return { message };
}

function isWithin(root: string, path: string): boolean {
  const between = relative(root, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

interface CutterInput {
  readonly detections: readonly ReviewedDetection[];
  readonly paths: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly ffmpegPath: string;
  readonly signal: AbortSignal;
}

/** Cuts the audio of a detection with its context. */
function createCutter({ detections, paths, folder, ffmpegPath, signal }: CutterInput) {
  let cuts = 0;
  return async (id: number) => {
    const detection = detections[id];
    const path = detection && paths.get(detection.file);
    if (!detection || path === undefined) return null;
    const stretch = {
      startSeconds: Math.max(0, detection.startSeconds - CONTEXT_SECONDS),
      endSeconds: detection.endSeconds + CONTEXT_SECONDS,
    };
    cuts += 1;
    const target = join(folder, `${cuts}.wav`);
    try {
      const { seconds } = await cutSegment({ path, target, stretch, format: 'wav', ffmpegPath }, signal);
      if (seconds === 0) throw new CallError(422, `${detection.file} ends before this detection: is it another recording?`);
      return { wave: await readFile(target), seconds };
    } catch (error) {
      if (error instanceof PredictionError) throw new CallError(422, problemSentence(error.code, error.details));
      const why = whyUnreadable(error);
      throw why === null ? error : new CallError(422, `${detection.file} can't be read: ${why}.`);
    } finally {
      await rm(target, { force: true });
    }
  };
}
