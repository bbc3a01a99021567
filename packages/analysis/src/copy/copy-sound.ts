import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Stretch, Urgency } from '../decode/ffmpeg-process.ts';
import { runFfmpeg } from '../decode/ffmpeg-run.ts';
import { identifyFile } from '../decode/identify-file.ts';
import { defaultDecodeLimits } from '../decode/limits.ts';
import { createRestarts, interruptedWhenShort } from '../decode/restarts.ts';
import { wordFailure } from '../decode/word-failure.ts';

/** Everything that a copy is made from. */
export interface CopyTask {
  /** the recording */
  readonly path: string;
  /** written over; whatever is there after a failure is no copy */
  readonly target: string;
  /** an ffmpeg that `locateFfmpeg` found suitable */
  readonly ffmpegPath: string;
  /** of the recording */
  readonly channels: number;
  /** of the recording */
  readonly durationSeconds: number;
  /** Copies only these, in order and apart from each other, one right behind the other; to hundredths of a second. */
  readonly stretches?: readonly Stretch[] | undefined;
  /** `idle` when absent */
  readonly urgency?: Urgency | undefined;
}

/** The type of what `copySound` writes, as HTTP names it. */
export const COPY_MEDIA_TYPE = 'audio/webm; codecs=opus';

/** Hz; Opus knows no other that holds all that people hear. */
const SAMPLE_RATE = 48_000;
/** Bits a second: nothing is missing that an ear or a spectrogram would look for below 15 kHz. */
const BIT_RATE = { mono: 64_000, stereo: 112_000 };
/** Samples that are taken or left together: a hundredth of a second. */
const GRAIN_SAMPLES = 480;
/** Encoding runs at sixty times the speed of sound where nothing else does; this is where something must be wrong. */
const SLOWEST_SPEED = 4;

/**
 * Copies a recording, or stretches of it, to Opus in WebM, which browsers play and can enter at any moment. Time in the copy is
 * counted in samples from the recording's start, as the samples of `decodeRecording` are.
 *
 * ffmpeg works under the limits of decoding, and may write no more than a copy of that length can need. Of more than two channels
 * the first two are copied.
 *
 * @throws PredictionError when the recording cannot be read, `DECODER_NOT_INSTALLED`, `DECODER_FAILED`
 * @throws the signal's reason when it aborts; the child process is gone by then
 */
export async function copySound(task: CopyTask, signal: AbortSignal): Promise<void> {
  const restarts = createRestarts(defaultDecodeLimits.restartDelaysMs, signal);
  // A file of its own for each try: the decoder of a process that was killed may still be writing.
  await restarts.repeat(async () => {
    await rm(task.target, { force: true });
    await copyOnce(task, signal);
  });
}

async function copyOnce(task: CopyTask, signal: AbortSignal): Promise<void> {
  const { path, target, ffmpegPath, channels, durationSeconds, stretches, urgency = 'idle' } = task;
  const copiedSeconds =
    stretches?.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0) ?? durationSeconds;
  const bitRate = channels === 1 ? BIT_RATE.mono : BIT_RATE.stereo;
  const limits = {
    ...defaultDecodeLimits,
    // ffmpeg says twice a second how far it is, and may be one of several programs at work.
    stallMs: 30_000,
    maxWaitMs: 60_000 + (durationSeconds * 1000) / SLOWEST_SPEED,
  };
  signal.throwIfAborted();
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(interruptedWhenShort);
  try {
    const source = await identifyFile(file);
    const copy = await open(target, 'w', 0o600);
    try {
      const run = await runFfmpeg(
        {
          ffmpegPath,
          fileDescriptor: file.fd,
          path,
          demuxer: source.recording.demuxer,
          // What comes after the last of them need not be read; a second more, because containers count time in their own ways.
          stretch: stretches && { startSeconds: 0, endSeconds: (stretches.at(-1)?.endSeconds ?? 0) + 1 },
          output: {
            kind: 'file',
            fileDescriptor: copy.fd,
            path: target,
            maxBytes: Math.ceil((copiedSeconds * bitRate * 2) / 8) + 1_048_576,
            args: encoderArguments(bitRate, channels, stretches),
          },
          limits,
          urgency,
        },
        signal,
      );
      try {
        // Only that it still moves is of interest.
        while ((await run.read()) !== null);
        const endedWell = await run.readExit();
        signal.throwIfAborted();
        if (!endedWell || run.tookTooLong) throw wordFailure(run, source, limits);
      } finally {
        await run.stop();
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await file.close();
  }
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

/** True for the grains that begin within a stretch; half a grain of room, so that rounding decides nothing. */
function selection(stretches: readonly Stretch[]): string {
  const halfGrain = GRAIN_SAMPLES / SAMPLE_RATE / 2;
  const at = (seconds: number): string => (seconds - halfGrain).toFixed(4);
  return stretches.map(({ startSeconds, endSeconds }) => `gte(t,${at(startSeconds)})*lt(t,${at(endSeconds)})`).join('+');
}
