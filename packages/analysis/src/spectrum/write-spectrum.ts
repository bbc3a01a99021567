import { open } from 'node:fs/promises';
import { downmix } from '@chiffchaff/recognizer';
import type { CopyTask } from '../copy/copy-sound.ts';
import { decodeRecording } from '../decode/decode-recording.ts';
import { lengthOf, type Stretch } from '../decode/ffmpeg-process.ts';
import { createSpectrumBuilder } from './spectrum-builder.ts';
import { encodeDescription, IMAGE_SAMPLE_RATE, SPECTRUM_ROWS } from './spectrum-file.ts';

/** The inputs of a spectrum, the same as those of a copy; default of `urgency`: that of an analysis. */
export type SpectrumTask = Omit<CopyTask, 'channels'>;

/** The audio has been analysed, so any length is fine. The generous times allow for other programs that run at the same time. */
const limitsFor = (durationSeconds: number) => ({
  minSeconds: 0,
  maxSeconds: Number.POSITIVE_INFINITY,
  stallMs: 30_000,
  maxWaitMs: 60_000 + durationSeconds * 250,
});

/**
 * Reads audio once from start to end and writes its spectrum.
 *
 * @throws PredictionError when it cannot be read
 * @throws the signal's reason when it aborts
 */
export async function writeSpectrum(
  { path, target, durationSeconds, stretches, ffmpegPath, urgency }: SpectrumTask,
  signal: AbortSignal,
): Promise<void> {
  const limits = limitsFor(durationSeconds);
  const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: IMAGE_SAMPLE_RATE, signal, limits, urgency });
  const builder = createSpectrumBuilder(stretches ? lengthOf(stretches) : durationSeconds);
  const mono = downmix(decoded.samples, decoded.channels);
  const file = await open(target, 'w', 0o600);
  try {
    let written = 0;
    const write = async (bytes: Uint8Array): Promise<void> => {
      if (bytes.length > 0) await file.writeFile(bytes);
      written += bytes.length;
    };
    for await (const samples of stretches === undefined ? mono : within(mono, stretches)) await write(builder.push(samples));
    await write(builder.end());
    const columns = written / SPECTRUM_ROWS;
    const { background, ...range } = builder.scale();
    const { hzPerRow, firstRowHz } = builder;
    const rounded = [...background].map((level) => Math.round(level * 100) / 100);
    await write(encodeDescription({ version: 1, columns, hzPerRow, firstRowHz, scale: { ...range, background: rounded } }));
    await file.sync();
  } finally {
    await file.close();
    await decoded.stop();
  }
}

/** Yields the samples within the stretches; stops reading after the last. */
async function* within(sound: AsyncIterable<Float32Array>, stretches: readonly Stretch[]): AsyncGenerator<Float32Array> {
  const sampleAt = (seconds: number): number => Math.round(seconds * IMAGE_SAMPLE_RATE);
  const end = sampleAt(stretches.at(-1)?.endSeconds ?? 0);
  let at = 0;
  for await (const samples of sound) {
    for (const { startSeconds, endSeconds } of stretches) {
      const part = samples.subarray(Math.max(0, sampleAt(startSeconds) - at), Math.max(0, sampleAt(endSeconds) - at));
      if (part.length > 0) yield part;
    }
    at += samples.length;
    if (at >= end) return;
  }
}
