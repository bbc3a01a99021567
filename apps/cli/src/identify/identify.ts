import { basename, resolve } from 'node:path';
import { type Analyzer, ChannelMissing, PredictionError } from '@chiffchaff/analysis';
import {
  checkUpInWords,
  type Detection,
  isFileNote,
  listedDetections,
  markOf,
  type ProblemCode,
  problemSentence,
  problems,
  spokenDuration,
  type TableOptions,
} from '@chiffchaff/contract';
import { type Circumstances, effortHeader, effortRow, reachesThreshold } from '@chiffchaff/survey';
import { type ExitCode, exitCode, SetUpError, UsageError } from '../command-error.ts';
import { listed } from '../command-line.ts';
import type { Config } from '../config.ts';
import { lockOutput, whyUnreadable } from '../files.ts';
import { inOrder } from '../in-order.ts';
import type { Context } from '../read-tables.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { counted, isReaderGone, printable, say, shortened } from '../terminal/terminal.ts';
import { createSiteTally, openSites, readCircumstances } from './circumstances.ts';
import { type FoundRecording, type FoundRecordings, findRecordings, isFolderAt, type Recording } from './find-recordings.ts';
import { type Lists, noteUnknown, openThresholds } from './lists.ts';
import type { IdentifyOptions } from './options.ts';
import { filesListPath, withoutEnding, writeWhole } from './output/destination.ts';
import type { Journal } from './output/journal.ts';
import type { Outcome } from './output/outcome.ts';
import { openTables } from './output/tables.ts';
import { findTarget, openJournalOf } from './output/target.ts';
import { readSpeciesList } from './species-list.ts';
import { createTimeLeft } from './time-left.ts';

export interface IdentifyDependencies extends Context {
  readonly config: Pick<Config, 'startFolder' | 'workers'>;
  readonly openAnalyzer: () => Promise<Analyzer>;
}

/** What the check-up says of a recording whose end is missing. */
const ENDED_EARLY = checkUpInWords({ code: 'ENDED_EARLY', share: 0 }).found;

/** A recording's outcome; `null` when its analysis was cancelled or `fault` ends the run. `isKept`: by an earlier run */
type Attempt = { readonly outcome: Outcome | null; readonly fault?: unknown; readonly isKept?: boolean };

/**
 * Analyses every requested recording and writes the answers in order, each as soon as those before it are written.
 * @throws UsageError, SetUpError
 */
export async function identify(options: IdentifyOptions, dependencies: IdentifyDependencies): Promise<ExitCode> {
  const { config, terminal, signal, openAnalyzer } = dependencies;
  const note = (sentence: string) => say(terminal, sentence);
  const sites = await openSites(options.sites, config.startFolder, note);
  const thresholds = await openThresholds(options.thresholds, config.startFolder, note);
  const severalRecordings = await asksForSeveral(options.asked, config.startFolder);
  const target = await findTarget(options, { ...config, severalRecordings });
  const { formats } = options;
  // The list of recordings is shared by outputs that differ in their ending.
  using _lock = target?.isReplaceable ? await lockOutput(withoutEnding(target.path), target.shownAs) : null;
  const tables = await openTables(target, { formats, tables: { ...options.tables, ...options.preprocessing } }, terminal);
  const analyzer = await openAnalyzer();
  const progress = createProgress(terminal);
  let journal: Journal | null = null;
  const stop = new AbortController();
  const work = AbortSignal.any([signal, stop.signal]);
  try {
    requireLanguage(options.language, analyzer);
    await requireTimeZone(options.timeZone, analyzer);
    const species =
      options.species === null ? undefined : await readSpeciesList(options.species, { ...options, ...config, analyzer, note });
    await noteUnknown(thresholds, analyzer, note);
    if (species) say(terminal, `${options.species}: only its ${counted(species.length, 'species is', 'species are')} named.`);
    const lists: Lists = { sites, species, thresholds };
    if (target?.isReplaceable && severalRecordings) {
      journal = await openJournalOf(target, settingsOf(options, lists, analyzer));
      if (journal.kept > 0) say(terminal, `Going on: ${journal.kept} of the recordings are done already.`);
    }
    let effort = markOf(options.tables) + effortHeader();
    const { found: recordings, ...passedOver } = await findRecordings(options.asked, config.startFolder, signal);
    const tally = createTally(options, recordings, progress);
    const siteTally = createSiteTally(sites, config.startFolder);
    let worst: ExitCode = exitCode.done;
    const attempts = inOrder(
      recordings,
      config.workers + 2,
      async (found) => ({
        ...(await attempt(found, { options, lists, analyzer, journal, signal: work, report: tally.report })),
        found,
      }),
      work,
    );
    await tables.begin().catch(failWith);
    for await (const { found, outcome, fault, isKept = false } of attempts) {
      if (fault instanceof SetUpError) await failWith(fault);
      if (outcome === null) continue;
      if (outcome.kind === 'failed') {
        worst = fault === undefined ? (worst === exitCode.done ? exitCode.input : worst) : exitCode.internal;
        progress.note(`${printable(outcome.shownAs)}: ${printable(outcome.message)}`);
        if (fault instanceof Error) progress.note(fault.stack ?? fault.message);
      }
      await tables.add(outcome).catch(failWith);
      effort += effortRow(effortOf(outcome, options.tables), options.tables);
      tally.done(found, outcome, !isKept);
      siteTally.add(outcome);
      if (outcome.kind === 'answered' && outcome.prediction.recording.truncated)
        progress.note(`${printable(outcome.shownAs)}: ${ENDED_EARLY}`);
    }
    progress.stop();
    if (signal.aborted) {
      const isWritten = target === null || !target.isReplaceable;
      if (journal) say(terminal, `${tally.stopped()}. What is done is kept. Run the same command again to go on.`);
      else say(terminal, `${tally.stopped()}${isWritten && tally.hasAny() ? '; the output holds these' : ''}.`);
      return exitCode.cancelled;
    }
    const { attribution } = analyzer.model;
    if (!(await tables.end(attribution).catch(failWith))) say(terminal, attribution);
    if (journal && target) {
      await writeWhole(filesListPath(target.path), filesListPath(target.shownAs), [effort]);
      await journal.remove();
    }
    const unmatched = siteTally.summary();
    if (unmatched !== null) say(terminal, printable(`${options.sites}: ${unmatched}`));
    for (const note of [...tally.notes(), ...notesOf(passedOver)]) say(terminal, printable(note));
    if (target !== null || severalRecordings) say(terminal, tally.summary());
    return worst;
  } catch (error) {
    if (isReaderGone(error)) return exitCode.done;
    throw error;
  } finally {
    progress.stop();
    await tables.close();
    await journal?.close();
    await analyzer.close();
  }

  /** Aborts the work in flight before throwing; otherwise `inOrder` would wait for it to finish. */
  async function failWith(error: unknown): Promise<never> {
    stop.abort();
    throw error;
  }
}

/** What the analysis of each recording needs. */
interface Run {
  readonly options: IdentifyOptions;
  readonly lists: Lists;
  readonly analyzer: Analyzer;
  readonly journal: Journal | null;
  readonly signal: AbortSignal;
  readonly report: (recording: Recording, fraction: number | null) => void;
}

async function attempt(found: FoundRecording, { options, lists, analyzer, journal, signal, report }: Run): Promise<Attempt> {
  const { shownAs } = found;
  if (found.kind === 'problem') return { outcome: { kind: 'failed', shownAs, code: found.code, message: found.message } };
  const { path } = found;
  try {
    const kept = await journal?.find(path);
    if (kept) return { outcome: kept.kind === 'answered' ? { ...kept, shownAs, path } : { ...kept, shownAs }, isKept: true };
    const circumstances = await readCircumstances(path, options, lists.sites);
    const { minOccurrence } = options;
    if (minOccurrence !== null && circumstances.place === null) {
      const message = 'Its place is not known, and --expected needs one. Give --lat and --lon, or --sites.';
      return { outcome: { kind: 'failed', shownAs, code: 'PLACE_UNKNOWN', message } };
    }
    const answer = await analyzer.analyze(
      {
        path,
        fileName: basename(path),
        ...whereAndWhen(circumstances, options),
        ...(lists.species === undefined ? {} : { species: lists.species }),
        ...(minOccurrence === null ? {} : { minOccurrence }),
        ...(options.minScore === undefined ? {} : { minScore: options.minScore }),
        ...(options.overlapSeconds === undefined ? {} : { overlapSeconds: options.overlapSeconds }),
        ...(options.language === undefined ? {} : { language: options.language }),
        ...(options.preprocessing === null ? {} : { preprocessing: options.preprocessing }),
        perClip: options.perClip,
        ...(options.tables.sounds ? { sounds: true } : {}),
        top: options.top,
      },
      { signal, onProgress: ({ fraction }) => report(found, fraction) },
    );
    const detections = answer.detections.filter((detection) => reachesThreshold(detection, lists.thresholds));
    const prediction = { ...answer, detections };
    const outcome = { kind: 'answered', shownAs, path, prediction, circumstances } as const;
    await journal?.add(path, outcome);
    return { outcome };
  } catch (error) {
    if (signal.aborted) return { outcome: null };
    if (error instanceof ChannelMissing) {
      const found = error.channels === 1 ? 'one channel' : `${error.channels} channels`;
      const message = `It has ${found}, so there is no channel ${options.preprocessing?.channel}. Leave out --channel to mix all.`;
      return { outcome: { kind: 'failed', shownAs, code: 'CHANNEL_MISSING', message } };
    }
    if (error instanceof PredictionError) {
      const message = problemSentence(error.code, error.details);
      if (error.code === 'MODEL_NOT_INSTALLED' || error.code === 'DECODER_NOT_INSTALLED')
        return {
          outcome: null,
          fault: new SetUpError(`${message} Run ./chiffchaff model install to set it up.`, { cause: error }),
        };
      const outcome = { kind: 'failed', shownAs, code: error.code, message } as const;
      // What was the machine's fault is tried again by a run that resumes.
      if (!problems[error.code as ProblemCode].retryable) await journal?.add(path, outcome);
      return { outcome };
    }
    const why = whyUnreadable(error);
    // File names are bytes; a name that is not UTF-8 cannot be opened by its decoded text.
    const reason = shownAs.includes('\ufffd') ? `${why}, or its name is not UTF-8 (rename it)` : why;
    if (why !== null)
      return { outcome: { kind: 'failed', shownAs, code: 'FILE_UNREADABLE', message: `${shownAs} can't be read: ${reason}.` } };
    const message = 'An internal error occurred with this recording.';
    return { outcome: { kind: 'failed', shownAs, code: 'INTERNAL', message }, fault: error };
  }
}

/** The time zone is used only for recordings without a place. */
function whereAndWhen({ place, placeFrom, began, week }: Circumstances, { timeZone, when }: IdentifyOptions) {
  const own = week === null || began === null ? {} : { week, date: began.date };
  if (place === null) return { ...(timeZone === undefined ? {} : { timeZone }) };
  return { ...place, ...(placeFrom === 'file' ? { placeSource: placeFrom } : {}), ...(when ?? own) };
}

/** Accepts any variety of a language that has names: `de-AT` means German, and the analyzer finds the nearest. */
function requireLanguage(language: string | undefined, { languages }: Analyzer): void {
  const primary = (code: string) => code.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  if (language !== undefined && !languages.some((known) => primary(known) === primary(language)))
    throw new UsageError(`--language takes ${listed(languages)}, not "${language}".`);
}

/** Without this check, a misspelt time zone would be ignored without notice. */
async function requireTimeZone(timeZone: string | undefined, analyzer: Analyzer): Promise<void> {
  if (timeZone !== undefined && !(await analyzer.canAssume(timeZone)))
    throw new UsageError(`--time-zone takes a time zone with towns in it, such as Europe/London, not "${timeZone}".`);
}

async function asksForSeveral([first, ...more]: readonly string[], startFolder: string): Promise<boolean> {
  if (first === undefined || more.length > 0) return true;
  return isFolderAt(resolve(startFolder, first));
}

/** Counts finished and started recordings: for a bar that also moves within a long recording, and for the closing summary. */
function createTally(options: IdentifyOptions, recordings: readonly FoundRecording[], progress: Progress) {
  const total = recordings.length;
  let done = 0;
  let failed = 0;
  let withBirds = 0;
  let undated = 0;
  const begun = new Map<Recording, number>();
  const timeLeft = createTimeLeft();
  const noted = new Map<string, { readonly first: string; readonly count: number }>();
  /** SHA-256 → the first recording with this content */
  const contents = new Map<string, string>();
  const copies: string[] = [];
  for (const found of recordings) if (found.kind === 'recording') timeLeft.add(found);
  const update = (doing: string) => {
    const inWork = [...begun.values()].reduce((sum, fraction) => sum + fraction, 0);
    const seconds = timeLeft.seconds(begun);
    const left = seconds === null ? '' : `about ${spokenDuration(10 * Math.max(1, Math.ceil(seconds / 10)))} left · `;
    const counted = total === 1 ? '' : `${done} of ${total} · ${left}`;
    progress.update(Math.min(1, (done + inWork) / total), counted + doing);
  };
  return {
    report: (recording: Recording, fraction: number | null) => {
      begun.set(recording, fraction ?? 0);
      update(recording.shownAs);
    },
    /** @param isNew analysed in this run */
    done: (found: FoundRecording, outcome: Outcome, isNew: boolean) => {
      done += 1;
      const { shownAs } = outcome;
      if (outcome.kind === 'failed') failed += 1;
      else {
        if (birdsIn(listedDetections(outcome.prediction, { ...options.tables, showHidden: false })) > 0) withBirds += 1;
        if (outcome.circumstances.began === null) undated += 1;
        const ofFile = outcome.prediction.checkUp.filter(isFileNote).map((finding) => checkUpInWords(finding).found);
        for (const note of [...ofFile, ...(outcome.circumstances.notes ?? [])]) {
          const { first, count } = noted.get(note) ?? { first: shownAs, count: 0 };
          noted.set(note, { first, count: count + 1 });
        }
        const { sha256 } = outcome.prediction.recording;
        const first = contents.get(sha256);
        if (first === undefined) contents.set(sha256, shownAs);
        else copies.push(`${shownAs} has the same content as ${first}.`);
      }
      if (found.kind === 'recording') {
        begun.delete(found);
        const seconds = outcome.kind === 'failed' ? null : outcome.prediction.recording.durationSeconds;
        timeLeft.done(found, { seconds, isNew });
      }
      update(shownAs);
    },
    hasAny: () => done > 0,
    /** What there is to know about recordings, each once: `a.wav and 27 more: …` */
    notes: () => [
      ...[...noted].map(([note, { first, count }]) => `${first}${count === 1 ? '' : ` and ${count - 1} more`}: ${note}`),
      ...shortened(copies, 'recordings'),
    ],
    /** `58 analysed, 2 failed, 3 without day, 27 with birds.` */
    summary: () =>
      `${done - failed} analysed, ${failed === 0 ? '' : `${failed} failed, `}${undated === 0 ? '' : `${undated} without day, `}${withBirds} with birds.`,
    /** `Stopped. 12 of 60 done` */
    stopped: () => `Stopped. ${done} of ${total} done`,
  };
}

/** `./a.wav is the same file as a.wav, which is analysed once.` and `3 other files were not read: 2 .txt, 1 .w4v.` */
function notesOf({ notRead, repeated }: Omit<FoundRecordings, 'found'>): string[] {
  const sameFiles = repeated.map(({ shownAs, first }) => `${shownAs} is the same file as ${first}, which is analysed once.`);
  const kinds = [...notRead].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const said = kinds.map(([ending, count]) => `${count} ${ending === '' ? 'without ending' : `.${ending}`}`).join(', ');
  const others = `${counted(total, 'other file was', 'other files were')} not read: ${said}.`;
  return [...shortened(sameFiles, 'names'), ...(total === 0 ? [] : [others])];
}

/** Everything besides the recordings that outcomes depend on. */
const settingsOf = (options: IdentifyOptions, { sites, species, thresholds }: Lists, { fingerprint }: Analyzer): string => {
  const { asked, formats, out, overwrites, isStrict, tables, ...others } = options;
  const lists = { sites, species, thresholds: [...thresholds].map(String) };
  return JSON.stringify({ ...others, ...lists, sounds: tables.sounds, model: fingerprint });
};

const birdsIn = (detections: readonly Detection[]): number => detections.filter(({ kind }) => kind === undefined).length;

function effortOf(outcome: Outcome, tables: TableOptions): Parameters<typeof effortRow>[0] {
  if (outcome.kind === 'failed') return { file: outcome.shownAs, analysed: null, problem: outcome };
  const { recording } = outcome.prediction;
  const detections = listedDetections(outcome.prediction, tables);
  const { circumstances } = outcome;
  const analysed = { seconds: recording.durationSeconds, detections: birdsIn(detections), circumstances };
  const problem = recording.truncated ? { code: 'ENDED_EARLY', message: ENDED_EARLY } : null;
  return { file: outcome.shownAs, analysed, problem };
}
