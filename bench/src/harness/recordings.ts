import { existsSync } from 'node:fs';
import { makeWav } from '@chiffchaff/analysis/testing';
import { sharedPath } from '@chiffchaff/testing/shared-folder';

/** A recording for the page's file input. */
export interface RecordingFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** BirdNET's example, two minutes from a garden in Ithaca; it is not part of the repository. */
export const soundscape = sharedPath('fixtures/audio/soundscape.flac');

/** @throws Error when the soundscape is not here */
export function requireSoundscape(): void {
  if (!existsSync(soundscape)) throw new Error('The recording ../shared/fixtures/audio/soundscape.flac is not here');
}

const SAMPLE_RATE = 48_000;
/** The samples below are parts of this. */
const LOUDEST = 32_000 / 32_767;

/** A WAV of a mono sound. @param at its value at each of the samples, which are asked for in order */
function waveOf(name: string, seconds: number, at: (index: number) => number): RecordingFile {
  let index = 0;
  const sample = (): number => LOUDEST * at(index++);
  return { name, mimeType: 'audio/wav', buffer: Buffer.from(makeWav({ seconds, sampleRate: SAMPLE_RATE, sample })) };
}

/** Numbers from -0.5 to 0.5, the same ones each time. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
}

/**
 * Notes that fall from 7 to 4 kHz, two a second, in faint noise: a recording with a visible spectrum that needs no licence. 16-bit PCM,
 * 48 kHz, mono.
 */
export function fallingNotes(seconds: number, name = 'notes.wav'): RecordingFile {
  let phase = 0;
  const noise = createNoise(1);
  return waveOf(name, seconds, (index) => {
    const within = (index / SAMPLE_RATE) % 0.5;
    phase += (2 * Math.PI * (7000 - 3000 * (within / 0.12))) / SAMPLE_RATE;
    return (within < 0.12 ? 0.4 * Math.sin(phase) : 0) + 0.01 * noise();
  });
}

/**
 * Quiet noise with a synthetic voice from second `from` to second `to`, which the model takes for a human one: 300 pulses a second, with
 * a pitch that rises and falls about once a second, filtered by the resonances of a mouth. 16-bit PCM, 48 kHz, mono.
 */
export function syntheticVoice(seconds: number, from: number, to: number, name = 'walk.wav'): RecordingFile {
  const resonances = [
    { hertz: 1000, width: 80, gain: 1 },
    { hertz: 1600, width: 100, gain: 0.8 },
    { hertz: 3300, width: 150, gain: 0.8 },
    { hertz: 4200, width: 200, gain: 0.5 },
    { hertz: 6000, width: 400, gain: 0.2 },
  ].map(({ hertz, width, gain }) => {
    const decay = Math.exp((-Math.PI * width) / SAMPLE_RATE);
    return { gain, decay, turn: 2 * decay * Math.cos((2 * Math.PI * hertz) / SAMPLE_RATE), last: 0, before: 0 };
  });
  const noise = createNoise(7);
  let phase = 0;
  const voice = Array.from({ length: Math.round((to - from) * SAMPLE_RATE) }, (_, index) => {
    const time = index / SAMPLE_RATE;
    const cry = Math.min(1, (time % 1.1) / 0.88);
    const loudness = Math.sqrt(Math.sin(Math.PI * cry));
    phase +=
      (300 * (1 + 0.25 * Math.sin(Math.PI * cry)) * (1 + 0.01 * Math.sin(12 * Math.PI * time) + 0.01 * noise())) / SAMPLE_RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    return resonances.reduce((sum, resonance) => {
      const { decay, turn, last, before, gain } = resonance;
      resonance.last = (1 - decay) * (pulse + 0.01 * noise()) * (loudness || 0) + turn * last - decay * decay * before;
      resonance.before = last;
      return sum + gain * resonance.last;
    }, 0);
  });
  const loudest = voice.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const first = Math.round(from * SAMPLE_RATE);
  return waveOf(name, seconds, (index) => 0.5 * ((voice[index - first] ?? 0) / loudest) + 0.002 * noise());
}

/** A faint hum in a small file, which takes a while to analyse. 8-bit PCM, 8 kHz, mono, 29 MB an hour. */
export function hoursOfHum(hours: number, name = 'hum.wav'): RecordingFile {
  const [sampleRate, headBytes] = [8000, 44];
  const dataBytes = Math.round(3600 * hours * sampleRate);
  const stated = { dataBytes, riffBytes: dataBytes + headBytes - 8 };
  // 18 periods, again and again.
  const seconds = 377 / sampleRate;
  const sample = (at: number): number => (20 / 127) * Math.sin(36 * Math.PI * (at / seconds));
  const wave = makeWav({ seconds, sampleRate, bits: 8, sample, stated });
  const buffer = Buffer.concat([wave.subarray(0, headBytes), Buffer.alloc(dataBytes, wave.subarray(headBytes))]);
  return { name, mimeType: 'audio/wav', buffer };
}
