import { open } from 'node:fs/promises';
import { lengthOf, type Stretch, type Urgency } from '../decode/ffmpeg-process.ts';
import { defaultDecodeLimits } from '../decode/limits.ts';
import { writeByFfmpeg } from './write-by-ffmpeg.ts';

/** The inputs of a copy. */
export interface CopyTask {
  /** the recording */
  readonly path: string;
  /** overwritten; after a failure, the contents are undefined */
  readonly target: string;
  /** path found by `locateFfmpeg` */
  readonly ffmpegPath: string;
  /** of the recording */
  readonly channels: number;
  /** of the recording */
  readonly durationSeconds: number;
  /** Copies only these parts (sorted, not overlapping), one right after the other, accurate to hundredths of a second. Absent: all. */
  readonly stretches?: readonly Stretch[] | undefined;
  /** default: `idle` */
  readonly urgency?: Urgency | undefined;
}

/** HTTP content type of the output of `copySound`. */
export const COPY_MEDIA_TYPE = 'audio/webm; codecs=opus';

/** Hz; the only rate of Opus that covers all of human hearing. */
const SAMPLE_RATE = 48_000;
/** Bits per second: loses nothing that an ear or a spectrogram would miss below 15 kHz. */
const BIT_RATE = { mono: 64_000, stereo: 112_000 };
/** Samples that are kept or dropped together: a hundredth of a second. */
const GRAIN_SAMPLES = 480;
/** Alone on a machine, encoding runs at sixty times real time; below this speed, something must be wrong. */
const SLOWEST_SPEED = 4;

/**
 * Copies a recording, or parts of it, to Opus in WebM, which browsers can play and seek in. Time in the copy is counted in samples from the
 * start of the recording, as in `decodeRecording`.
 *
 * ffmpeg runs under the limits of decoding, and may write no more than a copy of that length can need. Of more than two channels, only the
 * first two are copied.
 *
 * @throws PredictionError when the recording cannot be read, `DECODER_NOT_INSTALLED`, `DECODER_FAILED`
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function copySound(task: CopyTask, signal: AbortSignal): Promise<void> {
  const { path, target, ffmpegPath, channels, durationSeconds, stretches, urgency = 'idle' } = task;
  const copiedSeconds = stretches ? lengthOf(stretches) : durationSeconds;
  const bitRate = channels === 1 ? BIT_RATE.mono : BIT_RATE.stereo;
  const limits = {
    ...defaultDecodeLimits,
    // ffmpeg reports progress twice a second, and may have to share the machine.
    stallMs: 30_000,
    maxWaitMs: 60_000 + (durationSeconds * 1000) / SLOWEST_SPEED,
  };
  const maxBytes = Math.ceil((copiedSeconds * bitRate * 2) / 8) + 1_048_576;
  const argsFor = async () => encoderArguments(bitRate, channels, stretches);
  // Reading may stop after the last part, plus a second because containers measure time differently.
  const stretch = stretches && { startSeconds: 0, endSeconds: (stretches.at(-1)?.endSeconds ?? 0) + 1 };
  await writeByFfmpeg({ path, target, mode: 0o600, ffmpegPath, stretch, maxBytes, argsFor, limits, urgency }, signal);
  await using copy = await open(target, 'r+');
  await copy.sync();
}

function encoderArguments(bitRate: number, channels: number, stretches: readonly Stretch[] | undefined): readonly string[] {
  const filters = [
    ...(channels > 2 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    `aresample=${SAMPLE_RATE}:resampler=soxr`,
    'asetpts=N/SR/TB',
    ...(stretches === undefined
      ? []
      : [`asetnsamples=n=${GRAIN_SAMPLES}:p=0`, `aselect='${selection(stretches)}'`, 'asetpts=N/SR/TB']),
  ];
  const encoder = `-c:a libopus -b:a ${bitRate} -compression_level 5 -f webm`;
  return ['-af', filters.join(','), ...encoder.split(' ')];
}

/** Selects the grains that start within a stretch; the half grain of tolerance makes rounding irrelevant. */
function selection(stretches: readonly Stretch[]): string {
  const halfGrain = GRAIN_SAMPLES / SAMPLE_RATE / 2;
  const at = (seconds: number): string => (seconds - halfGrain).toFixed(4);
  return sumOf(stretches.map(({ startSeconds, endSeconds }) => `gte(t,${at(startSeconds)})*lt(t,${at(endSeconds)})`));
}

/** In brackets of two, because ffmpeg refuses a sum of a hundred terms. */
function sumOf(terms: readonly string[]): string {
  if (terms.length < 2) return terms[0] ?? '0';
  const middle = terms.length >> 1;
  return `(${sumOf(terms.slice(0, middle))}+${sumOf(terms.slice(middle))})`;
}
