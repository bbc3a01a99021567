import { existsSync } from 'node:fs';
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

/**
 * Notes that fall from 7 to 4 kHz, two a second, in faint noise: a recording with a visible spectrum that needs no licence. 16-bit PCM,
 * 48 kHz, mono.
 */
export function fallingNotes(seconds: number, name = 'notes.wav'): RecordingFile {
  const sampleRate = 48_000;
  const samples = Math.round(seconds * sampleRate);
  const buffer = Buffer.alloc(44 + 2 * samples);
  buffer.write('RIFF', 0);
  buffer.writeUInt32LE(36 + 2 * samples, 4);
  buffer.write('WAVEfmt ', 8);
  buffer.writeUInt32LE(16, 16);
  buffer.writeUInt16LE(1, 20);
  buffer.writeUInt16LE(1, 22);
  buffer.writeUInt32LE(sampleRate, 24);
  buffer.writeUInt32LE(2 * sampleRate, 28);
  buffer.writeUInt16LE(2, 32);
  buffer.writeUInt16LE(16, 34);
  buffer.write('data', 36);
  buffer.writeUInt32LE(2 * samples, 40);
  let phase = 0;
  let seed = 1;
  for (let index = 0; index < samples; index += 1) {
    const within = (index / sampleRate) % 0.5;
    phase += (2 * Math.PI * (7000 - 3000 * (within / 0.12))) / sampleRate;
    seed = (seed * 16_807) % 2_147_483_647;
    const noise = (seed / 2_147_483_647 - 0.5) * 0.01;
    buffer.writeInt16LE(Math.round(((within < 0.12 ? 0.4 * Math.sin(phase) : 0) + noise) * 32_000), 44 + 2 * index);
  }
  return { name, mimeType: 'audio/wav', buffer };
}

/**
 * Quiet noise with a synthetic voice from second `from` to second `to`, which the model takes for a human one: 300 pulses a second, with
 * a pitch that rises and falls about once a second, filtered by the resonances of a mouth. 16-bit PCM, 48 kHz, mono.
 */
export function syntheticVoice(seconds: number, from: number, to: number, name = 'walk.wav'): RecordingFile {
  const sampleRate = 48_000;
  const resonances = [
    { hertz: 1000, width: 80, gain: 1 },
    { hertz: 1600, width: 100, gain: 0.8 },
    { hertz: 3300, width: 150, gain: 0.8 },
    { hertz: 4200, width: 200, gain: 0.5 },
    { hertz: 6000, width: 400, gain: 0.2 },
  ].map(({ hertz, width, gain }) => {
    const decay = Math.exp((-Math.PI * width) / sampleRate);
    return { gain, decay, turn: 2 * decay * Math.cos((2 * Math.PI * hertz) / sampleRate), last: 0, before: 0 };
  });
  let seed = 7;
  const noise = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  let phase = 0;
  const voice = Array.from({ length: Math.round((to - from) * sampleRate) }, (_, index) => {
    const time = index / sampleRate;
    const cry = Math.min(1, (time % 1.1) / 0.88);
    const loudness = Math.sqrt(Math.sin(Math.PI * cry));
    phase +=
      (300 * (1 + 0.25 * Math.sin(Math.PI * cry)) * (1 + 0.01 * Math.sin(12 * Math.PI * time) + 0.01 * noise())) / sampleRate;
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
  const recording = fallingNotes(seconds, name);
  for (let index = 0; index < seconds * sampleRate; index += 1) {
    const said = voice[index - Math.round(from * sampleRate)] ?? 0;
    recording.buffer.writeInt16LE(Math.round((0.5 * (said / loudest) + 0.002 * noise()) * 32_000), 44 + 2 * index);
  }
  return recording;
}

/** A faint hum in a small file, which takes a while to analyse. 8-bit PCM, 8 kHz, mono, 29 MB an hour. */
export function hoursOfHum(hours: number, name = 'hum.wav'): RecordingFile {
  const sampleRate = 8000;
  const samples = Math.round(hours * 3600 * sampleRate);
  const buffer = Buffer.alloc(44 + samples);
  buffer.write('RIFF', 0);
  buffer.writeUInt32LE(36 + samples, 4);
  buffer.write('WAVEfmt ', 8);
  buffer.writeUInt32LE(16, 16);
  buffer.writeUInt16LE(1, 20);
  buffer.writeUInt16LE(1, 22);
  buffer.writeUInt32LE(sampleRate, 24);
  buffer.writeUInt32LE(sampleRate, 28);
  buffer.writeUInt16LE(1, 32);
  buffer.writeUInt16LE(8, 34);
  buffer.write('data', 36);
  buffer.writeUInt32LE(samples, 40);
  for (let index = 0; index < samples; index += 1) buffer[44 + index] = 128 + Math.round(20 * Math.sin(index * 0.3));
  return { name, mimeType: 'audio/wav', buffer };
}
