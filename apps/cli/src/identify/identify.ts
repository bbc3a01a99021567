import { mkdir, open, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Analyzer, PredictionError } from '@chiffchaff/analysis';
import { problemSentence } from '@chiffchaff/contract';
import { type ExitCode, exitCode, SetUpError, UsageError } from '../command-error.ts';
import { listed } from '../command-line.ts';
import type { Config } from '../config.ts';
import { cannotWrite, whyUnreadable } from '../files.ts';
import { inOrder } from '../in-order.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { isReaderGone, printable, say, type Terminal, writeAll } from '../terminal/terminal.ts';
import { type FoundRecording, findRecordings } from './find-recordings.ts';
import type { IdentifyOptions } from './options.ts';
import { outputFormats } from './output/formats.ts';
import type { Outcome } from './output/outcome.ts';

export interface IdentifyDependencies {
  readonly config: Pick<Config, 'startFolder' | 'workers'>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly openAnalyzer: () => Promise<Analyzer>;
}

/** A recording's outcome, or `null` when the work on it was cancelled. */
type Attempt = { readonly outcome: Outcome | null; readonly fault?: unknown };

/**
 * Answers every recording that was asked for and writes each answer as soon as those before it are written.
 * @throws UsageError, SetUpError
 */
export async function identify(options: IdentifyOptions, dependencies: IdentifyDependencies): Promise<ExitCode> {
  const { config, terminal, signal, openAnalyzer } = dependencies;
  // For one release: until then it was another name of --min-score.
  if (options.tables.minConfidence > 0)
    say(terminal, '--min-confidence now means the calibrated confidence; for the score, which it meant before, use --min-score.');
  const output = await openOutput(options, config.startFolder, terminal);
  const analyzer = await openAnalyzer();
  const progress = createProgress(terminal);
  const stop = new AbortController();
  const work = AbortSignal.any([signal, stop.signal]);
  try {
    requireLanguage(options.language, analyzer);
    const severalRecordings = await asksForSeveral(options.asked, config.startFolder);
    const format = outputFormats[options.format]({ severalRecordings, tables: options.tables });
    const tally = createTally(options, config.startFolder, progress);
    let worst: ExitCode = exitCode.done;
    const attempts = inOrder(untilAborted(findRecordings(options.asked, config.startFolder), work), config.workers + 2, (found) =>
      attempt(found, options, analyzer, work, tally.report),
    );
    await write(format.head ?? '');
    for await (const { outcome, fault } of attempts) {
      if (fault instanceof SetUpError) await failWith(fault);
      if (outcome === null) continue;
      if (outcome.kind === 'failed') {
        worst = fault === undefined ? (worst === exitCode.done ? exitCode.input : worst) : exitCode.internal;
        progress.note(`${printable(outcome.shownAs)}: ${printable(outcome.message)}`);
        if (fault instanceof Error) progress.note(fault.stack ?? fault.message);
      }
      await write(format.one(outcome));
      tally.done(outcome);
    }
    progress.stop();
    if (signal.aborted) return exitCode.cancelled;
    const { attribution } = analyzer.model;
    if (format.foot) await write(format.foot(attribution));
    else say(terminal, attribution);
    return worst;
  } catch (error) {
    if (isReaderGone(error)) return exitCode.done;
    throw error;
  } finally {
    progress.stop();
    await output.close();
    await analyzer.close();
  }

  /** Work in flight is stopped before the error leaves, or its end would be waited for. */
  async function failWith(error: unknown): Promise<never> {
    stop.abort();
    throw error;
  }
  async function write(text: string): Promise<void> {
    await output.write(text).catch(failWith);
  }
}

async function attempt(
  found: FoundRecording,
  options: IdentifyOptions,
  analyzer: Analyzer,
  signal: AbortSignal,
  report: (shownAs: string, fraction: number | null) => void,
): Promise<Attempt> {
  const { shownAs } = found;
  if (found.kind === 'problem') return { outcome: { kind: 'failed', shownAs, code: found.code, message: found.message } };
  try {
    const prediction = await analyzer.analyze(
      {
        path: found.path,
        fileName: basename(found.path),
        ...options.place,
        ...(options.minScore === undefined ? {} : { minScore: options.minScore }),
        ...(options.overlapSeconds === undefined ? {} : { overlapSeconds: options.overlapSeconds }),
        ...(options.language === undefined ? {} : { language: options.language }),
        top: options.top,
      },
      { signal, onProgress: ({ fraction }) => report(shownAs, fraction) },
    );
    return { outcome: { kind: 'answered', shownAs, path: found.path, prediction } };
  } catch (error) {
    if (signal.aborted) return { outcome: null };
    if (error instanceof PredictionError) {
      const message = problemSentence(error.code, error.details);
      if (error.code === 'MODEL_NOT_INSTALLED' || error.code === 'DECODER_NOT_INSTALLED')
        return { outcome: null, fault: new SetUpError(`${message} ./chiffchaff model install sets it up.`, { cause: error }) };
      return { outcome: { kind: 'failed', shownAs, code: error.code, message } };
    }
    const why = whyUnreadable(error);
    // The system's names are bytes; what is no UTF-8 among them cannot be asked for by its text.
    const reason = shownAs.includes('\ufffd') ? `${why}, or its name is not UTF-8; rename it` : why;
    if (why !== null)
      return { outcome: { kind: 'failed', shownAs, code: 'FILE_UNREADABLE', message: `${shownAs} can't be read: ${reason}.` } };
    const message = 'Something went wrong on our side with this recording.';
    return { outcome: { kind: 'failed', shownAs, code: 'INTERNAL', message }, fault: error };
  }
}

/** Any variety of a language that has names will do: `de-AT` means German, the analyzer finds the nearest. */
function requireLanguage(language: string | undefined, { languages }: Analyzer): void {
  const primary = (code: string) => code.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  if (language !== undefined && !languages.some((known) => primary(known) === primary(language)))
    throw new UsageError(`--language takes ${listed(languages)}; we found "${language}".`);
}

async function asksForSeveral([first, ...more]: readonly string[], startFolder: string): Promise<boolean> {
  if (first === undefined || more.length > 0) return true;
  return (await stat(resolve(startFolder, first)).catch(() => null))?.isDirectory() ?? false;
}

async function* untilAborted<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

/** Counts recordings done and begun, so that the bar moves within a long recording as well as from file to file. */
function createTally(options: IdentifyOptions, startFolder: string, progress: Progress) {
  let total: number | null = null;
  let done = 0;
  const begun = new Map<string, number>();
  void countRecordings(options.asked, startFolder).then((count) => {
    total = count;
  });
  const update = (doing: string) => {
    const inWork = [...begun.values()].reduce((sum, fraction) => sum + fraction, 0);
    const counted = total === null || total === 1 ? '' : `${done} of ${total} · `;
    progress.update(total === null ? null : Math.min(1, (done + inWork) / total), counted + doing);
  };
  return {
    report: (shownAs: string, fraction: number | null) => {
      begun.set(shownAs, fraction ?? 0);
      update(shownAs);
    },
    done: (outcome: Outcome) => {
      done += 1;
      begun.delete(outcome.shownAs);
      update(outcome.shownAs);
    },
  };
}

async function countRecordings(asked: readonly string[], startFolder: string): Promise<number> {
  let count = 0;
  for await (const _ of findRecordings(asked, startFolder)) count += 1;
  return count;
}

interface Output {
  write: (text: string) => Promise<void>;
  close: () => Promise<void>;
}

/** @throws UsageError when the file would replace a recording; SetUpError when it cannot be written */
async function openOutput({ out, asked }: IdentifyOptions, startFolder: string, terminal: Terminal): Promise<Output> {
  if (out === null) return { write: (text) => writeAll(terminal.out, text), close: async () => undefined };
  const target = resolve(startFolder, out);
  if (asked.some((each) => resolve(startFolder, each) === target))
    throw new UsageError(`--out ${out} would replace a recording that is to be read. Choose another name.`);
  const fail = (error: unknown): never => cannotWrite(out, error);
  const file = await mkdir(dirname(target), { recursive: true })
    .then(() => open(target, 'w'))
    .catch(fail);
  return {
    // Handed to the system at once: what was written stays written, however the program ends.
    write: async (text) => {
      await file.appendFile(text).catch(fail);
    },
    close: () => file.close(),
  };
}
