import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A recording to be put into the page's file input. */
export interface RecordingFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** BirdNET's example, two minutes of a garden in Ithaca; given material that is not part of the project. */
export const soundscape = fileURLToPath(new URL('../../../../shared/fixtures/audio/soundscape.flac', import.meta.url));

/** Why stories with the real recording cannot be told here, or null. */
export const whyNoSoundscape = (): string | null =>
  existsSync(soundscape) ? null : 'the recording ../shared/fixtures/audio/soundscape.flac is not here';

/**
 * Seconds of notes that fall from 7 to 4 kHz, two a second, in faint noise: sound and a spectrum that need no licence.
 * 16-bit PCM, 48 kHz, mono.
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
 * A faint hum that lasts long and is small: something to be listened to for a while. 8-bit PCM, 8 kHz, mono, 29 MB an hour.
 */
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
