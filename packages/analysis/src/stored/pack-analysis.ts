import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate } from 'node:zlib';
import {
  countedBirds,
  type KeptMoment,
  namedBirds,
  type Prediction,
  type PredictionSummary,
  type WordThresholds,
} from '@chiffchaff/contract';
import { type Evidence, encodeEvidenceInPieces } from '@chiffchaff/recognizer';
import { chooseExcerpts } from './choose-excerpts.ts';

/** An answer without its detections; small, however long the recording is. */
export interface AnswerHead {
  readonly prediction: Prediction;
  /** Parts of the recording that are worth keeping. */
  readonly excerpts: readonly KeptMoment[];
  /** Every bird mentioned anywhere in the answer, with its highest confidence. */
  readonly mentioned: PredictionSummary['species'];
}

/** A prediction, ready to be sent and stored by a process that does not open it. */
export interface Analysis extends AnswerHead {
  /** Birds of `countedBirds` whose word is at least `perhaps`, highest confidence first. */
  readonly species: PredictionSummary['species'];
  /** the prediction as JSON */
  readonly json: Uint8Array;
  /** the same, deflated */
  readonly answer: Uint8Array;
}

const deflated = promisify(deflate);

/**
 * Evidence of hours is long, but no single database write should be. This much memory is allocated at a time, even for a short recording.
 */
const PART_BYTES = 262_144;

/** @param words of the model that gave the answer */
export async function packAnswer(prediction: Prediction, words: WordThresholds): Promise<Analysis> {
  const json = Buffer.from(JSON.stringify(prediction));
  return { ...headOf(prediction), species: speciesOf(prediction, words), json, answer: await deflated(json) };
}

/**
 * @param words of the model that gave the answer
 * @param onEvidence receives the deflated evidence in parts: that of ten hours takes 50 MB, which need not be held here
 */
export async function packAnalysis(
  prediction: Prediction,
  evidence: Evidence,
  words: WordThresholds,
  onEvidence: (part: Uint8Array) => void,
): Promise<Analysis> {
  const [packed] = await Promise.all([packAnswer(prediction, words), packEvidence(evidence, onEvidence)]);
  return packed;
}

async function packEvidence(evidence: Evidence, onEvidence: (part: Uint8Array) => void): Promise<void> {
  await pipeline(encodeEvidenceInPieces(evidence), createDeflate({ level: 3, chunkSize: PART_BYTES }), async (deflated) => {
    for await (const part of deflated) onEvidence(part);
  });
}

/** The part of an answer that can be shown without opening it. */
export function headOf(prediction: Prediction): AnswerHead {
  const { verdict, candidates, hiddenByLocation, detections } = prediction;
  return {
    prediction: { ...prediction, detections: [] },
    excerpts: chooseExcerpts(prediction),
    mentioned: surest([
      ...namedBirds(prediction),
      ...candidates,
      ...(verdict.notExpectedHere ? [verdict.notExpectedHere] : []),
      ...hiddenByLocation,
      ...detections,
    ]),
  };
}

const speciesOf = (prediction: Prediction, { perhaps }: WordThresholds): Analysis['species'] =>
  surest(countedBirds(prediction)).filter(({ confidence }) => confidence >= perhaps);

/** Each bird once, with its highest confidence, highest first. */
function surest(birds: Iterable<Analysis['species'][number]>): Analysis['species'] {
  const species = new Map<string, Analysis['species'][number]>();
  for (const { scientificName, commonName, confidence } of birds) {
    const known = species.get(scientificName);
    if (known && known.confidence >= confidence) continue;
    species.set(scientificName, { scientificName, commonName, confidence });
  }
  return [...species.values()].toSorted((one, other) => other.confidence - one.confidence);
}
