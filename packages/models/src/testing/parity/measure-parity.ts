import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sigmoid } from '@chiffchaff/recognizer';
import { type AudioSet, type AudioWindow, edgeClip, readAudioSet, readPlaceSet } from './fixtures.ts';

const run = promisify(execFile);

const MAX_SAMPLES = 48_000 * 600;

/** Decodes a 16-bit mono FLAC file with ffmpeg to samples between −1 and 1 (integer ÷ 32768, nothing else). */
async function decodeFlac(file: string): Promise<Float32Array> {
  const { stdout } = await run(
    'ffmpeg',
    ['-nostdin', '-loglevel', 'error', '-i', file, '-f', 's16le', '-c:a', 'pcm_s16le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 2 * MAX_SAMPLES },
  );
  return Float32Array.from({ length: stdout.byteLength / 2 }, (_, index) => stdout.readInt16LE(2 * index) / 32_768);
}

/** Runs the converted models, one clip or place at a time, as the reference was computed. */
interface ParityRunner {
  /** Logits of all classes for one clip. */
  logits(samples: Float32Array): Promise<Float32Array>;
  /** Scores of all classes for latitude, longitude and week; null if the build has no occurrence model. */
  readonly occurrence: ((place: Float32Array) => Promise<Float32Array>) | null;
}

interface ParityInput {
  /** Folder of the reference outputs (`soundscape.json` …), with `../audio/soundscape.flac` beside it. */
  readonly fixtures: string;
  readonly runner: ParityRunner;
  /** `web`: the audio model with smaller weights, which may differ by more. */
  readonly build: ParityBuild;
}

type ParityBuild = 'full' | 'web';

/** The largest differences in one set; `null` if the set does not compare it. */
export interface ParityResult {
  readonly build: ParityBuild;
  readonly set: 'soundscape' | 'recordings' | 'equal samples' | 'edge' | 'occurrence';
  readonly rows: number;
  readonly logitDifference: number | null;
  readonly scoreDifference: number;
  /** Rows with the same first class; with smaller weights, also rows whose first two reference logits differ by 0.1 at most. */
  readonly sameFirst: number;
  /** Rows whose number of expected species is off by more than the number near the threshold; only for occurrence. */
  readonly wrongCounts: number;
  readonly limits: { readonly logit: number | null; readonly score: number };
  readonly passed: boolean;
}

/** The suggested limits of a float32 build, from the fixtures' README. */
const limits = {
  soundscape: { logit: 2e-3, score: 1e-3 },
  recordings: { logit: 2e-3, score: 1e-3 },
  // Where the input is constant the true energy is 0, only rounding noise is left, and the power of about 0.2 magnifies it.
  'equal samples': { logit: 5e-2, score: 1e-3 },
  edge: { logit: 0.5, score: 1e-2 },
  occurrence: { logit: null, score: 2e-5 },
} as const;

/** Limits of a build with smaller weights, from the same README. */
const webLimits = { logit: null, score: 0.02, sameFirst: 0.99 } as const;
const TOLD_APART = 0.1;

/**
 * Compares a build of the model with the reference outputs.
 *
 * @returns each set's largest differences, and whether they are within its limits
 */
export async function measureParity(input: ParityInput): Promise<ParityResult[]> {
  const { fixtures } = input;
  const soundscape = await decodeFlac(join(fixtures, '..', 'audio', 'soundscape.flac'));
  const soundscapeSet = await readAudioSet(fixtures, 'soundscape');
  const recordings = await readAudioSet(fixtures, 'recordings');
  const edges = await readAudioSet(fixtures, 'edge');
  const clips = new Map<AudioWindow, Float32Array>();
  for (const window of recordings.windows) clips.set(window, await decodeFlac(join(fixtures, window.file ?? '')));
  const clipOf = (window: AudioWindow): Float32Array => clips.get(window) ?? new Float32Array(0);
  const withEqual = recordings.windows.filter((window) => longestRun(clipOf(window)) >= FRAME_LENGTH);
  const others = recordings.windows.filter((window) => !withEqual.includes(window));

  return [
    await compareAudio(input, 'soundscape', soundscapeSet, soundscapeSet.windows, ({ start = 0 }) => {
      const first = Math.round(start * 48_000);
      return soundscape.slice(first, first + soundscapeSet.windowSamples);
    }),
    await compareAudio(input, 'recordings', recordings, others, clipOf),
    await compareAudio(input, 'equal samples', recordings, withEqual, clipOf),
    await compareAudio(input, 'edge', edges, edges.windows, ({ recipe = '' }) => edgeClip(recipe, soundscape)),
    ...(input.runner.occurrence === null ? [] : [await compareOccurrence(input, input.runner.occurrence)]),
  ];
}

/** Samples of the shorter frame: a run of equal samples this long leaves whole frames without sound. */
const FRAME_LENGTH = 1024;

function longestRun(samples: Float32Array): number {
  let longest = 0;
  let run = 0;
  for (let index = 0; index < samples.length; index++) {
    run = samples[index] === samples[index - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

const indexOfHighest = (numbers: Float32Array): number =>
  numbers.reduce((best, value, index) => (value > (numbers[best] ?? 0) ? index : best), 0);

async function compareAudio(
  { runner, build }: ParityInput,
  set: 'soundscape' | 'recordings' | 'equal samples' | 'edge',
  { fixedIndices, classes }: AudioSet,
  windows: readonly AudioWindow[],
  clipOf: (window: AudioWindow) => Float32Array,
): Promise<ParityResult> {
  let logitDifference = 0;
  let scoreDifference = 0;
  let sameFirst = 0;
  for (const window of windows) {
    const logits = await runner.logits(clipOf(window));
    if (logits.length !== classes) throw new Error(`the model gave ${logits.length} logits instead of ${classes}`);
    const expected = [
      ...window.top,
      ...fixedIndices.map((index, place) => ({ index, logit: window.fixed[place] ?? Number.NaN })),
    ];
    for (const { index, logit } of expected) {
      const found = logits[index] ?? Number.NaN;
      logitDifference = Math.max(logitDifference, Math.abs(found - logit));
      scoreDifference = Math.max(scoreDifference, Math.abs(sigmoid(found) - sigmoid(logit)));
    }
    const [first, second] = window.top;
    const lead = (first?.logit ?? 0) - (second?.logit ?? 0);
    if (indexOfHighest(logits) === first?.index || (build === 'web' && lead <= TOLD_APART)) sameFirst++;
  }
  const limit = build === 'web' ? webLimits : { ...limits[set], sameFirst: 1 };
  const passed =
    (limit.logit === null || logitDifference <= limit.logit) &&
    scoreDifference <= limit.score &&
    sameFirst >= limit.sameFirst * windows.length;
  const { logit, score } = limit;
  return {
    build,
    set,
    rows: windows.length,
    logitDifference,
    scoreDifference,
    sameFirst,
    wrongCounts: 0,
    limits: { logit, score },
    passed,
  };
}

/** A species counts as expected from this score on (the fixtures' `species003`). */
const EXPECTED_SCORE = 0.03;

async function compareOccurrence(
  { fixtures, build }: ParityInput,
  occurrence: NonNullable<ParityRunner['occurrence']>,
): Promise<ParityResult> {
  const { rows, fixedIndices } = await readPlaceSet(fixtures);
  let scoreDifference = 0;
  let sameFirst = 0;
  let wrongCounts = 0;
  for (const row of rows) {
    const scores = await occurrence(Float32Array.of(row.lat, row.lon, row.week));
    const expected = [
      ...row.top,
      ...fixedIndices.map((index, place) => ({ index, score: row.fixedScores[place] ?? Number.NaN })),
    ];
    for (const { index, score } of expected)
      scoreDifference = Math.max(scoreDifference, Math.abs((scores[index] ?? Number.NaN) - score));
    if (indexOfHighest(scores) === row.top[0]?.index) sameFirst++;
    const count = scores.filter((score) => score >= EXPECTED_SCORE).length;
    if (Math.abs(count - row.species003) > row.nearThreshold) wrongCounts++;
  }
  const limit = limits.occurrence;
  const passed = scoreDifference <= limit.score && sameFirst === rows.length && wrongCounts === 0;
  return {
    build,
    set: 'occurrence',
    rows: rows.length,
    logitDifference: null,
    scoreDifference,
    sameFirst,
    wrongCounts,
    limits: limit,
    passed,
  };
}
