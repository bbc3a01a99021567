import { open } from 'node:fs/promises';
import type { KeptMoment, SpectrogramQuery } from '@chiffchaff/contract';
import { downmix } from '@chiffchaff/recognizer';
import { createColumnWriter, createSpectrumImage, type SpectrumImage } from '@chiffchaff/recognizer/audio';
import { decodeRecording } from '../decode/decode-recording.ts';
import { decibelsOfSquaredPower, squaredPowerOfLevel } from './spectrum-builder.ts';
import { COLUMN_SECONDS, IMAGE_SAMPLE_RATE, readColumns, readSpectrum, SPECTRUM_ROWS, type Spectrum } from './spectrum-file.ts';

/** The inputs of a tile. */
export interface TileTask {
  /** the audio */
  readonly path: string;
  /** spectrum of the audio */
  readonly spectrumPath: string;
  /** where parts of the recording are in the spectrum */
  readonly moments: readonly KeptMoment[];
  /** Whether the audio is the whole recording, so that times are those of the recording; else they are as in the spectrum. */
  readonly isWhole: boolean;
  readonly query: SpectrogramQuery;
  readonly ffmpegPath: string;
}

/** The columns of the image that show one excerpt, and its place in the spectrum and the audio. */
interface ColumnRange {
  readonly firstColumn: number;
  readonly columns: number;
  /** in the spectrum, not in the recording */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** how much later it is in the audio than in the spectrum */
  readonly laterSeconds: number;
}

/** Extra audio to decode at both ends, because frames extend beyond the stretch. */
const MARGIN_SECONDS = 0.05;

/**
 * Levels of a stretch of a recording, from the spectrum if its columns are narrow enough, else from the audio itself.
 *
 * @returns one byte a point, column after column, each from 0 Hz upwards; 0 where no audio was kept
 */
export async function drawTile(task: TileTask, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const { query, moments, isWhole, spectrumPath } = task;
  const { columns, rows, maxHz } = query;
  const image = new Uint8Array(columns * rows);
  const shares = moments.flatMap((moment) => shareOf(moment, query, isWhole));
  const [first] = shares;
  const last = shares.at(-1);
  if (first === undefined || last === undefined) return image;
  const spectrum = await openSpectrum(spectrumPath);
  const isWide = (query.endSeconds - query.startSeconds) / columns >= COLUMN_SECONDS;
  const inSound = ({ startSeconds, endSeconds, laterSeconds }: ColumnRange) => ({
    startSeconds: startSeconds + laterSeconds,
    endSeconds: endSeconds + laterSeconds,
  });
  const sound = isWide ? null : await decodeImage(task, spectrum, inSound(first).startSeconds, inSound(last).endSeconds, signal);
  for (const share of shares) {
    signal.throwIfAborted();
    const { firstColumn } = share;
    const levels =
      sound?.levels({ ...inSound(share), maxHz, columns: share.columns, rows }) ??
      (await drawFromSpectrum(spectrumPath, spectrum, share, query));
    image.set(levels, firstColumn * rows);
  }
  return image;
}

/** The columns whose centres are within an excerpt. */
function shareOf(moment: KeptMoment, { startSeconds, endSeconds, columns }: SpectrogramQuery, isWhole: boolean): ColumnRange[] {
  const width = (endSeconds - startSeconds) / columns;
  const columnAt = (seconds: number): number => Math.min(columns, Math.max(0, Math.ceil((seconds - startSeconds) / width - 0.5)));
  const firstColumn = columnAt(moment.startSeconds);
  const count = columnAt(moment.endSeconds) - firstColumn;
  if (count <= 0) return [];
  const inSpectrum = moment.offsetSeconds + startSeconds + firstColumn * width - moment.startSeconds;
  const laterSeconds = isWhole ? moment.startSeconds - moment.offsetSeconds : 0;
  return [{ firstColumn, columns: count, startSeconds: inSpectrum, endSeconds: inSpectrum + count * width, laterSeconds }];
}

async function openSpectrum(path: string): Promise<Spectrum> {
  await using file = await open(path);
  return await readSpectrum(file);
}

async function decodeImage(
  { path, ffmpegPath }: TileTask,
  { scale }: Spectrum,
  fromSeconds: number,
  toSeconds: number,
  signal: AbortSignal,
): Promise<SpectrumImage> {
  const startSeconds = Math.max(0, fromSeconds - MARGIN_SECONDS);
  const stretch = { startSeconds, endSeconds: toSeconds + MARGIN_SECONDS };
  const decoded = await decodeRecording(path, {
    ffmpegPath,
    sampleRate: IMAGE_SAMPLE_RATE,
    signal,
    stretch,
    urgency: 'waitedFor',
  });
  const samples = new Float32Array(Math.ceil((stretch.endSeconds - startSeconds) * IMAGE_SAMPLE_RATE) + IMAGE_SAMPLE_RATE);
  let filled = 0;
  for await (const piece of downmix(decoded.samples, decoded.channels)) {
    const fitting = piece.subarray(0, samples.length - filled);
    samples.set(fitting, filled);
    filled += fitting.length;
  }
  return createSpectrumImage(samples.subarray(0, filled), IMAGE_SAMPLE_RATE, { scale, startSeconds });
}

/** Joins columns. */
async function drawFromSpectrum(
  path: string,
  { columns: storedColumns, scale, hzPerRow, firstRowHz }: Spectrum,
  { columns, startSeconds, endSeconds }: ColumnRange,
  { maxHz, rows }: SpectrogramQuery,
): Promise<Uint8Array> {
  const width = (endSeconds - startSeconds) / columns;
  const columnAt = (seconds: number): number => Math.min(storedColumns, Math.max(0, Math.floor(seconds / COLUMN_SECONDS)));
  const firstRead = columnAt(startSeconds);
  const stored = await readColumns(path, firstRead, columnAt(endSeconds) + 1 - firstRead);
  const lastStored = Math.min(storedColumns - firstRead, Math.floor(stored.length / SPECTRUM_ROWS)) - 1;
  const writeColumn = createColumnWriter({
    scale,
    bands: SPECTRUM_ROWS,
    hzPerBand: hzPerRow,
    firstBandHz: firstRowHz,
    maxHz,
    rows,
  });
  const image = new Uint8Array(columns * rows);
  const squares = new Float64Array(SPECTRUM_ROWS);
  const decibels = new Float32Array(SPECTRUM_ROWS);
  for (let column = 0; column < columns; column += 1) {
    const from = Math.min(lastStored, columnAt(startSeconds + column * width) - firstRead);
    const to = Math.min(lastStored + 1, Math.max(from + 1, columnAt(startSeconds + (column + 1) * width) - firstRead));
    squares.fill(0);
    for (let at = from * SPECTRUM_ROWS; at < to * SPECTRUM_ROWS; at += SPECTRUM_ROWS)
      for (let row = 0; row < SPECTRUM_ROWS; row += 1)
        squares[row] = (squares[row] ?? 0) + (squaredPowerOfLevel[stored[at + row] ?? 0] ?? 0);
    for (let row = 0; row < SPECTRUM_ROWS; row += 1) decibels[row] = decibelsOfSquaredPower((squares[row] ?? 0) / (to - from));
    writeColumn(decibels, image.subarray(column * rows, (column + 1) * rows));
  }
  return image;
}
