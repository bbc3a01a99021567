import { downmix } from '@chiffchaff/recognizer';
import { WAVE_HEADER_BYTES, waveHeader } from '@chiffchaff/recognizer/audio';
import { decodeRecording } from '../decode/decode-recording.ts';
import type { Stretch } from '../decode/ffmpeg-process.ts';

/** The inputs of a clip. */
export interface ClipTask {
  /** the audio */
  readonly path: string;
  /** of the audio */
  readonly stretch: Stretch;
  /** path found by `locateFfmpeg` */
  readonly ffmpegPath: string;
}

/** HTTP content type of the output of `cutClip`. */
export const CLIP_MEDIA_TYPE = 'audio/wav';

/** Hz; covers nearly all bird song, with a third less data than the usual rate. */
const SAMPLE_RATE = 32_000;
const BYTES_A_SAMPLE = 2;

/**
 * Cuts a few seconds of audio into a new file that is safe to share: a header written here and samples (one channel, 16 bits), so that
 * nothing else from the recording's file comes along: no tag, name, place, date or program. Every browser plays WAV.
 *
 * @returns the file; shorter than the stretch if the audio ends earlier
 * @throws PredictionError when the audio cannot be read, `DECODER_NOT_INSTALLED`, `DECODER_FAILED`
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function cutClip({ path, stretch, ffmpegPath }: ClipTask, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const most = Math.round((stretch.endSeconds - stretch.startSeconds) * SAMPLE_RATE);
  const file = Buffer.alloc(WAVE_HEADER_BYTES + most * BYTES_A_SAMPLE);
  const decoded = await decodeRecording(path, {
    ffmpegPath,
    sampleRate: SAMPLE_RATE,
    signal,
    stretch,
    urgency: 'waitedFor',
  });
  let filled = 0;
  try {
    for await (const piece of downmix(decoded.samples, decoded.channels)) {
      for (const sample of piece.subarray(0, most - filled)) {
        file.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), WAVE_HEADER_BYTES + filled * BYTES_A_SAMPLE);
        filled += 1;
      }
    }
  } finally {
    await decoded.stop();
  }
  const dataBytes = filled * BYTES_A_SAMPLE;
  file.set(waveHeader({ sampleRate: SAMPLE_RATE, channels: 1, bytesPerSample: BYTES_A_SAMPLE }, dataBytes));
  return new Uint8Array(file.buffer, file.byteOffset, WAVE_HEADER_BYTES + dataBytes);
}
