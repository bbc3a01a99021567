import type { Evidence } from '@chiffchaff/recognizer';
import type { AnalysisProgress, AnalyzeOptions, Analyzer } from '../analyzer.ts';
import { copySound } from '../copy/copy-sound.ts';
import { cutClip } from '../copy/cut-clip.ts';
import { PredictionError } from '../errors.ts';
import { drawTile } from '../spectrum/draw-tile.ts';
import { writeSpectrum } from '../spectrum/write-spectrum.ts';
import { type AnswerOperations, createAnswerOperations, type StoredEvidence } from '../stored/answer-operations.ts';
import { createAnswerThread } from '../stored/answer-operations-in-thread.ts';
import { packAnalysis } from '../stored/pack-analysis.ts';
import { withReviews } from '../stored/read-answer.ts';
import {
  type AnalysisService,
  type AnalyzerCalls,
  analyzerCalls,
  isLargeAnswer,
  isLargeEvidence,
  type MissingPart,
  type ProgressReport,
  requestOf,
  type StoredAnswer,
} from './analysis-service.ts';

/** The model, or what is missing. */
type Installed = Analyzer | { readonly missing: readonly MissingPart[] };

export interface AnalysisServiceOptions {
  readonly openInstalled: () => Promise<Installed>;
  /** What is wrong with the files of the model that was loaded; null if nothing is. Absent: nothing can be. */
  readonly findFault?: (fingerprint: string) => Promise<MissingPart | null>;
  /** @throws PredictionError DECODER_NOT_INSTALLED */
  readonly findFfmpeg: () => Promise<string>;
  /** the folder of the analyzer's model */
  readonly modelFolderPath: string;
}

/**
 * Up to this many clip scores are concluded in this thread, which takes a second. The other thread would add 40 MB to the process's peak.
 * Ten hours in a garden produce five million; an hour of dense song at an overlap of 2.9 s produces fourteen million.
 */
const MOST_SCORES_HERE = 8_000_000;

/** The service in this process. A thread opens large answers and evidence, which takes seconds. */
export function createAnalysisService(options: AnalysisServiceOptions): AnalysisService {
  const { openInstalled, findFault = async () => null, findFfmpeg, modelFolderPath } = options;
  let loading: Promise<Installed> | null = null;
  let loaded: Analyzer | null = null;
  const thread = createAnswerThread(() => ({ path: modelFolderPath, fingerprint: loaded?.fingerprint }));
  const here = createAnswerOperations(async () => (await requireAnalyzer()).answerer);
  const workFor = (isLarge: boolean): AnswerOperations => (isLarge ? thread : here);
  const workOn = ({ answer }: { readonly answer: Uint8Array }): AnswerOperations => workFor(isLargeAnswer(answer.length));

  async function load(): Promise<Installed> {
    loading ??= openInstalled();
    const opening = loading;
    const found = await opening.catch(() => null);
    loaded = found !== null && 'analyze' in found ? found : null;
    if (loaded === null && loading === opening) loading = null;
    return opening;
  }

  /** @throws PredictionError MODEL_NOT_INSTALLED, DECODER_NOT_INSTALLED */
  async function requireAnalyzer(): Promise<Analyzer> {
    const found = await load();
    if ('analyze' in found) return found;
    throw new PredictionError(found.missing[0]?.code ?? 'MODEL_NOT_INSTALLED', {});
  }

  /** null if the model that produced the evidence is no longer installed, or does not know the assumed place */
  async function evidenceFor({ answer, reviews }: StoredAnswer, parts: readonly Uint8Array[]): Promise<StoredEvidence | null> {
    const { prediction } = await thread.head(answer);
    const analyzer = await requireAnalyzer().catch(() => null);
    if (analyzer?.model.sha256 !== prediction.model.sha256) return null;
    const question = await analyzer.ask(requestOf(prediction));
    // Without the assumed place, the numbers would differ from the answer's.
    if (question.conditions.timeZone !== prediction.conditions.timeZone) return null;
    return { prediction: withReviews(prediction, reviews), parts, question };
  }

  const passOn =
    <Name extends keyof AnalyzerCalls>(name: Name) =>
    async (...args: unknown[]) =>
      ((await requireAnalyzer())[name] as (...args: unknown[]) => unknown)(...args);
  const passedOn = Object.fromEntries(analyzerCalls.map((name) => [name, passOn(name)])) as unknown as AnalyzerCalls;

  const concludeElsewhere: NonNullable<AnalyzeOptions['conclude']> = (evidence, question) =>
    evidence.clips.labels.length > MOST_SCORES_HERE ? thread.conclude(evidence, question) : null;

  return {
    async load() {
      const fault = loaded && (await findFault(loaded.fingerprint));
      if (fault) return { missing: [fault] };
      const found = await load();
      if (!('analyze' in found)) return found;
      const { model, fingerprint, languages, words } = found;
      return { model, fingerprint, languages, words };
    },

    async analyze({ id, createdAt, owner, ...request }, { signal, onProgress, onEvidence, checkpoint }) {
      const analyzer = await requireAnalyzer();
      const heard = Promise.withResolvers<Evidence>();
      let overview: Uint8Array | null = null;
      const prediction = await analyzer.analyze(request, {
        signal,
        owner,
        onEvidence: heard.resolve,
        onOverview(levels) {
          overview = levels;
        },
        conclude: concludeElsewhere,
        checkpoint,
        onProgress: onProgress && throttleProgress(onProgress),
      });
      const answer = await packAnalysis({ ...prediction, id, createdAt }, await heard.promise, analyzer.words, onEvidence);
      return { ...answer, overview };
    },

    ...passedOn,

    answerJson: (stored) => workOn(stored).text(stored),
    answerFile: (stored, options) => workOn(stored).file(stored, options),
    answerHead: (stored) => workOn(stored).head(stored.answer),

    async reconsider({ answer, parts }, request) {
      const work = workFor(isLargeAnswer(answer.length) || isLargeEvidence(lengthOf(parts)));
      const analyzer = await requireAnalyzer();
      const { prediction } = await work.head(answer);
      const { id, version, sha256 } = prediction.model;
      if (analyzer.model.sha256 !== sha256) throw new PredictionError('MODEL_REPLACED', { model: `${id} ${version}` });
      return work.reconsider({ prediction, parts, question: await analyzer.ask(request) });
    },

    async writeTable({ answer, reviews, name, options, parts, file }) {
      const source = (parts && (await evidenceFor({ answer, reviews }, parts))) ?? { answer, reviews };
      await workFor(isLargeAnswer(answer.length) || parts !== null).writeTable({ name, options, source, file });
    },

    copySound: async (task, signal) => copySound({ ...task, ffmpegPath: await findFfmpeg() }, signal),
    cutClip: async (task, signal) => cutClip({ ...task, ffmpegPath: await findFfmpeg() }, signal),
    writeSpectrum: async (task, signal) => writeSpectrum({ ...task, ffmpegPath: await findFfmpeg() }, signal),
    drawTile: async (task, signal) => drawTile({ ...task, ffmpegPath: await findFfmpeg() }, signal),

    async close() {
      await thread.end();
      const found = await loading?.catch(() => null);
      if (found && 'analyze' in found) await found.close();
    },
  };
}

/** A report takes about 20 ms, which the analysis waits for: it works out how sure the birds are so far. */
const REPORT_EVERY_MS = 500;
/** Hours of song produce long lists, which are reported less often. */
const MS_A_DETECTION = 2;

/** Forwards the analyzer's progress, which comes after every clip, at most twice a second. */
function throttleProgress(report: (progress: ProgressReport) => void): (progress: AnalysisProgress) => void {
  let nextAtMs = 0;
  return ({ fraction, detectionsSoFar }) => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    const detections = detectionsSoFar();
    report({ fraction, detections });
    nextAtMs = nowMs + Math.max(REPORT_EVERY_MS, detections.length * MS_A_DETECTION);
  };
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);
