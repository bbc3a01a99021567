import {
  createAnswerer,
  DEFAULT_LANGUAGE,
  formatEarlyDetections,
  modelOf,
  type PlaceKnowledge,
  predictionOf,
  type Question,
  questionOf,
  type Reconsideration,
  usualOverlapSeconds,
} from '@chiffchaff/analysis/answer';
import { type EarlyDetection, type FileNote, MOST_DETECTIONS, type Prediction } from '@chiffchaff/contract';
import {
  type CollectProgress,
  createRecognizer,
  createSoundCheckUp,
  createSpeechMeter,
  RecognizerError,
  speechIn,
  weekOf,
} from '@chiffchaff/recognizer';
import type { Sound } from '../decoding/open-sound.ts';
import type { Span } from '../format/format.ts';
import type { RequestedConditions } from '../sending/requested-conditions.ts';
import { deviceModel, readInstalled } from './device-model.ts';
import { openDevicePlaces } from './device-places.ts';
import { type OpenModel, openModel } from './open-model.ts';

/** A prediction request for a recording, without its audio. */
export interface DeviceQuestion extends RequestedConditions {
  /** lowest score of a detection; the model's own when absent */
  readonly minScore?: number;
  /** of species names and of the sentence, as the server's code; null: English */
  readonly language: string | null;
}

export interface AnswerSoFar {
  /** without detections and check-up, with all candidates; no candidate loses confidence as the recording continues */
  readonly prediction: Prediction;
  /** scientific names of the birds in the newest seconds, final or not */
  readonly justHeard: readonly string[];
}

export interface DeviceProgress {
  readonly analysedSeconds: number;
  /** Without confidences, which are not known yet. Call it synchronously in `onProgress` or not at all. */
  detectionsSoFar(): EarlyDetection[];
  /**
   * The prediction from what is final so far. Costs some milliseconds regardless of the recording's length: call it at most once a second.
   *
   * @param question defaults to that of the analysis; a new place costs more, once
   */
  answerSoFar(question?: DeviceQuestion): Promise<AnswerSoFar>;
}

export interface DeviceAnswer {
  readonly prediction: Prediction;
  /** Computes the prediction again under other conditions. @throws TypeError when a place is not cached and the server is out of reach */
  reconsider(question: DeviceQuestion): Promise<Prediction>;
  /** where speech is heard, by time */
  readonly speech: readonly Span[];
}

export interface DeviceAnalysis {
  readonly question: DeviceQuestion;
  /** The rate and channels are the original recording's; the samples passed in have the recogniser's. */
  readonly recording: Pick<Sound, 'container' | 'codec' | 'sampleRate' | 'channels'> & { readonly fileName: string | null };
  /** of its file, if it is one */
  readonly notes?: readonly FileNote[] | undefined;
  /** seconds between the starts of clips; the model's own when absent */
  readonly clipStepSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DeviceProgress) => void;
}

let opened: Promise<DeviceRecognizer> | null = null;

/**
 * Returns the page's one recogniser: the first call opens it, and later calls share it until it is closed.
 *
 * @throws Error when the model is not installed, FetchError or RecognizerError when it cannot be loaded
 */
export function openDeviceRecognizer(): Promise<DeviceRecognizer> {
  opened ??= open().catch((error) => {
    opened = null;
    throw error;
  });
  return opened;
}

async function open() {
  const found = await readInstalled();
  if (found === null) throw new Error('The model is not on this device');
  const { model, msPerClip } = found.installed;
  const loaded = await openModel(found.cache, model);
  const close = (): void => {
    unfollow();
    opened = null;
    loaded.runner.close();
  };
  const unfollow = deviceModel.subscribe(() => {
    const { kind } = deviceModel.snapshot();
    if (kind === 'absent' || kind === 'unavailable') close();
  });
  const analyse = createAnalysis(loaded, openDevicePlaces(model));
  return {
    /** Hz */
    sampleRate: loaded.knowledge.manifest.audio.sampleRate,
    /** as measured on this device */
    msPerClip,
    /**
     * Analyses a recording while it arrives; one at a time.
     *
     * @param samples mono, −1…1, at `sampleRate`, in pieces of any length
     * @throws RecognizerError when the model fails; the signal's reason when cancelled; whatever `samples` throws
     */
    async analyse(samples: AsyncIterable<Float32Array>, analysis: DeviceAnalysis): Promise<DeviceAnswer> {
      try {
        return await analyse(samples, analysis);
      } catch (error) {
        // The worker is lost: the next caller gets a new one.
        if (error instanceof RecognizerError) close();
        throw error;
      }
    },
    close,
  };
}

export type DeviceRecognizer = Awaited<ReturnType<typeof open>>;

/** The question as the recogniser takes it: with the week of its day. */
export function reconsiderationOf({ place, placeSource, timeZone, date, minScore, language }: DeviceQuestion): Reconsideration {
  return {
    ...(place && { ...place, placeSource }),
    ...(timeZone === null ? {} : { timeZone }),
    ...(date === null ? {} : { date, week: weekOf(Number(date.slice(5, 7)), Number(date.slice(8, 10))) }),
    ...(minScore === undefined ? {} : { minScore }),
    language: language ?? DEFAULT_LANGUAGE,
    mostDetections: MOST_DETECTIONS,
  };
}

function createAnalysis({ knowledge, names, runner }: OpenModel, places: PlaceKnowledge) {
  const { manifest } = knowledge;
  const recognizer = createRecognizer({ ...knowledge, runner });
  const answerer = createAnswerer(knowledge, names);
  const clipSeconds = manifest.audio.clipSamples / manifest.audio.sampleRate;
  // Without them, an answer is only less complete.
  const regions = () => places.regions().catch(() => null);
  const zones = () => places.zones().catch(() => null);

  return async (samples: AsyncIterable<Float32Array>, analysis: DeviceAnalysis): Promise<DeviceAnswer> => {
    const { question: asked, recording, notes, clipStepSeconds, signal, onProgress } = analysis;
    const startedAt = performance.now();
    const [id, createdAt] = [crypto.randomUUID(), new Date().toISOString()];
    const overlapSeconds = clipStepSeconds === undefined ? usualOverlapSeconds(manifest) : clipSeconds - clipStepSeconds;
    const ask = (question: DeviceQuestion): Promise<Question> =>
      questionOf(manifest, reconsiderationOf(question), { ...places, regions, zones }, overlapSeconds);
    /** A place that cannot be looked up does not fail the analysis: it is treated as not stated. */
    const askAnyway = async (question: DeviceQuestion): Promise<Question> =>
      ask(question)
        .catch(() => ask({ ...question, place: null }))
        .catch(() => ask({ ...question, place: null, timeZone: null }));
    let latest: { readonly question: DeviceQuestion; readonly whole: Promise<Question> } | null = null;
    const askOnce = (question: DeviceQuestion): Promise<Question> => {
      if (latest?.question !== question) latest = { question, whole: askAnyway(question) };
      return latest.whole;
    };
    const nameOf = await names.namesIn(asked.language ?? DEFAULT_LANGUAGE);
    const soundCheckUp = createSoundCheckUp({ sampleRate: manifest.audio.sampleRate, channels: 1 });
    const speechMeter = createSpeechMeter(manifest.audio.sampleRate);
    let sampleCount = 0;
    let waitedMs = 0;
    async function* counted(): AsyncGenerator<Float32Array, void> {
      let askedAt = performance.now();
      for await (const piece of samples) {
        waitedMs += performance.now() - askedAt;
        soundCheckUp.pushChannels(piece);
        soundCheckUp.pushMono(piece);
        speechMeter.push(piece);
        sampleCount += piece.length;
        yield piece;
        askedAt = performance.now();
      }
    }
    const partsOf = (question: Question) => ({
      id,
      createdAt,
      question,
      missingShare: 0,
      notes,
      model: modelOf(manifest),
      recording: {
        ...recording,
        sha256: '',
        durationSeconds: sampleCount / manifest.audio.sampleRate,
        truncated: false,
      },
      timings: {
        decodeMs: Math.round(waitedMs),
        inferenceMs: Math.max(0, Math.round(performance.now() - startedAt - waitedMs)),
        totalMs: Math.round(performance.now() - startedAt),
      },
    });
    let answer: DeviceAnswer | null = null;
    const progressOf = ({ analysedSeconds, detectionsSoFar, answerSoFar }: CollectProgress): DeviceProgress => ({
      analysedSeconds,
      detectionsSoFar: () => formatEarlyDetections(detectionsSoFar(), nameOf),
      async answerSoFar(question = asked) {
        const whole = await askOnce(question);
        if (answer) return { prediction: await answer.reconsider(question), justHeard: [] };
        const { worded, justHeard } = await answerer.answerSoFar(answerSoFar, whole);
        return { prediction: predictionOf({ ...partsOf(whole), worded, soundFindings: [] }), justHeard };
      },
    });
    const evidence = await recognizer.collectEvidence(counted(), {
      ...(clipStepSeconds === undefined ? {} : { clipStepSeconds }),
      ...(signal ? { signal } : {}),
      ...(asked.minScore === undefined ? {} : { minScore: asked.minScore }),
      mostDetections: MOST_DETECTIONS,
      onProgress: onProgress && ((progress) => onProgress(progressOf(progress))),
    });
    const question = await askOnce(asked);
    const worded = await answerer.answer(evidence, question);
    const prediction = predictionOf({ ...partsOf(question), worded, soundFindings: soundCheckUp.end() });
    answer = {
      prediction,
      reconsider: async (next) => answerer.reconsider(prediction, evidence, await ask(next)),
      speech: speechIn(evidence, knowledge.species, manifest.calibration.otherSoundScore, speechMeter.end()),
    };
    return answer;
  };
}
