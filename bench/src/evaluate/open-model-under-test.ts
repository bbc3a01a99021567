import { type DecodedRecording, decodeRecording, openZones } from '@chiffchaff/analysis';
import { type Config, openRecognizer } from '@chiffchaff/cli';
import {
  type AnswerConditions,
  type Calibration,
  createRecognizer,
  downmix,
  type Evidence,
  eachClipRun,
  LEAST_FURTHER,
  locationAdjustment,
  logOdds,
  type PlaceAndWeek,
  sharedRanges,
  workOutConfidences,
} from '@chiffchaff/recognizer';
import { type SampleZone, sampleZones } from '../calibrate/places/sample-zones.ts';

/** What is said of a bird, and the numbers that its confidence is worked out from. */
interface Claim {
  readonly label: number;
  readonly inputs: number[];
}

/** The recogniser for evaluations: a recording is analysed once and concluded under many conditions. */
export type ModelUnderTest = Omit<Awaited<ReturnType<typeof openModelUnderTest>>, 'knowledge'>;

/** Opens the installed model with a worker pool and a decoder. Works like `identify` up to the evidence. */
export async function openModelUnderTest(config: Config, signal: AbortSignal) {
  const { model, pool, ffmpegPath } = await openRecognizer(config, signal);
  const { manifest, species } = model;
  const recogniser = createRecognizer({ manifest, species, runner: pool });
  const { sampleRate } = manifest.audio;
  const known = openZones({ model });
  const zones = await known.values();
  await known.close();

  async function withMono<Result>(
    path: string,
    signal: AbortSignal,
    use: (mono: AsyncIterable<Float32Array>) => Promise<Result>,
  ): Promise<Result> {
    const decoded: DecodedRecording = await decodeRecording(path, { ffmpegPath, sampleRate, signal });
    try {
      return await use(downmix(decoded.samples, decoded.channels));
    } finally {
      await decoded.stop();
    }
  }

  function confidencesOf(evidence: Evidence, occurrence: Float32Array | null, changed: Partial<Calibration> = {}) {
    const calibration = { ...manifest.calibration, ...changed };
    const withoutPlace = workOutConfidences(evidence, calibration, null, LEAST_FURTHER, zones);
    if (occurrence === null) return withoutPlace;
    const adjustmentOf = (label: number) => locationAdjustment(occurrence[label] ?? null, calibration.occurrence);
    return workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, LEAST_FURTHER);
  }

  return {
    /** for `npm run calibrate` */
    knowledge: model,
    model: {
      id: manifest.id,
      version: manifest.version,
      sha256: manifest.audio.weights.sha256,
      attribution: manifest.attribution,
    },
    /** Index of each bird the model knows, by scientific name. */
    birds: new Map(
      species.labels.filter(({ kind }) => kind === 'bird').map(({ scientificName, index }) => [scientificName, index]),
    ),
    sampleRate,
    words: manifest.calibration.words,
    /** @throws PredictionError when the recording cannot be read; the signal's reason when it aborts */
    analyzeFile: (path: string, signal: AbortSignal): Promise<Evidence> =>
      withMono(path, signal, (mono) => recogniser.collectEvidence(mono, { signal })),
    /** @returns mono samples at the model's rate */
    decode: (path: string, signal: AbortSignal): Promise<Float32Array> =>
      withMono(path, signal, async (mono) => {
        const pieces: Float32Array<ArrayBuffer>[] = [];
        // The next piece overwrites this one.
        for await (const piece of mono) pieces.push(piece.slice());
        return new Float32Array(await new Blob(pieces).arrayBuffer());
      }),
    /** @param samples mono, at the model's rate */
    analyzeSamples: (samples: Float32Array, signal: AbortSignal): Promise<Evidence> =>
      recogniser.collectEvidence(asOnePiece(samples), { signal }),
    conclude: (evidence: Evidence, conditions: AnswerConditions) => recogniser.conclude(evidence, { zones, ...conditions }),
    /** The birds beside the surest one, with what their confidence is worked out from. @param occurrence null without a place */
    furtherBirds(evidence: Evidence, occurrence: Float32Array | null): Claim[] {
      const { best, bestPassage, inputsInPassage } = confidencesOf(evidence, occurrence, { furtherBirds: null });
      const heard = [...best.keys()].filter((label) => bestPassage[label] !== -1);
      const [, ...further] = heard.toSorted((a, b) => (best[b] ?? 0) - (best[a] ?? 0));
      const ranges = occurrence || zones === null ? null : sharedRanges(best, heard, zones);
      return further.flatMap((label) => {
        const inputs = inputsInPassage(bestPassage[label] ?? 0, label);
        if (inputs === null) return [];
        const { z, meanMargin, nonBird } = inputs;
        // In the order of the coefficients that are fitted.
        const range = Math.log(ranges?.get(label) ?? 1);
        return [{ label, inputs: [z, Math.max(meanMargin, 0), Math.min(meanMargin, 0), nonBird, range] }];
      });
    },
    /** The detections of birds, with what their confidence is worked out from. @param occurrence null without a place */
    detectionInputs(evidence: Evidence, occurrence: Float32Array | null): Claim[] {
      const { inputsInRun } = confidencesOf(evidence, occurrence);
      const runs = eachClipRun(evidence, logOdds(manifest.defaults.minScore), (label) => species.isBird[label] === 1);
      return Array.from(runs).flatMap((run) => {
        const inputs = inputsInRun(run, species.isBird);
        return inputs ? [{ label: run.label, inputs: [inputs.logit, inputs.shortPassage, inputs.passage] }] : [];
      });
    },
    /** How likely each label is at the place and week, in label order. */
    occurrence: (place: PlaceAndWeek): Promise<Float32Array> => pool.occurrence(place),
    zones: (): Promise<SampleZone[]> => sampleZones(model, pool.occurrence),
    close: (): Promise<void> => pool.close(),
  };
}

async function* asOnePiece(samples: Float32Array): AsyncGenerator<Float32Array> {
  yield samples;
}
