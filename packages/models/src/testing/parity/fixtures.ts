import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The reference outputs of a fixtures folder: see its README for how they were computed. */
const topSchema = z.array(z.object({ index: z.int().nonnegative(), logit: z.number() })).min(2);

const audioSetSchema = z.object({
  windowSamples: z.int().positive(),
  classes: z.int().positive(),
  fixedIndices: z.array(z.int().nonnegative()),
  windows: z.array(
    z.object({
      file: z.string().optional(),
      /** seconds into `file` */
      start: z.number().optional(),
      recipe: z.string().optional(),
      top: topSchema,
      /** logits at `fixedIndices` */
      fixed: z.array(z.number()),
    }),
  ),
});

const placeSetSchema = z.object({
  fixedIndices: z.array(z.int().nonnegative()),
  rows: z.array(
    z.object({
      lat: z.number(),
      lon: z.number(),
      week: z.number(),
      /** classes with a score of at least 0.03 */
      species003: z.int(),
      /** classes so near 0.03 that they may fall on either side */
      nearThreshold: z.int(),
      top: z.array(z.object({ index: z.int().nonnegative(), score: z.number() })).min(1),
      fixedScores: z.array(z.number()),
    }),
  ),
});

export type AudioSet = z.infer<typeof audioSetSchema>;
export type AudioWindow = AudioSet['windows'][number];
export type PlaceSet = z.infer<typeof placeSetSchema>;

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

export const readAudioSet = async (folder: string, name: string): Promise<AudioSet> =>
  audioSetSchema.parse(await readJson(join(folder, `${name}.json`)));

export const readPlaceSet = async (folder: string): Promise<PlaceSet> =>
  placeSetSchema.parse(await readJson(join(folder, 'meta.json')));

const CLIP_SAMPLES = 144_000;
const SAMPLE_RATE = 48_000;

/** Computes a window of `edge.json` in float32 from the decoded soundscape. */
export function edgeClip(recipe: string, soundscape: Float32Array): Float32Array {
  const window = (index: number): Float32Array => soundscape.slice(index * CLIP_SAMPLES, (index + 1) * CLIP_SAMPLES);
  const formula = (value: (n: number) => number): Float32Array => Float32Array.from({ length: CLIP_SAMPLES }, (_, n) => value(n));
  if (recipe.startsWith('digital silence')) return new Float32Array(CLIP_SAMPLES);
  if (recipe.endsWith('second half set to 0')) return window(0).fill(0, CLIP_SAMPLES / 2);
  if (recipe.startsWith('soundscape window 14, first 48000')) return window(14).fill(0, SAMPLE_RATE);
  if (recipe.endsWith('times 0.001')) return window(0).map((sample) => sample * Math.fround(0.001));
  if (recipe.endsWith('plus 0.25')) return window(0).map((sample) => sample + 0.25);
  if (recipe.startsWith('sine')) return formula((n) => 0.5 * Math.sin((2 * Math.PI * 1000 * n) / SAMPLE_RATE));
  if (recipe.startsWith('square')) return formula((n) => Math.sign(Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE)));
  throw new Error(`unknown recipe: ${recipe}`);
}
