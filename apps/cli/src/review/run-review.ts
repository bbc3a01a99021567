import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cutSegment, PredictionError } from '@chiffchaff/analysis';
import { problemSentence } from '@chiffchaff/contract';
import { createReview, detectionKey, type ReviewedDetection } from '@chiffchaff/survey';
import { type ExitCode, exitCode, InputError } from '../command-error.ts';
import type { Config } from '../config.ts';
import { requireWritable, whyUnreadable } from '../files.ts';
import { readTables } from '../read-tables.ts';
import { printable, say, type Terminal, writeAll } from '../terminal/terminal.ts';
import { openLabelFile } from './label-file.ts';
import type { ReviewCommandOptions } from './options.ts';
import { readPageFiles } from './page-files.ts';
import { findRecordings } from './recordings.ts';
import { CONTEXT_SECONDS, createReviewCalls } from './review-calls.ts';
import { CallError, startReviewServer } from './review-server.ts';

export interface ReviewDependencies {
  readonly config: Pick<Config, 'startFolder'>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly findFfmpeg: () => Promise<string>;
  /** folder of the built page; default: apps/web/dist */
  readonly pageFolder?: string;
}

const MESSAGES_SHOWN = 5;

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
  await using labels = await openLabelFile(labelsPath, printable(options.labels));
  if (labels.isTorn) say(terminal, `The last line of ${printable(options.labels)} was incomplete and has been removed.`);
  const review = createReview(detections, { target: options.target, chance: Math.random });
  review.add(...labels.labels);

  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-review-'));
  try {
    let given = 0;
    const calls = createReviewCalls({
      detections,
      review,
      labels,
      labelsName: options.labels,
      by: options.by,
      target: options.target,
      onChange: (labelsOfThisRun) => {
        given = labelsOfThisRun;
      },
    });
    const cut = createCutter({ detections, paths, folder, ffmpegPath, signal });
    {
      await using server = await startReviewServer({ calls, clip: cut, page });
      const species = new Set(detections.map(({ scientificName }) => scientificName)).size;
      say(
        terminal,
        `${detections.length} detections of ${species} species. Open this address in a browser; Ctrl-C ends the review.`,
      );
      await writeAll(terminal.out, `${server.address}\n`);
      await aborted(signal);
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
  { config: { startFolder }, terminal, signal }: ReviewDependencies,
): Promise<{ readonly detections: readonly ReviewedDetection[]; readonly paths: ReadonlyMap<string, string> }> {
  const base = options.recordings === null ? startFolder : resolve(startFolder, options.recordings);
  const found = new Map<string, ReviewedDetection>();
  const folders = new Map<string, string[]>();
  await readTables(options.tables, {
    startFolder,
    signal,
    note: (sentence) => say(terminal, sentence),
    reader: {
      detection: ({ file, startSeconds, endSeconds, scientificName, commonName, confidence, isHidden }, { path }) => {
        if (isHidden || confidence < options.minConfidence) return;
        const detection = { file, startSeconds, endSeconds, scientificName, commonName, confidence };
        found.set(detectionKey(detection), detection);
        const of = folders.get(file) ?? [base];
        folders.set(file, of.includes(dirname(path)) ? of : [...of, dirname(path)]);
      },
    },
  });
  if (found.size === 0) throw new InputError('These tables have no detections to review.');
  const { paths, leftOut } = await findRecordings(folders);
  for (const { message } of leftOut.slice(0, MESSAGES_SHOWN)) say(terminal, printable(message));
  if (leftOut.length > MESSAGES_SHOWN) say(terminal, `… and ${leftOut.length - MESSAGES_SHOWN} more recordings.`);
  const detections = [...found.values()].filter(({ file }) => paths.has(file));
  if (detections.length === 0) throw new InputError('None of the recordings in these tables can be opened.');
  return { detections, paths };
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

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
