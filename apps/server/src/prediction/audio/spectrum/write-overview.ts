import { open } from 'node:fs/promises';
import { decodeRecording, type Urgency } from '@chiffchaff/listening';
import { downmix } from '@chiffchaff/recognizer';
import { createOverviewBuilder } from './overview-builder.ts';
import { COARSER, COLUMN_SAMPLES, encodeDescription, IMAGE_SAMPLE_RATE, OVERVIEW_ROWS } from './overview-file.ts';

/** Everything that an overview is made from. */
export interface OverviewTask {
  /** the sound */
  readonly path: string;
  /** where the overview is written */
  readonly target: string;
  readonly durationSeconds: number;
  readonly ffmpegPath: string;
  readonly urgency: Urgency;
}

/** A sound that was analysed is read again, however long it is; ffmpeg may be one of several programs at work. */
const limitsFor = (durationSeconds: number) => ({
  minSeconds: 0,
  maxSeconds: Number.POSITIVE_INFINITY,
  stallMs: 30_000,
  maxWaitMs: 60_000 + durationSeconds * 250,
});

/**
 * Reads a sound once from its beginning to its end and writes what it looks like.
 *
 * @throws PredictionError when it cannot be read
 * @throws the signal's reason when it aborts
 */
export async function writeOverview(
  { path, target, durationSeconds, ffmpegPath, urgency }: OverviewTask,
  signal: AbortSignal,
): Promise<void> {
  const limits = limitsFor(durationSeconds);
  const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: IMAGE_SAMPLE_RATE, signal, limits, urgency });
  const builder = createOverviewBuilder(durationSeconds);
  const file = await open(target, 'w', 0o600);
  try {
    let written = 0;
    const write = async (bytes: Uint8Array): Promise<void> => {
      if (bytes.length > 0) await file.writeFile(bytes);
      written += bytes.length;
    };
    for await (const samples of downmix(decoded.samples, decoded.channels)) await write(builder.push(samples));
    await write(builder.end());
    const columnSeconds = COLUMN_SAMPLES / IMAGE_SAMPLE_RATE;
    const levels = [{ columns: written / OVERVIEW_ROWS, columnSeconds, offset: 0 }];
    for (const [index, bytes] of builder.coarserLevels().entries()) {
      levels.push({
        columns: bytes.length / OVERVIEW_ROWS,
        columnSeconds: columnSeconds * COARSER ** (index + 1),
        offset: written,
      });
      await write(bytes);
    }
    const { background, ...range } = builder.scale();
    const { hzPerRow, firstRowHz } = builder;
    const rounded = [...background].map((level) => Math.round(level * 100) / 100);
    await write(encodeDescription({ version: 1, levels, hzPerRow, firstRowHz, scale: { ...range, background: rounded } }));
    await file.sync();
  } finally {
    await file.close();
    await decoded.stop();
  }
}
