import { join } from 'node:path';
import { inOrder } from '@chiffchaff/cli';
import { type AnalyzedRow, answerInFull } from './evaluate.ts';
import { share } from './metrics.ts';
import { joinSamples, type ModelUnderTest } from './open-model-under-test.ts';
import { isBirdFree } from './recordings-table.ts';

/** Whether a bird keeps its confidence in a recording with other content, which is the purpose of passages. */
export type PassageTrials = Awaited<ReturnType<typeof tryPassages>>;

const BACKGROUND_SECONDS = 600;

export interface PassageTrialsInput {
  readonly analysed: readonly AnalyzedRow[];
  readonly recordingsFolder: string;
  readonly modelUnderTest: ModelUnderTest;
  /** number of recordings in each trial */
  readonly sample: number;
  readonly atOnce: number;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number, doing: string) => void;
}

interface Sure {
  readonly row: AnalyzedRow;
  readonly scientificName: string;
  readonly confidence: number;
}

export async function tryPassages(input: PassageTrialsInput) {
  const sure = findSure(input);
  const background = await decodeBackground(input);
  const inBackground = { before: 0.95, after: 0.9, backgroundSeconds: BACKGROUND_SECONDS };
  const oneAfterAnother = { before: 0.9, after: 0.5 };
  const singles =
    background === null
      ? []
      : spread(
          sure.filter(({ confidence }) => confidence >= inBackground.before),
          input.sample,
        );
  const firsts = spread(
    sure.filter(({ confidence }) => confidence >= oneAfterAnother.before),
    input.sample * 2,
  );
  const half = Math.floor(firsts.length / 2);
  const pairs = firsts.slice(0, half).flatMap((first, i) => {
    const second = firsts[i + half];
    return second === undefined || second.scientificName === first.scientificName ? [] : [[first, second] as const];
  });

  let done = 0;
  const progressed = (doing: string) => {
    done += 1;
    input.onProgress(done / (singles.length + pairs.length), doing);
  };
  const keptSingles = await tryEach(singles, input, async (bird, decode) => {
    const half = repeat(background ?? new Float32Array(0), (BACKGROUND_SECONDS / 2) * input.modelUnderTest.sampleRate);
    const confidences = await confidencesOf([...half, await decode(bird), ...half], [bird.scientificName], input);
    progressed(`${bird.row.row.file} in background`);
    return confidences.every((confidence) => confidence >= inBackground.after);
  });
  const keptPairs = await tryEach(pairs, input, async ([first, second], decode) => {
    const confidences = await confidencesOf(
      [await decode(first), await decode(second)],
      [first.scientificName, second.scientificName],
      input,
    );
    progressed(`${first.row.row.file} and ${second.row.row.file}`);
    return confidences.every((confidence) => confidence >= oneAfterAnother.after);
  });
  return {
    /** Birds with at least `before` alone, in the middle of minutes of background: share that keep `after`. */
    inBackground: { ...inBackground, trials: keptSingles.length, kept: share(keptSingles, Boolean) },
    /** Two such birds in sequence: share of pairs in which both keep `after`. */
    oneAfterAnother: { ...oneAfterAnother, trials: keptPairs.length, kept: share(keptPairs, Boolean) },
  };
}

/** Recordings whose first answer is right, with its confidence. */
function findSure({ analysed, modelUnderTest }: PassageTrialsInput): Sure[] {
  return analysed.flatMap((row) => {
    if (row.scientificName === null || row.row.group !== 'bird') return [];
    const [first] = modelUnderTest.conclude(row.evidence, { occurrence: null, top: 1 }).candidates;
    return first?.scientificName === row.scientificName
      ? [{ row, scientificName: row.scientificName, confidence: first.confidence }]
      : [];
  });
}

/** Background recordings if the table has some, otherwise bird-free ones with no confident answer. Null when there are none. */
async function decodeBackground({
  analysed,
  modelUnderTest,
  recordingsFolder,
  signal,
}: PassageTrialsInput): Promise<Float32Array | null> {
  const birdFree = analysed.filter(({ row }) => isBirdFree(row));
  const meant = birdFree.filter(({ row }) => row.group === 'background');
  const quiet = birdFree.filter(
    ({ evidence }) => (answerInFull(modelUnderTest, evidence, null).candidates[0]?.confidence ?? 0) < 0.1,
  );
  const chosen = (meant.length > 0 ? meant : quiet).slice(0, 20);
  if (chosen.length === 0) return null;
  const pieces = await Promise.all(chosen.map(({ row }) => modelUnderTest.decode(join(recordingsFolder, row.file), signal)));
  return joinSamples(pieces);
}

/** Repeats the samples until there are enough, without copying. */
function repeat(samples: Float32Array, wanted: number): Float32Array[] {
  const pieces: Float32Array[] = [];
  for (let left = wanted; left > 0 && samples.length > 0; left -= samples.length) pieces.push(samples.subarray(0, left));
  return pieces;
}

/** Picks items evenly over all of them, the same ones every time. */
function spread<Item>(items: readonly Item[], wanted: number): Item[] {
  if (items.length <= wanted) return [...items];
  return Array.from({ length: wanted }, (_, i) => items[Math.floor((i * items.length) / wanted)]).filter(
    (item) => item !== undefined,
  );
}

async function tryEach<Item>(
  items: readonly Item[],
  { modelUnderTest, recordingsFolder, atOnce, signal }: PassageTrialsInput,
  attempt: (item: Item, decode: (bird: Sure) => Promise<Float32Array>) => Promise<boolean>,
): Promise<boolean[]> {
  const decode = (bird: Sure) => modelUnderTest.decode(join(recordingsFolder, bird.row.row.file), signal);
  const kept: boolean[] = [];
  const results = inOrder(items, atOnce, async (item) => {
    signal.throwIfAborted();
    return attempt(item, decode);
  });
  for await (const result of results) kept.push(result);
  return kept;
}

async function confidencesOf(
  pieces: readonly Float32Array[],
  names: readonly string[],
  { modelUnderTest, signal }: PassageTrialsInput,
): Promise<number[]> {
  const { candidates } = answerInFull(modelUnderTest, await modelUnderTest.analyzeSamples(pieces, signal), null);
  return names.map((name) => candidates.find(({ scientificName }) => scientificName === name)?.confidence ?? 0);
}
