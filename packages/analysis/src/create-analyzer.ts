import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { hashFile } from '@chiffchaff/acquire';
import type { Conditions, Prediction } from '@chiffchaff/contract';
import { createRecognizer, createSoundCheckUp, DEFAULT_TOP, downmix } from '@chiffchaff/recognizer';
import { createWorkerPool, readModelFolder } from '@chiffchaff/recognizer/node';
import type { AnalysisRequest, AnalyzeOptions, Analyzer, Reconsideration } from './analyzer.ts';
import { openCheckpointFile } from './checkpoint-file.ts';
import { type DecodedRecording, decodeRecording } from './decode/decode-recording.ts';
import type { DecodeLimits } from './decode/limits.ts';
import { formatEarlyDetections, round, roundShare } from './format-answer.ts';
import { openAnswerer, type Question } from './open-answerer.ts';
import { DEFAULT_LANGUAGE } from './species-names.ts';

export interface CreateAnalyzerOptions {
  /** a folder that `@chiffchaff/models` has written */
  readonly modelFolderPath: string;
  /** an ffmpeg that `locateFfmpeg` found */
  readonly ffmpegPath: string;
  /** threads with a model each; as many as cores when absent */
  readonly workers?: number | undefined;
  readonly limits?: Partial<DecodeLimits> | undefined;
}

/** Raised when checkpoints of an earlier version cannot be gone on from: they are dropped then. */
const CHECKPOINT_FORM = 3;

/**
 * Loads a model and makes everything ready.
 *
 * @throws RecognizerError `MODEL_UNREADABLE`, `MODEL_MISMATCH`
 *
 * @example
 * const analyzer = await createAnalyzer({ modelFolderPath, ffmpegPath });
 * const prediction = await analyzer.analyze({ path: 'morning.m4a', fileName: 'morning.m4a' }, { signal });
 */
export async function createAnalyzer(options: CreateAnalyzerOptions): Promise<Analyzer> {
  const { modelFolderPath, ffmpegPath, workers, limits } = options;
  const modelFolder = await readModelFolder(modelFolderPath);
  const answerer = await openAnswerer(modelFolder);
  const { names } = answerer;
  const pool = await createWorkerPool({ modelFolder, ...(workers === undefined ? {} : { workers }) });
  const { manifest, species } = modelFolder;
  const { audio, defaults } = manifest;
  const recognizer = createRecognizer({ manifest, species, runner: pool });
  const model = {
    id: manifest.id,
    version: manifest.version,
    sha256: manifest.audio.sha256,
    licence: manifest.licence,
    attribution: manifest.attribution,
  };
  const clipSeconds = audio.clipSamples / audio.sampleRate;

  const readConditions = (request: Reconsideration): Conditions => {
    const { latitude, longitude } = request;
    const hasPlace = latitude !== undefined && longitude !== undefined;
    return {
      latitude: hasPlace ? latitude : null,
      longitude: hasPlace ? longitude : null,
      week: request.week ?? null,
      date: request.date ?? null,
      minScore: request.minScore ?? defaults.minScore,
      overlapSeconds: round(clipSeconds - defaults.clipStepSeconds),
      language: request.language ?? DEFAULT_LANGUAGE,
    };
  };

  const occurrenceAt = async ({ latitude, longitude, week }: Pick<Conditions, 'latitude' | 'longitude' | 'week'>) =>
    latitude === null || longitude === null || manifest.occurrence === null
      ? null
      : await pool.occurrence({ latitude, longitude, week });

  const questionOf = async (
    { top = DEFAULT_TOP, mostDetections = Number.POSITIVE_INFINITY }: Reconsideration,
    conditions: Conditions,
    occurrence: Promise<Float32Array | null> = occurrenceAt(conditions),
  ): Promise<Question> => ({ conditions, occurrence: await occurrence, top, mostDetections });

  const ask = (request: Reconsideration): Promise<Question> => questionOf(request, readConditions(request));

  const analyze = async (
    request: AnalysisRequest,
    { signal, onProgress, onEvidence, checkpoint, conclude }: AnalyzeOptions,
  ): Promise<Prediction> => {
    const startedAt = performance.now();
    const createdAt = new Date().toISOString();
    const overlapSeconds = request.overlapSeconds ?? clipSeconds - defaults.clipStepSeconds;
    const conditions = { ...readConditions(request), overlapSeconds: round(overlapSeconds) };
    const decoded = await decodeRecording(request.path, { ffmpegPath, sampleRate: audio.sampleRate, signal, limits });
    const openedAt = performance.now();
    // Both are small beside the analysis, and done meanwhile.
    const occurrence = occurrenceAt(conditions);
    const sha256 = request.sha256 === undefined ? hashFile(request.path, signal) : Promise.resolve(request.sha256);
    const meanwhile = Promise.allSettled([occurrence, sha256]);
    try {
      const subject = `${CHECKPOINT_FORM} ${model.sha256} ${await (checkpoint && sha256)} ${overlapSeconds}`;
      await using file = checkpoint && (await openCheckpointFile(checkpoint.path, subject));
      const nameOf = await names.namesIn(conditions.language);
      const soundCheckUp = createSoundCheckUp({ sampleRate: audio.sampleRate, channels: decoded.channels });
      let waitedMs = 0;
      const channels = tapped(decoded.samples, soundCheckUp.pushChannels, (ms) => {
        waitedMs += ms;
      });
      const mono = tapped(downmix(channels, decoded.channels), soundCheckUp.pushMono);
      const collected = await recognizer.collectEvidence(mono, {
        clipStepSeconds: clipSeconds - overlapSeconds,
        signal,
        minScore: conditions.minScore,
        mostDetections: request.mostDetections,
        resumeFrom: file?.readFound(),
        onCheckpoint:
          file &&
          (async (found) => {
            await file.append(found);
            checkpoint?.onSaved?.();
          }),
        onProgress:
          onProgress &&
          (({ analysedSeconds, detectionsSoFar }) =>
            onProgress({
              analysedSeconds,
              fraction: fractionOf(decoded, analysedSeconds),
              detectionsSoFar: () => formatEarlyDetections(detectionsSoFar(), nameOf),
            })),
      });
      const collectedAt = performance.now();
      const question = await questionOf(request, conditions, occurrence);
      const elsewhere = await conclude?.(collected, question);
      const evidence = elsewhere?.evidence ?? collected;
      const worded = elsewhere?.worded ?? (await answerer.answer(evidence, question));
      const recording = {
        fileName: request.fileName === null ? null : basename(request.fileName),
        sha256: await sha256,
        container: decoded.container,
        codec: decoded.codec,
        durationSeconds: round(decoded.end?.durationSeconds ?? 0),
        sampleRate: decoded.sampleRate,
        channels: decoded.channels,
        truncated: decoded.end?.truncated ?? false,
      };
      onEvidence?.(evidence);
      return {
        id: randomUUID(),
        createdAt,
        recording,
        conditions,
        model,
        ...worded,
        checkUp: [
          ...endedEarly(recording.truncated, decoded.end?.missingShare ?? 0),
          ...soundCheckUp.end().map(roundShare),
          ...worded.checkUp,
        ],
        timings: {
          decodeMs: Math.round(openedAt - startedAt + waitedMs),
          inferenceMs: Math.max(0, Math.round(collectedAt - openedAt - waitedMs)),
          totalMs: Math.round(performance.now() - startedAt),
        },
      };
    } finally {
      await decoded.stop();
      await meanwhile;
    }
  };

  return {
    model,
    words: manifest.calibration.words,
    languages: names.languages,
    analyze,

    ask,
    reconsider: async (prediction, evidence, request) => answerer.reconsider(prediction, evidence, await ask(request)),

    async expectedSpecies({ latitude, longitude, week, language = DEFAULT_LANGUAGE }) {
      const occurrence = await occurrenceAt({ latitude, longitude, week: week ?? null });
      if (occurrence === null) return [];
      const nameOf = await names.namesIn(language);
      return species.labels
        .filter(({ index, kind }) => kind === 'bird' && (occurrence[index] ?? 0) >= manifest.calibration.occurrence.rare)
        .map(({ index, scientificName }) => ({
          scientificName,
          commonName: nameOf(index),
          occurrence: round(occurrence[index] ?? 0),
        }))
        .sort((a, b) => b.occurrence - a.occurrence || a.scientificName.localeCompare(b.scientificName));
    },

    async namesIn(language) {
      const nameOf = await names.namesIn(language);
      return new Map(species.labels.map(({ index, scientificName }) => [scientificName, nameOf(index)]));
    },

    close: () => pool.close(),
  };
}

const endedEarly = (truncated: boolean, share: number): Prediction['checkUp'] =>
  truncated ? [{ code: 'ENDED_EARLY', share: round(share) }] : [];

/** Passes a stream on, shows each piece on the way, and tells how long it had to be waited for. */
async function* tapped(
  source: AsyncIterable<Float32Array>,
  show: (piece: Float32Array) => void,
  onWaited?: (ms: number) => void,
): AsyncGenerator<Float32Array, void> {
  let askedAt = performance.now();
  for await (const piece of source) {
    onWaited?.(performance.now() - askedAt);
    show(piece);
    yield piece;
    askedAt = performance.now();
  }
  onWaited?.(performance.now() - askedAt);
}

function fractionOf({ end, expectedSeconds }: DecodedRecording, analysedSeconds: number): number | null {
  const length = end?.durationSeconds ?? expectedSeconds;
  return length === null || length <= 0 ? null : Math.min(1, analysedSeconds / length);
}
