import { existsSync } from 'node:fs';
import { makeWav } from '@chiffchaff/analysis/testing';
import { sharedPath } from '@chiffchaff/testing/shared-folder';

/** A recording as it is sent. */
export interface Sound {
  readonly name: string;
  readonly buffer: Buffer<ArrayBuffer>;
}

/** … and as the page's file input takes it. */
export interface RecordingFile extends Sound {
  readonly mimeType: string;
}

/** BirdNET's example, two minutes from a garden in Ithaca; it is not part of the repository. */
export const soundscape = sharedPath('fixtures/audio/soundscape.flac');

/** @throws Error when the soundscape is not here */
export function requireSoundscape(): void {
  if (!existsSync(soundscape)) throw new Error('The recording ../shared/fixtures/audio/soundscape.flac is not here');
}

/** Hz, of the notes and other made recordings. */
export const SAMPLE_RATE = 48_000;
/** The samples below are parts of this. */
const LOUDEST = 32_000 / 32_767;

/** A WAV of a mono sound. @param at its value at each of the samples, which are asked for in order */
export function waveOf(name: string, seconds: number, at: (index: number) => number): RecordingFile {
  let index = 0;
  const sample = (): number => LOUDEST * at(index++);
  return { name, mimeType: 'audio/wav', buffer: Buffer.from(makeWav({ seconds, sampleRate: SAMPLE_RATE, sample })) };
}

/** Numbers from -0.5 to 0.5, the same ones each time. */
export function createNoise(seed: number): () => number {
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
