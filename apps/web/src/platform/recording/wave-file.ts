import { WAVE_HEADER_BYTES, waveChunk, waveHeader } from '@chiffchaff/recognizer/audio';
import { localTime } from '../format/format.ts';

/** Metadata of a recording, to be written with its samples. */
export interface WaveMetadata {
  /** ISO date or date and time, by the recorder's clock */
  readonly timestamp: string | null;
  /** degrees */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
}

/** Time and place in a chunk of GUANO, which bat and bird recorders write; empty if neither is known. */
export function guanoChunk({ timestamp, place }: WaveMetadata): readonly number[] {
  const lines = [
    ...(timestamp === null ? [] : [`Timestamp:${timestamp}`]),
    ...(place === null ? [] : [`Loc Position:${place.latitude} ${place.longitude}`]),
  ];
  if (lines.length === 0) return [];
  return waveChunk('guan', new TextEncoder().encode(['GUANO|Version:1.0', ...lines, ''].join('\n')));
}

/* Recorded sessions are mono 16-bit WAV, which every program reads: 96 kB per second. */

export const BYTES_PER_SAMPLE = 2;

const shapeOf = (sampleRate: number) => ({ sampleRate, channels: 1, bytesPerSample: BYTES_PER_SAMPLE });

/** The header of a file that is still being written, whose length is not known yet. */
export const firstHeader = (sampleRate: number): Uint8Array<ArrayBuffer> => waveHeader(shapeOf(sampleRate), 0);

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
  const guano = guanoChunk({ timestamp: localTimestamp(startedAt), place });
  const header = waveHeader(shapeOf(sampleRate), dataBytes, guano);
  const sound = written.slice(WAVE_HEADER_BYTES, WAVE_HEADER_BYTES + dataBytes);
  return new File([header, sound], name, { type: 'audio/wav', lastModified: startedAt.getTime() });
}
