import type { StartFfmpegOptions } from './ffmpeg-process.ts';
import { type FfmpegRun, runFfmpeg } from './ffmpeg-run.ts';
import type { Source } from './identify-file.ts';
import { createFrameSplitter, readWavHeader, type WavHeader } from './wav-stream.ts';

/** −80 dB of full scale: quieter than any microphone. */
const LEAST_SAMPLE = 1e-4;
const SAMPLE_RATE = 48_000;
/** A track that ends before this, and before half of what the file states, is not the recording. */
const LONG_SECONDS = 10;
/** A file may claim to have any number. */
const MOST_TRACKS = 4;

type RunOptions = Omit<StartFfmpegOptions, 'demuxer' | 'mended' | 'track'>;

/**
 * Runs ffmpeg on a recording. Of several audio tracks, it reads the first that can be decoded, is not silent and not much shorter than
 * the file; if there is none, the first that is not silent, or else that can be decoded.
 *
 * @throws as `runFfmpeg`
 */
export async function runOnSound({ recording, mended }: Source, given: RunOptions, signal: AbortSignal): Promise<FfmpegRun> {
  const options = { ...given, demuxer: recording.demuxer, mended };
  const run = await runFfmpeg(options, signal);
  await run.readDescription();
  const tracks = Math.min(run.log.tracks, MOST_TRACKS);
  if (tracks < 2) return run;
  await run.stop();
  const worths: number[] = [];
  while (worths.length < tracks && worths.at(-1) !== 3) worths.push(await worthOf(worths.length));
  return runFfmpeg({ ...options, track: worths.indexOf(Math.max(...worths)) }, signal);

  /** 0 for a track that cannot be decoded, 1 for silence, 2 for too short a sound, 3 for the recording. */
  async function worthOf(track: number): Promise<0 | 1 | 2 | 3> {
    const output = { kind: 'samples', sampleRate: SAMPLE_RATE } as const;
    await using listening = await runFfmpeg({ ...options, track, output, stretch: undefined }, signal);
    const begun = await readHeader(listening);
    const channels = begun?.header.channels ?? 1;
    const frames = createFrameSplitter(channels);
    const leastSeconds = Math.min(LONG_SECONDS, (listening.log.audio?.statedSeconds ?? 0) / 2);
    let samples = 0;
    let isHeard = false;
    for (let bytes = begun?.rest ?? null; bytes !== null; bytes = await listening.read()) {
      const piece = frames.push(bytes);
      samples += piece.length;
      isHeard ||= piece.some((sample) => Math.abs(sample) > LEAST_SAMPLE);
      if (isHeard && samples >= leastSeconds * SAMPLE_RATE * channels) return 3;
    }
    await listening.readExit();
    if (isHeard) return 2;
    return begun === null ? 0 : 1;
  }
}

/** Reads until the header is complete; `rest` are the bytes of the first samples. Null when the output ends before that. */
export async function readHeader(run: FfmpegRun): Promise<{ header: WavHeader; rest: Uint8Array } | null> {
  let bytes = Buffer.alloc(0);
  for (let chunk = await run.read(); chunk !== null; chunk = await run.read()) {
    bytes = Buffer.concat([bytes, chunk]);
    const header = readWavHeader(bytes);
    if (header !== null) return { header, rest: bytes.subarray(header.dataOffset) };
  }
  return null;
}
