import type { PlainWave } from '../decode/find-plain-wave.ts';

export const WAVE_HEADER_BYTES = 44;

/** RIFF with the two mandatory chunks. */
export function waveHeader(
  { sampleRate, channels, bytesPerSample }: Pick<PlainWave, 'sampleRate' | 'channels' | 'bytesPerSample'>,
  dataBytes: number,
): Buffer {
  const header = Buffer.alloc(WAVE_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAVE_HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28);
  header.writeUInt16LE(channels * bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
