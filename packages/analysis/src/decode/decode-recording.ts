import { PredictionError } from '../errors.ts';
import { checkLength, mayBeTooLong } from './check-length.ts';
import type { DecodedRecording } from './decoded-recording.ts';
import { createDecoderRestarts, interruptedWhenShort } from './decoder-restarts.ts';
import { describeEnd, reliableSeconds } from './describe-end.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';
import type { Band, FfmpegOutput, Stretch, Urgency } from './ffmpeg-process.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import { identifyFile, type Source } from './identify-file.ts';
import { checkDescription, checkShape, type DecodeLimits, defaultDecodeLimits } from './limits.ts';
import { openRecording } from './open-recording.ts';
import { readPlainWave } from './read-plain-wave.ts';
import { readHeader, runOnSound } from './run-on-sound.ts';
import { createFrameSplitter, type WavHeader } from './wav-stream.ts';
import { wordFailure } from './word-failure.ts';

export interface DecodeOptions {
  /** path found by `locateFfmpeg` */
  readonly ffmpegPath: string;
  /** Hz of the decoded samples */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
  readonly limits?: Partial<DecodeLimits> | undefined;
  /**
   * Decodes only this part, without reading what precedes it if the container is seekable. Length limits do not apply then, and the end
   * does not describe the whole recording.
   */
  readonly stretch?: Stretch | undefined;
  /** Limits the frequencies. */
  readonly band?: Band | undefined;
  readonly urgency?: Urgency | undefined;
}

const ANY_LENGTH = { minSeconds: 0, maxSeconds: Number.POSITIVE_INFINITY };

/** A decoder that has started to write samples. */
interface Begun {
  readonly run: FfmpegRun;
  readonly source: Source;
  readonly audio: DescribedAudio;
  readonly statedSeconds: number | null;
  readonly header: WavHeader;
  /** bytes of the first samples */
  readonly rest: Uint8Array;
}

/** Seconds of audio: a decoder that got this much further before its next interruption has all its restarts again. */
const PROGRESS_SECONDS = 600;

/**
 * Starts to decode a recording: a plain WAV file at the wanted rate in this process (`readPlainWave`), everything else in a child process
 * under limits (`decodeWithFfmpeg`). Both give the same samples and the same end.
 *
 * @throws PredictionError when the file is no recording, has no audio, or is out of limits; `DECODER_FAILED`, `DECODER_NOT_INSTALLED`
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function decodeRecording(path: string, options: DecodeOptions): Promise<DecodedRecording> {
  const { sampleRate, signal, stretch, band } = options;
  const limits = { ...defaultDecodeLimits, ...options.limits };
  const isWhole = stretch === undefined && band === undefined;
  const plain = isWhole ? await readPlainWave(path, { sampleRate, signal, limits }) : null;
  return plain ?? decodeWithFfmpeg(path, options);
}

/**
 * Identifies a recording by its content and starts to decode it in a child process under limits.
 *
 * One process describes the input and then writes the samples, because starting two would slow down short recordings; only a recording that
 * may be too long gets a second one, which counts its packets. A truncated recording is decoded as far as it goes, and its end says so. A
 * decoder that the system ends or stops, or cannot start, is restarted and skips what has been read already.
 *
 * @throws PredictionError when the file is no recording, has no audio, or is out of limits; `DECODER_FAILED`, `DECODER_NOT_INSTALLED`
 * @throws the signal's reason when it aborts; the child process has exited by then
 */
export async function decodeWithFfmpeg(path: string, options: DecodeOptions): Promise<DecodedRecording> {
  const { signal, stretch } = options;
  const limits = { ...defaultDecodeLimits, ...options.limits, ...(stretch === undefined ? {} : ANY_LENGTH) };
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const restarts = createDecoderRestarts(limits.restartDelaysMs, ended);
  const begin = (): Promise<Begun> => restarts.repeat(() => beginDecoding(path, { ...options, signal: ended }, limits));
  const { source, audio, statedSeconds, header, ...first } = await begin();
  let { run } = first;
  const { recording, ending: fileEnding } = source;
  const { channels, sampleRate } = header;

  async function* readSamples(): AsyncGenerator<Float32Array> {
    let { rest } = first;
    try {
      const frames = createFrameSplitter(channels);
      const bytesASecond = sampleRate * channels * 4;
      let bytes = 0;
      let interruptedAt = 0;
      let endedWell: boolean | null = null;
      while (endedWell === null) {
        let known = bytes;
        for (let chunk: Uint8Array | null = rest; chunk !== null; chunk = await run.read()) {
          const passed = Math.min(known, chunk.length);
          known -= passed;
          bytes += chunk.length - passed;
          if (bytes > limits.maxSeconds * bytesASecond) {
            throw new PredictionError('RECORDING_TOO_LONG', { foundSeconds: null, maxSeconds: limits.maxSeconds });
          }
          const samples = frames.push(chunk.subarray(passed));
          if (samples.length > 0) yield samples;
        }
        try {
          const hasEndedWell = await run.readExit();
          if (run.tookTooLong || run.hasCrashed || run.log.ranOutOfMemory) throw wordFailure(run, source, limits);
          endedWell = hasEndedWell;
        } catch (error) {
          if (bytes - interruptedAt > PROGRESS_SECONDS * bytesASecond) restarts.renew();
          interruptedAt = bytes;
          await restarts.pause(error);
          ({ run, rest } = await begin());
        }
      }
      signal.throwIfAborted();
      const durationSeconds = Math.floor(bytes / (channels * 4)) / sampleRate;
      if (durationSeconds === 0) throw wordFailure(run, source, limits);
      if (durationSeconds < limits.minSeconds) {
        throw new PredictionError('RECORDING_TOO_SHORT', { foundSeconds: durationSeconds, minSeconds: limits.minSeconds });
      }
      decoded.end = describeEnd({ recording, durationSeconds, audio, ending: fileEnding, endedWell, log: run.log });
    } finally {
      await run.stop();
    }
  }

  const decoded: { -readonly [Key in keyof DecodedRecording]: DecodedRecording[Key] } = {
    container: recording.container,
    codec: audio.codec,
    sampleRate: audio.sampleRate ?? sampleRate,
    channels,
    tracks: first.run.log.tracks,
    statedSeconds,
    expectedSeconds: audio.statedSeconds,
    samples: readSamples(),
    end: null,
    async stop() {
      ending.abort();
      await run.stop();
    },
  };
  return decoded;
}

/** @throws DecoderInterrupted when a retry may succeed */
async function beginDecoding(path: string, options: DecodeOptions, limits: DecodeLimits): Promise<Begun> {
  const { ffmpegPath, sampleRate, signal, stretch, band, urgency } = options;
  signal.throwIfAborted();
  await using file = await openRecording(path).catch(interruptedWhenShort);
  const source = await identifyFile(file);
  signal.throwIfAborted();
  const start = (output: FfmpegOutput): Promise<FfmpegRun> =>
    runOnSound(source, { ffmpegPath, fileDescriptor: file.fd, path, stretch, output, limits, urgency }, signal);
  const run = await start({ kind: 'samples', sampleRate, band });
  try {
    const audio = await run.readDescription();
    const statedSeconds = audio === null ? null : reliableSeconds(source.recording, audio);
    if (audio !== null) {
      checkDescription(audio, statedSeconds, limits);
      if (statedSeconds === null && mayBeTooLong(audio, source.bytes, limits)) {
        await using count = await start({ kind: 'count' });
        await checkLength(count, audio, limits);
      }
    }
    const begun = await readHeader(run);
    if (audio === null || begun === null) {
      await run.readExit();
      throw wordFailure(run, source, limits);
    }
    checkShape(begun.header.channels, limits);
    return { run, source, audio, statedSeconds, ...begun };
  } catch (error) {
    await run.stop();
    signal.throwIfAborted();
    throw error;
  }
}
