import type { StartFfmpegOptions } from './ffmpeg-process.ts';
import { type FfmpegRun, runFfmpeg } from './ffmpeg-run.ts';
import type { Source } from './identify-file.ts';
import { createFrameSplitter, readWavHeader, type WavHeader } from './wav-stream.ts';

/** −80 dB of full scale: quieter than any microphone. */
const LEAST_SAMPLE = 1e-4;
const SAMPLE_RATE = 48_000;
/** A file may claim to have any number. */
const MOST_TRACKS = 4;

type RunOptions = Omit<StartFfmpegOptions, 'demuxer' | 'mended' | 'track'>;

/**
 * Runs ffmpeg on a recording. Of several audio tracks, it reads the first that can be decoded and is not silent; if all are silent, the
 * first that can be decoded.
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
  const heard: (boolean | null)[] = [];
  while (heard.length < tracks && heard.at(-1) !== true) heard.push(await hasSound(heard.length));
  return runFfmpeg({ ...options, track: Math.max(0, heard.includes(true) ? heard.indexOf(true) : heard.indexOf(false)) }, signal);

  /** Null for a track that cannot be decoded. */
  async function hasSound(track: number): Promise<boolean | null> {
    const output = { kind: 'samples', sampleRate: SAMPLE_RATE } as const;
    await using listening = await runFfmpeg({ ...options, track, output, stretch: undefined }, signal);
    const begun = await readHeader(listening);
    const frames = createFrameSplitter(begun?.header.channels ?? 1);
    for (let bytes = begun?.rest ?? null; bytes !== null; bytes = await listening.read())
      if (frames.push(bytes).some((sample) => Math.abs(sample) > LEAST_SAMPLE)) return true;
    await listening.readExit();
    return begun === null ? null : false;
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
