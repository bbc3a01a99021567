import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { PredictionError } from '../errors.ts';
import { checkLength, mayBeTooLong } from './check-length.ts';
import { describeEnd, reliableSeconds } from './describe-end.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';
import type { Band, FfmpegOutput, Stretch, Urgency } from './ffmpeg-process.ts';
import { type FfmpegRun, runFfmpeg } from './ffmpeg-run.ts';
import { identifyFile, type Source } from './identify-file.ts';
import { checkDescription, checkShape, type DecodeLimits, defaultDecodeLimits } from './limits.ts';
import { readPlainWave } from './read-plain-wave.ts';
import { createRestarts, interruptedWhenShort } from './restarts.ts';
import { createFrameSplitter, readWavHeader, type WavHeader } from './wav-stream.ts';
import { wordFailure } from './word-failure.ts';

export interface DecodeOptions {
  /** an ffmpeg that `locateFfmpeg` found suitable */
  readonly ffmpegPath: string;
  /** Hz of the samples that come out */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
  readonly limits?: Partial<DecodeLimits> | undefined;
  /**
   * Decodes only this part, without reading what is before it where the container can be entered in its middle. Limits of length do
   * not hold then, and the end tells nothing of the recording's.
   */
  readonly stretch?: Stretch | undefined;
  /** Lets only these frequencies through. */
  readonly band?: Band | undefined;
  readonly urgency?: Urgency | undefined;
}

/** A recording whose decoding has begun. Read `samples` to its end, or `stop()`: until then a child process is alive, or the file open. */
export interface DecodedRecording {
  readonly container: string;
  /** ffmpeg's name of the coding */
  readonly codec: string;
  /** Hz, of the recording itself */
  readonly sampleRate: number;
  readonly channels: number;
  /** What the file says, null where it says nothing that can be relied on. */
  readonly statedSeconds: number | null;
  /** How long it will be as far as one can tell, null where one cannot: good enough for a progress bar. */
  readonly expectedSeconds: number | null;
  /**
   * Interleaved finite samples (all channels of one moment, then of the next), in pieces of any length, whole moments only. Each piece
   * is overwritten by the next. Nothing is decoded ahead of the reader but what fits into a pipe. To be read once.
   *
   * @throws PredictionError when the recording turns out too short, too long, too demanding or damaged; `DECODER_FAILED`
   * @throws the signal's reason when it aborts
   */
  readonly samples: AsyncIterable<Float32Array>;
  /** Known after the last piece. */
  readonly end: DecodedEnd | null;
  /** Ends the child process, if there is one, and waits until it is gone. Does no harm twice. */
  stop(): Promise<void>;
}

export interface DecodedEnd {
  readonly durationSeconds: number;
  /** The recording ended before it said it would. */
  readonly truncated: boolean;
  /** How much of the recording is missing, as far as the file tells; 0 where it does not. */
  readonly missingShare: number;
}

const ANY_LENGTH = { minSeconds: 0, maxSeconds: Number.POSITIVE_INFINITY };

/** A decoder that has begun to write samples. */
interface Begun {
  readonly run: FfmpegRun;
  readonly source: Source;
  readonly audio: DescribedAudio;
  readonly statedSeconds: number | null;
  readonly header: WavHeader;
  /** the first samples' bytes */
  readonly rest: Uint8Array;
}

/** A decoder that got so much further (seconds of sound) before it was interrupted again may be started again as often as at first. */
const GOT_ON_SECONDS = 600;

/**
 * Begins to decode a recording: a plain WAV file at the wanted rate in this process (`readPlainWave`), everything else in a child process
 * under limits (`decodeWithFfmpeg`). Both give the same samples and the same end.
 *
 * @throws PredictionError when the file is no recording, holds no sound, or is out of limits; `DECODER_FAILED`, `DECODER_NOT_INSTALLED`
 * @throws the signal's reason when it aborts; the child process is gone by then
 */
export async function decodeRecording(path: string, options: DecodeOptions): Promise<DecodedRecording> {
  const { sampleRate, signal, stretch, band } = options;
  const limits = { ...defaultDecodeLimits, ...options.limits };
  const isWhole = stretch === undefined && band === undefined;
  const plain = isWhole ? await readPlainWave(path, { sampleRate, signal, limits }) : null;
  return plain ?? decodeWithFfmpeg(path, options);
}

/**
 * Identifies a recording by its content and begins to decode it in a child process under limits.
 *
 * The one process first describes what it opened, then writes samples: nothing is started twice, which a short recording would
 * feel. A recording that is cut off is decoded as far as it goes, and its end says so. A decoder that the system ends, or does not
 * let start, is started again and passes over what has been read already.
 *
 * @throws PredictionError when the file is no recording, holds no sound, or is out of limits; `DECODER_FAILED`, `DECODER_NOT_INSTALLED`
 * @throws the signal's reason when it aborts; the child process is gone by then
 */
export async function decodeWithFfmpeg(path: string, options: DecodeOptions): Promise<DecodedRecording> {
  const { signal, stretch } = options;
  const limits = { ...defaultDecodeLimits, ...options.limits, ...(stretch === undefined ? {} : ANY_LENGTH) };
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const restarts = createRestarts(limits.restartDelaysMs, ended);
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
          endedWell = await run.readExit();
        } catch (error) {
          if (bytes - interruptedAt > GOT_ON_SECONDS * bytesASecond) restarts.renew();
          interruptedAt = bytes;
          await restarts.pause(error);
          ({ run, rest } = await begin());
        }
      }
      signal.throwIfAborted();
      const durationSeconds = Math.floor(bytes / (channels * 4)) / sampleRate;
      if (durationSeconds === 0 || run.tookTooLong || run.hasCrashed || run.log.ranOutOfMemory) {
        throw wordFailure(run, source, limits);
      }
      if (durationSeconds < limits.minSeconds) {
        throw new PredictionError('RECORDING_TOO_SHORT', { foundSeconds: durationSeconds, minSeconds: limits.minSeconds });
      }
      decoded.end = describeEnd({ recording, durationSeconds, statedSeconds, ending: fileEnding, endedWell, log: run.log });
    } finally {
      await run.stop();
    }
  }

  const decoded: { -readonly [Key in keyof DecodedRecording]: DecodedRecording[Key] } = {
    container: recording.container,
    codec: audio.codec,
    sampleRate: audio.sampleRate ?? sampleRate,
    channels,
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

/** @throws DecoderInterrupted when it may work another time */
async function beginDecoding(path: string, options: DecodeOptions, limits: DecodeLimits): Promise<Begun> {
  const { ffmpegPath, sampleRate, signal, stretch, band, urgency } = options;
  signal.throwIfAborted();
  // Opening a pipe without a writer would hold us up for ever but for O_NONBLOCK.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(interruptedWhenShort);
  try {
    const source = await identifyFile(file);
    signal.throwIfAborted();
    const { demuxer } = source.recording;
    const start = (output: FfmpegOutput): Promise<FfmpegRun> =>
      runFfmpeg({ ffmpegPath, fileDescriptor: file.fd, path, demuxer, stretch, output, limits, urgency }, signal);
    const run = await start({ kind: 'samples', sampleRate, band });
    try {
      const audio = await run.readDescription();
      const statedSeconds = audio === null ? null : reliableSeconds(source.recording, audio);
      if (audio !== null) {
        checkDescription(audio, statedSeconds, limits);
        if (statedSeconds === null && mayBeTooLong(audio, source.bytes, limits)) {
          await checkLength(await start({ kind: 'count' }), audio, limits);
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
  } finally {
    await file.close();
  }
}

/** Reads until the header is whole; `rest` are the first samples' bytes. Null when the output ends before. */
async function readHeader(run: FfmpegRun): Promise<{ header: WavHeader; rest: Uint8Array } | null> {
  let bytes = Buffer.alloc(0);
  for (let chunk = await run.read(); chunk !== null; chunk = await run.read()) {
    bytes = Buffer.concat([bytes, chunk]);
    const header = readWavHeader(bytes);
    if (header !== null) return { header, rest: bytes.subarray(header.dataOffset) };
  }
  return null;
}
