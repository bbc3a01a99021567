import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { hashFile } from '@chiffchaff/acquire';
import { type Prediction, SHORT_RECORDING_SECONDS } from '@chiffchaff/contract';
import {
  createRecognizer,
  createSoundCheckUp,
  downmix,
  type Label,
  occurrenceToByte,
  type PlaceAndWeek,
  pickChannel,
} from '@chiffchaff/recognizer';
import { fingerprintOf, openModelFolder, openWorkerPool } from '@chiffchaff/recognizer/node';
import type { AnalysisRequest, AnalyzeOptions, Analyzer } from './analyzer.ts';
import { formatEarlyDetections } from './answer/format-answer.ts';
import { DEFAULT_LANGUAGE } from './answer/name-labels.ts';
import { highestOf, pointsAround, type Surroundings } from './answer/occurrence-word.ts';
import { modelOf, predictionOf } from './answer/prediction-of.ts';
import { type PlaceKnowledge, type Question, questionOf, type Reconsideration, usualOverlapSeconds } from './answer/question.ts';
import { round } from './answer/rounding.ts';
import { openCheckpointFile } from './checkpoint-file.ts';
import { type DecodeOptions, decodeRecording } from './decode/decode-recording.ts';
import type { DecodedRecording } from './decode/decoded-recording.ts';
import { type DecodeLimits, defaultDecodeLimits } from './decode/limits.ts';
import { ChannelMissing } from './errors.ts';
import { readMetadata } from './metadata/read-metadata.ts';
import { openAnswerer } from './open-answerer.ts';
import { openNames } from './species/open-names.ts';
import { openSpecies } from './species/open-species.ts';
import { createOverview } from './spectrum/create-overview.ts';
import { openZones } from './zones/open-zones.ts';

export interface OpenAnalyzerOptions {
  /** folder written by `@chiffchaff/models` */
  readonly modelFolderPath: string;
  /** of the model that it must be; any if it is absent */
  readonly fingerprint?: string | undefined;
  /** path found by `locateFfmpeg` */
  readonly ffmpegPath: string;
  /** threads, each with a model; by default one a core. 0: recordings cannot be analysed, everything else works */
  readonly workers?: number | undefined;
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** priority of the decoder on a busy machine; by default that of the model's threads */
  readonly urgency?: DecodeOptions['urgency'];
  /** Includes regions in all answers and makes the zone table at start; otherwise both happen only for requests with a time zone. */
  readonly includesRegions?: boolean | undefined;
}

/** Increase it when checkpoints of earlier versions can no longer be resumed; they are then dropped. */
const CHECKPOINT_VERSION = 4;

/**
 * Checks the files of a model, loads it and opens everything an analysis needs.
 *
 * @throws RecognizerError `MODEL_UNREADABLE`, `MODEL_DAMAGED`, `MODEL_EXCHANGED`, `MODEL_MISMATCH`
 *
 * @example
 * const analyzer = await createAnalyzer({ modelFolderPath, ffmpegPath });
 * const prediction = await analyzer.analyze({ path: 'morning.m4a', fileName: 'morning.m4a' }, { signal });
 */
export async function openAnalyzer(options: OpenAnalyzerOptions): Promise<Analyzer> {
  const { modelFolderPath, ffmpegPath, workers, limits, urgency, includesRegions = false } = options;
  const modelFolder = await openModelFolder(modelFolderPath, options.fingerprint);
  const answerer = await openAnswerer(modelFolder);
  const { names } = answerer;
  const pool = await openWorkerPool({ modelFolder, ...(workers === undefined ? {} : { workers }) });
  const { manifest, species } = modelFolder;
  const { audio } = manifest;
  const zones = openZones({ model: modelFolder });
  const ofSpecies = openSpecies({ model: modelFolder, names, zones, ask: pool.occurrences });
  if (includesRegions) void zones.regions();
  const recognizer = createRecognizer({ manifest, species, runner: pool });
  const model = modelOf(manifest);

  const occurrenceAt = async (place: PlaceAndWeek) => (manifest.occurrence === null ? null : await pool.occurrence(place));
  const surroundingsOf = async (place: PlaceAndWeek): Promise<Surroundings | null> => {
    if (manifest.occurrence === null) return null;
    const labelCount = species.labels.length;
    const rows = await pool.occurrences([{ ...place, week: null }, ...pointsAround(place)]);
    return { wholeYear: rows.slice(0, labelCount), nearby: highestOf(rows.subarray(labelCount), labelCount) };
  };
  const occurrenceIn = async (where: PlaceAndWeek | { readonly timeZone: string }) =>
    'timeZone' in where ? (await zones.find(where.timeZone))?.occurrence : await occurrenceAt(where);

  const ask = async (request: Reconsideration, overlapSeconds?: number): Promise<Question> => {
    const tells = includesRegions || request.timeZone !== undefined;
    const knowledge: PlaceKnowledge = {
      occurrenceAt,
      surroundingsOf,
      assume: zones.find,
      zones: zones.values,
      regions: () => (tells ? zones.regions() : Promise.resolve(null)),
    };
    const question = await questionOf(manifest, request, knowledge, overlapSeconds);
    const listed = listedOf(species.labels, request, question.occurrence);
    return listed === null ? question : { ...question, listed };
  };

  const analyze = async (
    request: AnalysisRequest,
    { signal, owner, onProgress, onEvidence, onOverview, checkpoint, conclude }: AnalyzeOptions,
  ): Promise<Prediction> => {
    const startedAt = performance.now();
    const createdAt = new Date().toISOString();
    const overlapSeconds = request.overlapSeconds ?? usualOverlapSeconds(manifest);
    const { channel, minHz, maxHz, speed = 1 } = request.preprocessing ?? {};
    const decoded = await decodeRecording(request.path, {
      // Decoding at another rate and treating the samples as if at the model's rate changes the speed.
      ffmpegPath,
      sampleRate: Math.round(audio.sampleRate / speed),
      signal,
      // What counts is how long the model hears it.
      limits: { ...limits, minSeconds: (limits?.minSeconds ?? defaultDecodeLimits.minSeconds) * speed },
      urgency,
      ...(minHz === undefined && maxHz === undefined ? {} : { band: { minHz, maxHz } }),
    });
    if (channel !== undefined && channel > decoded.channels) {
      await decoded.stop();
      throw new ChannelMissing(decoded.channels);
    }
    const isPicked = channel !== undefined && decoded.channels > 1;
    const channelCount = isPicked ? 1 : decoded.channels;
    const samples = isPicked
      ? pickChannel(decoded.samples, { channel: channel - 1, channels: decoded.channels })
      : decoded.samples;
    const openedAt = performance.now();
    // All are short compared with the analysis and run alongside it.
    const asked = ask(request, overlapSeconds).then((question) => ({ ...question, speed }));
    const sha256 = request.sha256 === undefined ? hashFile(request.path, signal) : Promise.resolve(request.sha256);
    const metadata = readMetadata(request.path, request.fileName ?? '');
    const meanwhile = Promise.allSettled([asked, sha256, metadata]);
    let knownQuestion: Question | null = null;
    asked.then(
      (question) => {
        knownQuestion = question;
      },
      () => {}, // thrown where it is awaited
    );
    try {
      const how = `${overlapSeconds} ${JSON.stringify(request.preprocessing ?? '')}`;
      const subject = `${CHECKPOINT_VERSION} ${model.sha256} ${await (checkpoint && sha256)} ${how}`;
      await using file = checkpoint && (await openCheckpointFile(checkpoint.path, subject));
      const nameOf = await names.namesIn(request.language ?? DEFAULT_LANGUAGE);
      const soundCheckUp = createSoundCheckUp({ sampleRate: audio.sampleRate, channels: channelCount });
      let waitedMs = 0;
      const channels = tapped(samples, soundCheckUp.pushChannels, (ms) => {
        waitedMs += ms;
      });
      const overview = onOverview && createOverview(audio.sampleRate);
      const mono = tapped(downmix(channels, channelCount), (piece) => {
        soundCheckUp.pushMono(piece);
        overview?.push(piece);
      });
      const collected = await recognizer.collectEvidence(mono, {
        clipStepSeconds: audio.clipSamples / audio.sampleRate - overlapSeconds,
        signal,
        owner,
        ...(request.minScore === undefined ? {} : { minScore: request.minScore }),
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
          (({ analysedSeconds, detectionsSoFar, answerSoFar }) =>
            onProgress({
              analysedSeconds,
              fraction: fractionOf(decoded, analysedSeconds * speed),
              detectionsSoFar() {
                const found = detectionsSoFar();
                const words = knownQuestion && found.length > 0 ? answerer.wordsSoFar(answerSoFar, knownQuestion) : null;
                return formatEarlyDetections(found, nameOf, words);
              },
            })),
      });
      const collectedAt = performance.now();
      const question = await asked;
      const elsewhere = await conclude?.(collected, question);
      const evidence = elsewhere?.evidence ?? collected;
      const worded = elsewhere?.worded ?? (await answerer.answer(evidence, question));
      const recording = {
        fileName: request.fileName === null ? null : basename(request.fileName),
        sha256: await sha256,
        container: decoded.container,
        codec: decoded.codec,
        durationSeconds: decoded.end?.durationSeconds ?? 0,
        sampleRate: decoded.sampleRate,
        channels: decoded.channels,
        truncated: decoded.end?.truncated ?? false,
      };
      onEvidence?.(evidence);
      if (overview && recording.durationSeconds >= SHORT_RECORDING_SECONDS) onOverview?.(overview.end());
      return predictionOf({
        id: randomUUID(),
        createdAt,
        model,
        recording,
        missingShare: decoded.end?.missingShare ?? 0,
        notes: [...(decoded.tracks > 1 ? (['SEVERAL_TRACKS'] as const) : []), ...((await metadata).notes ?? [])],
        question,
        soundFindings: soundCheckUp.end(),
        worded,
        timings: {
          decodeMs: Math.round(openedAt - startedAt + waitedMs),
          inferenceMs: Math.max(0, Math.round(collectedAt - openedAt - waitedMs)),
          totalMs: Math.round(performance.now() - startedAt),
        },
      });
    } finally {
      await decoded.stop();
      await meanwhile;
    }
  };

  return {
    model,
    fingerprint: fingerprintOf(manifest),
    words: manifest.calibration.words,
    ...ofSpecies,
    ...(await openNames(modelFolder, names)),
    analyze,

    ask: (request) => ask(request),
    answerer,

    async expectedSpecies({ language = DEFAULT_LANGUAGE, ...where }) {
      const occurrence = await occurrenceIn('timeZone' in where ? where : { ...where, week: where.week ?? null });
      if (!occurrence) return [];
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

    async occurrenceBytes(where) {
      const occurrence = await occurrenceIn(where);
      return occurrence ? Uint8Array.from(occurrence, occurrenceToByte) : null;
    },

    regions: () => zones.regions(),
    zones: zones.values,

    canAssume: async (timeZone) => (await zones.find(timeZone)) !== null,

    async close() {
      await ofSpecies.close();
      await zones.close();
      await pool.close();
    },
  };
}

/** @returns null when all birds may be named */
function listedOf(
  labels: readonly Label[],
  { species, minOccurrence }: Reconsideration,
  occurrence: Float32Array | null,
): Uint8Array | null {
  if (species === undefined && minOccurrence === undefined) return null;
  const names = species && new Set(species);
  return Uint8Array.from(labels, ({ index, scientificName }) => {
    const isLikely = minOccurrence === undefined || occurrence === null || (occurrence[index] ?? 0) >= minOccurrence;
    return isLikely && (names?.has(scientificName) ?? true) ? 1 : 0;
  });
}

/** Passes a stream through, shows each piece to `show`, and reports how long it waited for the source. */
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
