import { type FileHandle, open } from 'node:fs/promises';
import type { SpectrumScale } from '@chiffchaff/recognizer/audio';
import { z } from 'zod';

/**
 * A file with an image of a whole recording: the bytes of its levels, then a description as JSON, then the length of that in four bytes. A byte is a level in dB, independent of the recording's scale; columns follow each other in time, each
 * from 0 Hz upwards.
 */

/** Hz of the samples that images are made from. */
export const IMAGE_SAMPLE_RATE = 48_000;
/** Samples in a column: 64 ms. */
export const COLUMN_SAMPLES = 3072;
export const COLUMN_SECONDS = COLUMN_SAMPLES / IMAGE_SAMPLE_RATE;
export const SPECTRUM_ROWS = 256;

const DECIBELS_PER_STEP = 0.5;
const LOWEST_DECIBELS = -77.5;

export const levelOf = (decibels: number): number =>
  Math.min(255, Math.max(0, Math.round((decibels - LOWEST_DECIBELS) / DECIBELS_PER_STEP)));
export const decibelsOf = (level: number): number => LOWEST_DECIBELS + level * DECIBELS_PER_STEP;

const descriptionSchema = z.object({
  version: z.literal(1),
  columns: z.int().nonnegative(),
  hzPerRow: z.number().positive(),
  /** centre of the lowest row */
  firstRowHz: z.number().nonnegative(),
  scale: z.object({
    hzPerBand: z.number().positive(),
    floor: z.number(),
    ceiling: z.number(),
    background: z.array(z.number()),
    gustShare: z.number(),
  }),
});
export type SpectrumDescription = z.infer<typeof descriptionSchema>;

export interface Spectrum extends Omit<SpectrumDescription, 'scale' | 'version'> {
  readonly scale: SpectrumScale;
}

export function encodeDescription(description: SpectrumDescription): Uint8Array {
  const json = Buffer.from(JSON.stringify(description));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([json, length]);
}

/** @throws Error when the file is no spectrum */
export async function readSpectrum(file: FileHandle): Promise<Spectrum> {
  const { size } = await file.stat();
  const length = Buffer.alloc(4);
  await file.read(length, 0, 4, size - 4);
  const json = Buffer.alloc(Math.min(length.readUInt32LE(), size - 4));
  await file.read(json, 0, json.length, size - 4 - json.length);
  const { scale, ...rest } = descriptionSchema.parse(JSON.parse(json.toString()));
  return { ...rest, scale: { ...scale, background: Float32Array.from(scale.background) } };
}

/** Reads columns, as many as exist. */
export async function readColumns(path: string, first: number, columns: number): Promise<Uint8Array> {
  await using file = await open(path);
  const bytes = new Uint8Array(columns * SPECTRUM_ROWS);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, first * SPECTRUM_ROWS);
  return bytes.subarray(0, bytesRead);
}
