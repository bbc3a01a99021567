/**
 * Finds people talking, by the pitch of their voices: the model hears few of them (docs/check-up.md). For the speech check of the page,
 * which joins these stretches with those of the model (`features/detection/on-device/speech-check.ts`).
 */
import { createFramePairs, decibelsOf, type FramePowers, powerBetween } from './check-up/frames.ts';
import { createFourierTransform } from './fourier.ts';

/** 85 ms at 48 kHz, so that the overtones of a low voice are apart. */
const FRAME_SAMPLES = 4096;
const HOP_SAMPLES = FRAME_SAMPLES / 2;
/** The part of the spectrum in which the overtones of voices are strong. */
const [OVERTONES_FROM_HZ, OVERTONES_TO_HZ] = [100, 2500];
/** What is heard of voices, and what most birds are above. */
const [LOW_TO_HZ, HIGH_FROM_HZ] = [1500, 1800];
/** Overtones stand out from their surroundings, which are this wide on each side. */
const SURROUNDINGS_HZ = 200;
const CEPSTRUM_POINTS = 2048;
/** Distances of overtones that are looked for: voices, and whatever has wider ones. */
const [LEAST_PITCH_HZ, MOST_PITCH_HZ] = [70, 900];
const [VOICE_FROM_HZ, VOICE_TO_HZ] = [75, 350];
/** A pitch belongs to a sound if it moves less than this from a frame to the next, as a logarithm. */
const STEADY_PITCH = 0.12;
/** How far overtones stand out: enough to be a voice, and clearly. */
const [TONAL, CLEARLY_TONAL] = [0.28, 0.36];
const USUAL_PITCH_HZ = 180;
/** What is judged of less than this, 0.85 s, says nothing. */
const LEAST_FRAMES = 20;

/** A logistic regression, fitted to voices and to recordings of birds: docs/check-up.md. */
const weights = {
  bias: 18.242,
  /** share of frames with the clear overtones of a voice */
  clearlyVoiced: 6.034,
  /** share of frames with wider ones */
  wide: -11.306,
  /** mean logarithm of the pitch in Hz */
  pitch: -4.572,
  /** square of its distance from that of a usual voice */
  fromUsualPitch: -3.754,
  /** logarithm of 1 + the number of frames with the overtones of a voice */
  voiced: 1.028,
  /** mean change of the level below 1.5 kHz between frames, dB */
  change: 0.48,
  /** mean level of the voice below 1.5 kHz against everything above 1.8 kHz, dB */
  lowOverHigh: 0.022,
} as const;

interface Frame {
  /** How far the overtones stand out, 0–1, and how far they are apart. */
  readonly tonal: number;
  readonly pitchHz: number;
  readonly lowDecibels: number;
  readonly highDecibels: number;
}

/** Measures how regular the overtones of a frame are: the highest peak of the cepstrum between two distances. */
function createPitchMeter(sampleRate: number): (powers: FramePowers) => Pick<Frame, 'tonal' | 'pitchHz'> {
  const binHz = sampleRate / FRAME_SAMPLES;
  const first = Math.trunc(OVERTONES_FROM_HZ / binHz);
  const count = Math.trunc(OVERTONES_TO_HZ / binHz) - first;
  const reach = Math.round(SURROUNDINGS_HZ / binHz);
  const transform = createFourierTransform(CEPSTRUM_POINTS);
  const taper = Float32Array.from({ length: count }, (_, bin) => 0.5 - 0.5 * Math.cos((2 * Math.PI * bin) / (count - 1)));
  const weight = taper.reduce((sum, value) => sum + value, 0);
  const levels = new Float64Array(count);
  const tapered = new Float32Array(count);
  const nothing = new Float32Array(0);
  const cepstrum = new Float32Array(transform.bins);
  const spare = new Float32Array(transform.bins);
  const pitchAt = (index: number) => (binHz * CEPSTRUM_POINTS) / index;
  const from = Math.ceil((binHz * CEPSTRUM_POINTS) / MOST_PITCH_HZ);
  const to = Math.trunc((binHz * CEPSTRUM_POINTS) / LEAST_PITCH_HZ);
  // Beyond its ends, the spectrum is mirrored.
  const mirrored = (bin: number) => levels[bin < 0 ? -bin : bin >= count ? 2 * (count - 1) - bin : bin] ?? 0;
  return (powers) => {
    for (let bin = 0; bin < count; bin++) levels[bin] = Math.log((powers[first + bin] ?? 0) + 1e-16);
    let around = 0;
    for (let bin = -reach; bin < reach; bin++) around += mirrored(bin);
    let squares = 0;
    for (let bin = 0; bin < count; bin++) {
      around += mirrored(bin + reach);
      const above = (levels[bin] ?? 0) - around / (2 * reach + 1);
      around -= mirrored(bin - reach);
      squares += above * above;
      tapered[bin] = above * (taper[bin] ?? 0);
    }
    transform.powerOfPair(tapered, nothing, cepstrum, spare);
    let best = from;
    for (let index = from; index <= to; index++) if ((cepstrum[index] ?? 0) > (cepstrum[best] ?? 0)) best = index;
    const spread = Math.sqrt(squares / count) + 1e-6;
    return { tonal: Math.sqrt(cepstrum[best] ?? 0) / (weight * spread), pitchHz: pitchAt(best) };
  };
}

/** Frames whose overtones lie between two distances, and whose neighbour has the same pitch. */
function heldPitches(frames: readonly Frame[], leastTonal: number, fromHz: number, toHz: number): readonly Frame[] {
  const within = (frame: Frame | undefined): frame is Frame =>
    frame !== undefined && frame.tonal > leastTonal && frame.pitchHz >= fromHz && frame.pitchHz <= toHz;
  const goesOn = (one: Frame | undefined, other: Frame) =>
    within(one) && Math.abs(Math.log(one.pitchHz / other.pitchHz)) < STEADY_PITCH;
  return frames.filter((frame, index) => within(frame) && (goesOn(frames[index - 1], frame) || goesOn(frames[index + 1], frame)));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Log-odds that people talk in a few seconds, against those that the page asks about, and if the model hears nothing. */
function logOddsOf(frames: readonly Frame[]): number {
  if (frames.length < LEAST_FRAMES) return Number.NEGATIVE_INFINITY;
  const voiced = heldPitches(frames, TONAL, VOICE_FROM_HZ, VOICE_TO_HZ);
  const clear = heldPitches(frames, CLEARLY_TONAL, VOICE_FROM_HZ, VOICE_TO_HZ);
  const wide = heldPitches(frames, TONAL, VOICE_TO_HZ, MOST_PITCH_HZ);
  const pitch = voiced.length > 0 ? meanOf(voiced.map(({ pitchHz }) => Math.log(pitchHz))) : Math.log(200);
  const changes = frames.slice(1).map(({ lowDecibels }, index) => Math.abs(lowDecibels - (frames[index]?.lowDecibels ?? 0)));
  const heard = voiced.length > 0 ? voiced : frames;
  return (
    weights.bias +
    weights.clearlyVoiced * (clear.length / frames.length) +
    weights.wide * (wide.length / frames.length) +
    weights.pitch * pitch +
    weights.fromUsualPitch * (pitch - Math.log(USUAL_PITCH_HZ)) ** 2 +
    weights.voiced * Math.log1p(voiced.length) +
    weights.change * meanOf(changes) +
    weights.lowOverHigh * meanOf(heard.map(({ lowDecibels, highDecibels }) => lowDecibels - highDecibels))
  );
}

/** How likely people talk in a stretch of samples, as log-odds: above 0, the page asks. */
export type SpeechLogOdds = (fromSample: number, toSample: number) => number;

/**
 * Listens for people talking. Takes a recording in pieces of any length and keeps 23 frames of four numbers for each second.
 *
 * @param sampleRate Hz
 */
export function createSpeechMeter(sampleRate: number) {
  const binHz = sampleRate / FRAME_SAMPLES;
  const pitchOf = createPitchMeter(sampleRate);
  const heard: Frame[] = [];
  const frames = createFramePairs(FRAME_SAMPLES, (powers) =>
    heard.push({
      ...pitchOf(powers),
      lowDecibels: decibelsOf(powerBetween(powers, binHz, OVERTONES_FROM_HZ, LOW_TO_HZ)),
      highDecibels: decibelsOf(powerBetween(powers, binHz, HIGH_FROM_HZ, sampleRate / 2)),
    }),
  );
  let position = 0;
  return {
    push(mono: Float32Array): void {
      for (let from = 0; from < mono.length; ) {
        const part = mono.subarray(from, from + FRAME_SAMPLES - position);
        frames.current.set(part, position);
        position += part.length;
        from += part.length;
        if (position < FRAME_SAMPLES) continue;
        const second = frames.current.slice(HOP_SAMPLES);
        frames.close();
        frames.current.set(second);
        position = FRAME_SAMPLES - HOP_SAMPLES;
      }
    },
    end(): SpeechLogOdds {
      frames.end();
      return (fromSample, toSample) =>
        logOddsOf(
          heard.slice(Math.ceil(fromSample / HOP_SAMPLES), Math.max(0, Math.floor((toSample - FRAME_SAMPLES) / HOP_SAMPLES) + 1)),
        );
    },
  };
}
