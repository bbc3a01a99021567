import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeRecording } from '@chiffchaff/analysis';
import { type Config, findFfmpeg, openInstalledAnalyzer } from '@chiffchaff/cli';
import { type ConfidenceEvidence, confidenceEvidenceSchema, type Prediction, predictionSchema } from '@chiffchaff/contract';
import { createSpectrumImage } from '@chiffchaff/recognizer/audio';
import { z } from 'zod';
import { encodeMaskPng, MASK_STEPS } from './mask-png.ts';

/** The example on the landing page: a recording, stored with the recogniser's actual predictions for it. */

const folder = join(import.meta.dirname, '../../../apps/web/src/features/landing/example');
export const recordingPath = join(folder, 'killdeer.opus');
export const storedPath = join(folder, 'predictions.json');
/** How often each confidence word was right, from the model's `confidence-evidence.json`. */
export const evidencePath = join(folder, 'evidence.json');
export const spectrogramPath = join(folder, 'spectrogram.png');

/** The languages of the interface. Each has its own prediction, because a prediction contains the birds' names. */
const languages = ['en', 'de'] as const;

export const storedExampleSchema = z.record(z.enum(languages), predictionSchema);
export type StoredExample = z.infer<typeof storedExampleSchema>;

/** Replaces the fields that differ between two runs on the same recording, so that a diff shows only changes in the answer. */
const normalise = (prediction: Prediction): Prediction => ({
  ...prediction,
  id: 'example',
  createdAt: '2026-05-01T05:00:00.000Z',
  timings: { decodeMs: 0, inferenceMs: 0, totalMs: 0 },
});

/** The installed recogniser's prediction for the example, in each language. @throws SetUpError when the model or ffmpeg is missing */
export async function predictExample(config: Config, signal: AbortSignal): Promise<StoredExample> {
  const analyzer = await openInstalledAnalyzer(config, signal);
  try {
    const request = { path: recordingPath, fileName: basename(recordingPath) };
    const identify = async (language: string) => normalise(await analyzer.analyze({ ...request, language }, { signal }));
    return { en: await identify('en'), de: await identify('de') };
  } finally {
    await analyzer.close();
  }
}

/** Hz; the picture ends at 8 kHz, above the highest sounds of the bird. */
const imageSampleRate = 32_000;
const picture = { maxHz: 8000, columns: 900, rows: 200 } as const;
/** Levels below this are background noise and stay transparent. */
const quietBelow = 80;

/** The example's spectrogram as opacity, so that the page can colour it for day and dusk. */
export async function drawExample(config: Config, signal: AbortSignal): Promise<Buffer> {
  const ffmpegPath = await findFfmpeg(config, signal);
  const decoded = await decodeRecording(recordingPath, { ffmpegPath, sampleRate: imageSampleRate, signal });
  const samples: number[] = [];
  for await (const piece of decoded.samples) for (const sample of piece) samples.push(sample);
  const endSeconds = samples.length / imageSampleRate;
  const levels = createSpectrumImage(Float32Array.from(samples), imageSampleRate).levels({
    startSeconds: 0,
    endSeconds,
    ...picture,
  });
  return encodeMaskPng(picture.columns, picture.rows, (column, row) => {
    const level = levels[column * picture.rows + (picture.rows - 1 - row)] ?? 0;
    // The exponent strengthens faint sounds above the background noise: they are calls, too.
    return Math.round(Math.max(0, (level - quietBelow) / (255 - quietBelow)) ** 0.6 * (MASK_STEPS - 1));
  });
}

/** The confidence evidence of the model. */
export async function readEvidence(): Promise<ConfidenceEvidence> {
  const file = join(import.meta.dirname, '../../../models/birdnet-v2.4/confidence-evidence.json');
  return confidenceEvidenceSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** `npm run example`: writes predictions, counts of words and spectrogram. @returns the English verdict */
export async function writeExample(config: Config, signal: AbortSignal): Promise<string> {
  const predictions = await predictExample(config, signal);
  await writeFile(storedPath, `${JSON.stringify(predictions, null, 2)}\n`);
  await writeFile(evidencePath, `${JSON.stringify((await readEvidence()).tested.words, null, 2)}\n`);
  await writeFile(spectrogramPath, await drawExample(config, signal));
  return predictions.en.verdict.sentence;
}
