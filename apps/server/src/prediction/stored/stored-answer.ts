import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate } from 'node:zlib';
import type { Prediction, PredictionSummary, WordThresholds } from '@chiffchaff/contract';
import { type Evidence, encodeEvidenceInPieces } from '@chiffchaff/recognizer';
import { foldName } from '../../places/fold-name.ts';

/** What is written about an answer; a list never opens more than `summary`. */
export interface StoredAnswer {
  readonly answer: Uint8Array;
  /** the same as JSON */
  readonly text: string;
  readonly summary: string;
  readonly searchText: string;
  readonly species: PredictionSummary['species'];
  readonly evidence: readonly Uint8Array[];
}

/** What a list shows of a prediction besides its row and its sound. */
export type Summary = Pick<PredictionSummary, 'durationSeconds' | 'verdict' | 'species'>;

const deflated = promisify(deflate);

/** Evidence of hours is long; no single write to the database is. So much is taken of memory at a time, for a short recording too. */
const PART_BYTES = 262_144;

/** Works off the event loop where it takes long. @param words of the model that gave the answer */
export async function packAnswer(prediction: Prediction, evidence: Evidence, words: WordThresholds): Promise<StoredAnswer> {
  const summary = summaryOf(prediction, words);
  const text = JSON.stringify(prediction);
  const [answer, parts] = await Promise.all([deflated(Buffer.from(text)), packEvidence(evidence)]);
  return {
    answer,
    text,
    summary: JSON.stringify(summary),
    searchText: searchTextOf(prediction, summary),
    species: summary.species,
    evidence: parts,
  };
}

/** Piece by piece: besides the evidence of hours itself, only what is stored of it is held. */
async function packEvidence(evidence: Evidence): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  await pipeline(encodeEvidenceInPieces(evidence), createDeflate({ level: 3, chunkSize: PART_BYTES }), async (deflated) => {
    for await (const part of deflated) parts.push(part);
  });
  return parts;
}

function summaryOf(prediction: Prediction, words: WordThresholds): Summary {
  const { recording, verdict } = prediction;
  const { kind, tied, sentence, named } = verdict;
  return {
    durationSeconds: recording.durationSeconds,
    verdict: { kind, tied, sentence, named },
    species: speciesOf(prediction, words),
  };
}

/** Birds whose word is at least `perhaps`, the surest first: of many, the candidates are only the first few. */
function speciesOf({ candidates, detections }: Prediction, { perhaps }: WordThresholds): Summary['species'] {
  const named = new Map<string, Summary['species'][number]>();
  for (const { scientificName, commonName, confidence } of [...candidates, ...detections]) {
    const known = named.get(scientificName);
    if (confidence < perhaps || (known && known.confidence >= confidence)) continue;
    named.set(scientificName, { scientificName, commonName, confidence });
  }
  return [...named.values()].toSorted((one, other) => other.confidence - one.confidence);
}

function searchTextOf({ recording }: Prediction, { species }: Summary): string {
  const names = species.flatMap(({ scientificName, commonName }) => [scientificName, commonName]);
  return ` ${[recording.fileName ?? '', ...names].map(foldName).join(' ')}`;
}
