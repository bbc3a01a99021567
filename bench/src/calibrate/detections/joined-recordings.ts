import { join } from 'node:path';
import type { Evidence } from '@chiffchaff/recognizer';
import type { AnalyzedRow } from '../../evaluate/analyze-rows.ts';
import type { ModelUnderTest } from '../../evaluate/open-model-under-test.ts';
import { createChance } from '../../harness/random.ts';

/** An hour of recordings in a row, to approximate what an unattended recorder hears with recordings of one bird each. */
export const JOINED = { seeds: [1, 2, 3], seconds: 3600, longestPieceSeconds: 30 } as const;

export interface Piece {
  readonly recording: AnalyzedRow;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface JoinedRecording {
  readonly split: string;
  readonly seed: number;
  readonly evidence: Evidence;
  readonly pieces: readonly Piece[];
}

export interface JoinInput {
  readonly analysed: readonly AnalyzedRow[];
  readonly recordingsFolder: string;
  readonly modelUnderTest: Pick<ModelUnderTest, 'decode' | 'analyzeSamples' | 'sampleRate'>;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number, doing: string) => void;
}

/** Joins the recordings of each split's birds in three different orders, and analyses the results. */
export async function joinRecordings(input: JoinInput): Promise<JoinedRecording[]> {
  const birds = input.analysed.filter(({ row }) => row.group === 'bird');
  const splits = [...new Set(birds.map(({ row }) => row.split))];
  const joined: JoinedRecording[] = [];
  for (const split of splits) {
    const ofSplit = birds.filter(({ row }) => row.split === split);
    for (const seed of JOINED.seeds) {
      input.onProgress(joined.length / (splits.length * JOINED.seeds.length), `an hour of split ${split}, seed ${seed}`);
      const pieces = layOut(ofSplit, seed);
      joined.push({ split, seed, pieces, evidence: await analyzePieces(pieces, input) });
    }
  }
  return joined;
}

/** The first seconds of each recording, in random order, until the hour is full. */
export function layOut(recordings: readonly AnalyzedRow[], seed: number): Piece[] {
  const pieces: Piece[] = [];
  let startSeconds = 0;
  for (const recording of shuffled(recordings, seed)) {
    if (startSeconds >= JOINED.seconds) break;
    const { sampleCount, sampleRate } = recording.evidence;
    const samples = Math.min(sampleCount, JOINED.longestPieceSeconds * sampleRate);
    const endSeconds = startSeconds + samples / sampleRate;
    pieces.push({ recording, startSeconds, endSeconds });
    startSeconds = endSeconds;
  }
  return pieces;
}

/** Fisher–Yates shuffle. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const chance = createChance(seed);
  const left = [...items];
  for (let last = left.length - 1; last > 0; last--) {
    const chosen = left.splice(chance.below(last + 1), 1, ...left.slice(last, last + 1));
    left.splice(last, 1, ...chosen);
  }
  return left;
}

async function analyzePieces(
  pieces: readonly Piece[],
  { recordingsFolder, modelUnderTest, signal }: JoinInput,
): Promise<Evidence> {
  const sounds: Float32Array[] = [];
  for (const { recording } of pieces) {
    const samples = await modelUnderTest.decode(join(recordingsFolder, recording.row.file), signal);
    sounds.push(samples.slice(0, JOINED.longestPieceSeconds * modelUnderTest.sampleRate));
  }
  return modelUnderTest.analyzeSamples(sounds, signal);
}
