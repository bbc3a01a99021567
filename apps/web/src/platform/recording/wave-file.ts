import { type WaveMetadata, waveHeader } from '../decoding/write-wave.ts';
import { localTime } from '../format/format.ts';

/* Mono 16-bit WAV, which every program reads: 96 kB per second. */

export const BYTES_PER_SAMPLE = 2;

/** The header of a file that is still being written, whose length is not known yet. */
export const firstHeader = (sampleRate: number): Uint8Array<ArrayBuffer> =>
  waveHeader({ sampleRate, channels: 1, dataBytes: 0, metadata: { timestamp: null, place: null } });
export const WAVE_HEADER_BYTES = firstHeader(1).length;

const LOUDEST = 32_767;

/** @param samples −1…1; clipped beyond that */
export const toPcm = (samples: Float32Array): Int16Array<ArrayBuffer> =>
  Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * LOUDEST));

export const fromPcm = (pcm: Int16Array): Float32Array<ArrayBuffer> => Float32Array.from(pcm, (sample) => sample / LOUDEST);

type MadeAt = Pick<WaveMetadata, 'place'> & { readonly startedAt: Date };

/** Local date and time with the offset of the device's clock at that moment: `2026-05-01T05:12:44+02:00`. */
export function localTimestamp(at: Date): string {
  const offsetMinutes = -at.getTimezoneOffset();
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${localTime(at)}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/**
 * A recorded file as a complete WAV: replaces the header, which did not know the length when it was written. Does not read the audio.
 *
 * @param written header and samples; an incomplete sample at the end is left out
 */
export function wholeWave(written: Blob, sampleRate: number, name: string, { startedAt, place }: MadeAt): File {
  const found = Math.max(0, written.size - WAVE_HEADER_BYTES);
  const dataBytes = found - (found % BYTES_PER_SAMPLE);
  const metadata = { timestamp: localTimestamp(startedAt), place };
  const header = waveHeader({ sampleRate, channels: 1, dataBytes, metadata });
  const sound = written.slice(WAVE_HEADER_BYTES, WAVE_HEADER_BYTES + dataBytes);
  return new File([header, sound], name, { type: 'audio/wav', lastModified: startedAt.getTime() });
}
