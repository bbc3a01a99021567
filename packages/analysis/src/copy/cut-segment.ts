import { type FileHandle, open } from 'node:fs/promises';
import { WAVE_HEADER_BYTES, waveHeader } from '@chiffchaff/recognizer/audio';
import type { Stretch } from '../decode/ffmpeg-process.ts';
import { findPlainWave } from '../decode/find-plain-wave.ts';
import type { Source } from '../decode/identify-file.ts';
import { defaultDecodeLimits } from '../decode/limits.ts';
import { openRecording } from '../decode/open-recording.ts';
import { writeByFfmpeg } from './write-by-ffmpeg.ts';

export type SegmentFormat = 'wav' | 'flac';

/** The inputs of a segment. */
export interface SegmentTask {
  /** the recording */
  readonly path: string;
  /** overwritten; after a failure, the contents are undefined */
  readonly target: string;
  /** of the recording; a part beyond its end is left out */
  readonly stretch: Stretch;
  readonly format: SegmentFormat;
  /** path found by `locateFfmpeg` */
  readonly ffmpegPath: string;
}

export interface CutSegment {
  /** length of the segment; 0 if the recording ends before the stretch */
  readonly seconds: number;
}

const BYTES_AT_ONCE = 1_048_576;
/** More than any recorder writes: 500 kHz, or 32 channels at 48 kHz, with three bytes a sample. */
const MAX_BYTES_A_SECOND = 5_000_000;
/** Long enough for a sleeping disk to wake up; a long recording whose index has to be built first takes longer. */
const limits = { ...defaultDecodeLimits, stallMs: 60_000, maxWaitMs: 600_000 };

/**
 * Containers that usually hold lossy codings, which have no sample width: 16 bits keep everything. ALAC in MP4 and FLAC in Ogg are cut to
 * 16 bits, too.
 */
const USUALLY_LOSSY: ReadonlySet<string> = new Set(['mp3', 'aac', 'ac3', 'ogg', 'webm', 'mp4', '3gp', 'asf', 'amr']);

/**
 * Cuts a stretch out of a recording, with its sample rate and all its channels, without loss up to 24 bits a sample (16 in the containers
 * of `USUALLY_LOSSY`). Copies only audio: no title, place, date, comment, picture or other metadata.
 *
 * Of a plain WAV file it reads just the bytes of the stretch. Everything else is cut by ffmpeg under the limits of decoding, starting right
 * before the stretch.
 *
 * @throws PredictionError when the recording cannot be read, `DECODER_NOT_INSTALLED`, `DECODER_FAILED`
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function cutSegment(task: SegmentTask, signal: AbortSignal): Promise<CutSegment> {
  signal.throwIfAborted();
  return (await copyPlainWave(task)) ?? (await cutByFfmpeg(task, signal));
}

/** @returns null when ffmpeg has to cut it */
async function copyPlainWave({ path, target, stretch, format }: SegmentTask): Promise<CutSegment | null> {
  await using file = format === 'wav' ? await openRecording(path).catch(() => null) : null;
  const plain = file && (await findPlainWave(file));
  if (!file || !plain) return null;
  const { sampleRate, channels, bytesPerSample, dataOffset, dataBytes } = plain;
  const frameBytes = channels * bytesPerSample;
  const at = (seconds: number): number => Math.min(dataBytes, Math.round(seconds * sampleRate) * frameBytes);
  const [from, to] = [at(stretch.startSeconds), at(stretch.endSeconds)];
  await using segment = await open(target, 'w');
  const bytes = Buffer.alloc(Math.max(WAVE_HEADER_BYTES, Math.min(BYTES_AT_ONCE, to - from)));
  let copied = 0;
  await segment.write(waveHeader(plain, to - from));
  while (copied < to - from) {
    const length = Math.min(bytes.length, to - from - copied);
    const { bytesRead } = await file.read(bytes, 0, length, dataOffset + from + copied);
    if (bytesRead === 0) break;
    await segment.write(bytes.subarray(0, bytesRead));
    copied += bytesRead;
  }
  // Only if the recording was shortened in the meantime.
  if (copied < to - from) await segment.write(waveHeader(plain, copied), 0, WAVE_HEADER_BYTES, 0);
  return { seconds: Math.floor(copied / frameBytes) / sampleRate };
}

async function cutByFfmpeg({ path, target, stretch, format, ffmpegPath }: SegmentTask, signal: AbortSignal): Promise<CutSegment> {
  const progress = await writeByFfmpeg(
    {
      path,
      target,
      mode: 0o666,
      ffmpegPath,
      stretch: { startSeconds: rounded(stretch.startSeconds), endSeconds: rounded(stretch.endSeconds) },
      maxBytes: Math.ceil((stretch.endSeconds - stretch.startSeconds + 1) * MAX_BYTES_A_SECOND),
      argsFor: async (source, file) => encoderArguments(format, await bitsOf(file, source)),
      limits,
      urgency: 'waitedFor',
    },
    signal,
  );
  // ffmpeg reports the length repeatedly while it works; the last value is the result.
  const microseconds = [...progress.matchAll(/^out_time_us=(\d+)$/gm)].at(-1)?.[1] ?? 0;
  return { seconds: Number(microseconds) / 1e6 };
}

/** ffmpeg counts in microseconds and cannot parse `1e-7`. */
const rounded = (seconds: number): number => Math.round(seconds * 1e5) / 1e5;

function encoderArguments(format: SegmentFormat, bits: 16 | 24): readonly string[] {
  if (format === 'wav') return ['-c:a', `pcm_s${bits}le`, '-f', 'wav'];
  const depth = bits === 16 ? ['s16'] : ['s32', '-bits_per_raw_sample', '24'];
  return ['-c:a', 'flac', '-sample_fmt', ...depth, '-f', 'flac'];
}

/** The sample width that the recording needs, as far as its header shows; 24 if in doubt. */
async function bitsOf(file: FileHandle, { recording }: Source): Promise<16 | 24> {
  if (USUALLY_LOSSY.has(recording.container)) return 16;
  if (recording.container === 'wav') return (await findPlainWave(file))?.bytesPerSample === 2 ? 16 : 24;
  if (recording.container !== 'flac') return 24;
  // STREAMINFO, RFC 9639 section 8.2: 20 bits of sample rate, 3 of channels, then 5 of bits a sample less one.
  const head = Buffer.alloc(22);
  await file.read(head, 0, head.length, 0);
  const isPlain = head.toString('latin1', 0, 4) === 'fLaC';
  return isPlain && ((head.readUInt16BE(20) >> 4) & 31) + 1 <= 16 ? 16 : 24;
}
