import { type DecodedRecording, decodeRecording, openZones } from '@chiffchaff/analysis';
import { type Config, openRecognizer } from '@chiffchaff/cli';
import {
  type AnswerConditions,
  createRecognizer,
  downmix,
  type Evidence,
  furtherBirdInputs,
  LEAST_FURTHER,
  locationAdjustment,
  type PlaceAndWeek,
  sharedRanges,
  workOutConfidences,
} from '@chiffchaff/recognizer';
import { type SampleZone, sampleZones } from '../calibrate/places/sample-zones.ts';

/** The recogniser for evaluations: a recording is analysed once and concluded under many conditions. */
export type ModelUnderTest = Awaited<ReturnType<typeof openModelUnderTest>>;

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

  return {
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
        const pieces: Float32Array[] = [];
        // The next piece overwrites this one.
        for await (const piece of mono) pieces.push(piece.slice());
        return joinSamples(pieces);
      }),
    /** @param pieces consecutive mono samples at the model's rate */
    analyzeSamples: (pieces: Iterable<Float32Array>, signal: AbortSignal): Promise<Evidence> =>
      recogniser.collectEvidence(asynchronously(pieces), { signal }),
    conclude: (evidence: Evidence, conditions: AnswerConditions) => recogniser.conclude(evidence, { zones, ...conditions }),
    /** The birds beside the surest one, with what their confidence is worked out from. @param occurrence null without a place */
    furtherBirds(evidence: Evidence, occurrence: Float32Array | null): { readonly label: number; readonly inputs: number[] }[] {
      const alone = { ...manifest.calibration, furtherBirds: null };
      const withoutPlace = workOutConfidences(evidence, alone, null, LEAST_FURTHER);
      const adjustmentOf = (label: number) => locationAdjustment(occurrence?.[label] ?? null, alone.occurrence);
      const place = occurrence && { adjustmentOf, withoutPlace };
      const { best, bestPassage, inputsInPassage } = place
        ? workOutConfidences(evidence, alone, place, LEAST_FURTHER)
        : withoutPlace;
      const heard = [...best.keys()].filter((label) => bestPassage[label] !== -1);
      const [, ...further] = heard.toSorted((a, b) => (best[b] ?? 0) - (best[a] ?? 0));
      const ranges = place || zones === null ? null : sharedRanges(best, heard, zones);
      return further.flatMap((label) => {
        const inputs = inputsInPassage(bestPassage[label] ?? 0, label);
        return inputs ? [{ label, inputs: furtherBirdInputs(inputs, ranges?.get(label) ?? 1) }] : [];
      });
    },
    /** How likely each label is at the place and week, in label order. */
    occurrence: (place: PlaceAndWeek): Promise<Float32Array> => pool.occurrence(place),
    zones: (): Promise<SampleZone[]> => sampleZones(model, pool.occurrence),
    close: (): Promise<void> => pool.close(),
  };
}

async function* asynchronously<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

export function joinSamples(pieces: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
