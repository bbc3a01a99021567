import { decodeRecording, decodeWithFfmpeg } from '../decode/decode-recording.ts';
import type { DecodedRecording } from '../decode/decoded-recording.ts';
import type { Band } from '../decode/ffmpeg-process.ts';
import type { DecodeLimits } from '../decode/limits.ts';
import { ffmpegPath } from './installed.ts';

export interface WholeRecording extends DecodedRecording {
  /** interleaved */
  readonly all: Float32Array;
}

export interface ReadAllOptions {
  readonly limits?: Partial<DecodeLimits>;
  readonly sampleRate?: number;
  readonly signal?: AbortSignal;
  /** Decode with this program, even if it is not ffmpeg. */
  readonly ffmpeg?: string;
  readonly band?: Band;
}

/** Decodes a recording into memory. */
export async function readAll(path: string, options: ReadAllOptions = {}): Promise<WholeRecording> {
  const decode = options.ffmpeg === undefined ? decodeRecording : decodeWithFfmpeg;
  const decoded = await decode(path, {
    ffmpegPath: options.ffmpeg ?? ffmpegPath,
    sampleRate: options.sampleRate ?? 48_000,
    signal: options.signal ?? new AbortController().signal,
    limits: options.limits,
    band: options.band,
  });
  const pieces: Float32Array[] = [];
  for await (const piece of decoded.samples) pieces.push(piece.slice());
  const all = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return { ...decoded, all, end: decoded.end };
}
