/** Makes the sound of a scene, and says which of its birds can be heard in it. Called by `hear-scenes.ts`. */
import { createSpectrumFrames } from '@chiffchaff/recognizer/audio';
import { createChance } from '../harness/random.ts';
import type { Scene, SceneBird } from './draw-scenes.ts';

export interface RenderedScene {
  /** mono */
  readonly samples: Float32Array;
  /** labels of the birds that can be heard */
  readonly audible: ReadonlySet<number>;
}

/** A bird can be heard where it is at least this strong against all else in its own band … */
const AUDIBLE_DECIBELS = -3;
/** … for this long. */
const AUDIBLE_SECONDS = 0.3;
/** A bird's band holds this share of its power; half of the rest is below, half above. */
const BAND_SHARE = 0.9;
const LOWEST_HZ = 200;
/** Where a bird has less than this share of its greatest power, its recording has what lies between the calls. */
const SOUNDING_SHARE = 0.03;
/** The level of a sound is that of its loudest stretch of this length. */
const LOUDEST_SECONDS = 0.5;

type Spectra = ReturnType<typeof createSpectrumFrames>;

/** Sound put into a scene from sample `from` on. */
interface Placed {
  readonly from: number;
  readonly samples: Float32Array;
}

/**
 * @param sampleRate Hz
 * @param decode mono samples of a file; they are not changed
 */
export async function renderScene(
  scene: Scene,
  sampleRate: number,
  decode: (file: string) => Promise<Float32Array>,
): Promise<RenderedScene> {
  const samples = new Float32Array(Math.round(scene.seconds * sampleRate));
  if (scene.noise) addNoise(samples, scene.noise);
  if (scene.background) await addBackground(samples, scene.background, sampleRate, decode);
  const placed = new Map<number, Placed[]>();
  for (const bird of scene.birds) {
    const whole = await decode(bird.file);
    const pieces = bird.heard.map(({ startSeconds, seconds }) => ({
      from: Math.round(Math.max(0, startSeconds) * sampleRate),
      samples: cut(whole, Math.round(seconds * sampleRate), bird, sampleRate),
    }));
    for (const piece of pieces) add(samples, piece, 1);
    placed.set(bird.label, pieces);
  }
  const spectra = createSpectrumFrames(sampleRate, 1);
  const audible = new Set([...placed].flatMap(([label, pieces]) => (isAudible(pieces, samples, spectra) ? [label] : [])));
  let peak = 0;
  for (let n = 0; n < samples.length; n++) peak = Math.max(peak, Math.abs(samples[n] ?? 0));
  const gain = peak > 0 ? amplitude(scene.peakDecibels) / peak : 0;
  // As in a file of 16 bits.
  for (let n = 0; n < samples.length; n++) samples[n] = Math.round(32_767 * gain * (samples[n] ?? 0)) / 32_768;
  return { samples, audible };
}

const amplitude = (decibels: number): number => 10 ** (decibels / 20);

function add(target: Float32Array, { from, samples }: Placed, gain: number): void {
  const end = Math.min(samples.length, target.length - from);
  for (let n = 0; n < end; n++) target[from + n] = (target[from + n] ?? 0) + gain * (samples[n] ?? 0);
}

/** The loudest part of a bird's recording, at the bird's level and with the marks of distance. */
function cut(whole: Float32Array, wanted: number, bird: SceneBird, sampleRate: number): Float32Array {
  const length = Math.min(whole.length, wanted);
  const loudest = loudestStretch(whole, sampleRate);
  const from = Math.max(0, Math.min(loudest.middle - (length >> 1), whole.length - length));
  const samples = whole.slice(from, from + length);
  const gain = loudest.level > 0 ? amplitude(bird.decibels) / loudest.level : 0;
  const fade = length < whole.length ? Math.round(0.02 * sampleRate) : 0;
  for (let n = 0; n < length; n++) {
    const edge = fade === 0 ? 1 : Math.min(1, (n + 1) / fade, (length - n) / fade);
    samples[n] = gain * edge * (samples[n] ?? 0);
  }
  if (bird.lowPassHz !== null) lowPass(samples, bird.lowPassHz, sampleRate);
  return bird.echoSeconds === null ? samples : withEcho(samples, bird.echoSeconds, sampleRate);
}

/** The middle of the loudest stretch of a sound, and its root mean square. */
function loudestStretch(samples: Float32Array, sampleRate: number): { readonly middle: number; readonly level: number } {
  const length = Math.min(samples.length, Math.round(LOUDEST_SECONDS * sampleRate));
  let [sum, most, end] = [0, 0, 0];
  for (let n = 0; n < samples.length; n++) {
    sum += (samples[n] ?? 0) ** 2 - (n < length ? 0 : (samples[n - length] ?? 0) ** 2);
    if (sum > most) [most, end] = [sum, n];
  }
  return { middle: Math.max(0, end - (length >> 1)), level: Math.sqrt(most / length) };
}

/** Two poles: far sounds lose their high notes. */
function lowPass(samples: Float32Array, cutOffHz: number, sampleRate: number): void {
  const share = 1 - Math.exp((-2 * Math.PI * cutOffHz) / sampleRate);
  let [first, second] = [0, 0];
  for (let n = 0; n < samples.length; n++) {
    first += share * ((samples[n] ?? 0) - first);
    second += share * (first - second);
    samples[n] = second;
  }
}

/** Adds an echo that dies away: four combs of lengths without a common divisor, and the sound itself. */
function withEcho(samples: Float32Array, echoSeconds: number, sampleRate: number): Float32Array {
  const result = new Float32Array(samples.length + Math.round(echoSeconds * sampleRate));
  result.set(samples);
  for (const combSeconds of [0.0297, 0.0371, 0.0411, 0.0437]) {
    const delay = Math.round(combSeconds * sampleRate);
    const feedback = 10 ** ((-3 * combSeconds) / echoSeconds);
    const comb = new Float32Array(result.length);
    for (let n = delay; n < comb.length; n++) {
      comb[n] = (samples[n - delay] ?? 0) + feedback * (comb[n - delay] ?? 0);
      result[n] = (result[n] ?? 0) + 0.15 * (comb[n] ?? 0);
    }
  }
  return result;
}

async function addBackground(
  target: Float32Array,
  { files, decibels }: NonNullable<Scene['background']>,
  sampleRate: number,
  decode: (file: string) => Promise<Float32Array>,
): Promise<void> {
  const each = Math.ceil(target.length / files.length);
  for (const [index, file] of files.entries()) {
    const samples = await decode(file);
    const { level } = loudestStretch(samples, sampleRate);
    if (level > 0) add(target, { from: index * each, samples: samples.subarray(0, each) }, amplitude(decibels) / level);
  }
}

/** White noise, or a sum of white noises through low-passes an octave apart, each as strong as the others: it falls by 3 dB. */
function addNoise(target: Float32Array, { slope, decibels, seed }: NonNullable<Scene['noise']>): void {
  const chance = createChance(seed);
  const shares = { 0: [1], 3: [0.002, 0.008, 0.03, 0.12, 0.5], 6: [0.02] }[slope];
  const sums = new Float64Array(shares.length);
  // A low-pass leaves share / (2 − share) of the variance, and two of them have a·b / (a + b − a·b) in common; of uniform noise it is 1/12.
  const weights = shares.map((share) => Math.sqrt((2 - share) / share));
  const variance = shares
    .flatMap((a, i) => shares.map((b, j) => ((weights[i] ?? 0) * (weights[j] ?? 0) * a * b) / (a + b - a * b)))
    .reduce((sum, common) => sum + common / 12, 0);
  const gain = amplitude(decibels) / Math.sqrt(variance);
  for (let n = 0; n < target.length; n++) {
    const white = chance.next() - 0.5;
    let sample = 0;
    for (let at = 0; at < sums.length; at++) {
      sums[at] = (sums[at] ?? 0) + (shares[at] ?? 0) * (white - (sums[at] ?? 0));
      sample += (weights[at] ?? 0) * (sums[at] ?? 0);
    }
    target[n] = (target[n] ?? 0) + gain * sample;
  }
}

/** Whether a bird stands out in its own band for long enough, where it sounds at all. */
function isAudible(pieces: readonly Placed[], all: Float32Array, spectra: Spectra): boolean {
  const { bands, hzPerBand } = spectra;
  const frames = pieces.flatMap(({ from, samples }) => {
    const others = all.slice(from, from + samples.length).map((sample, n) => sample - (samples[n] ?? 0));
    const [ofBird, ofOthers] = [powersOf(samples.subarray(0, others.length), spectra), powersOf(others, spectra)];
    return ofBird.map((own, index) => ({ own, rest: ofOthers[index] ?? own }));
  });
  const total = new Float64Array(bands);
  const lowest = Math.ceil(LOWEST_HZ / hzPerBand);
  for (const { own } of frames) for (let band = lowest; band < bands; band++) total[band] = (total[band] ?? 0) + (own[band] ?? 0);
  const power = total.reduce((sum, each) => sum + each, 0);
  const bandAt = (share: number): number => {
    let sum = 0;
    return total.findIndex((each) => {
      sum += each;
      return sum >= share * power;
    });
  };
  const [first, last] = [bandAt((1 - BAND_SHARE) / 2), bandAt((1 + BAND_SHARE) / 2)];
  const inBand = (powers: Float32Array): number => {
    let sum = 0;
    for (let band = first; band <= last; band++) sum += powers[band] ?? 0;
    return sum;
  };
  const inOwnBand = frames.map(({ own, rest }) => ({ own: inBand(own), rest: inBand(rest) }));
  const most = Math.max(0, ...inOwnBand.map(({ own }) => own));
  const least = amplitude(AUDIBLE_DECIBELS) ** 2;
  const heard = inOwnBand.filter(({ own, rest }) => own > SOUNDING_SHARE * most && own >= least * rest);
  // Frames do not overlap and are not padded, so a second has as many as there are hertz in a band.
  return heard.length >= AUDIBLE_SECONDS * hzPerBand;
}

/** The power spectra of consecutive frames. */
function powersOf(samples: Float32Array, { windowSamples, bands, measurePair }: Spectra): Float32Array[] {
  const frames = Array.from({ length: 2 * Math.floor(samples.length / windowSamples / 2) }, () => new Float32Array(bands));
  for (const [index, first] of frames.entries()) {
    const [second, centre] = [frames[index + 1], (index + 0.5) * windowSamples];
    if (index % 2 === 0 && second) measurePair(samples, centre, centre + windowSamples, first, second);
  }
  return frames;
}
