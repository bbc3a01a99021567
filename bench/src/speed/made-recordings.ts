import { join } from 'node:path';
import { ffmpeg } from '../harness/make-recording.ts';

export interface MakeOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
}

export type MadeFormat = 'wav' | 'flac' | 'mp3' | 'm4a' | 'opus';
const CODECS: Record<MadeFormat, readonly string[]> = {
  wav: ['-c:a', 'pcm_s16le'],
  flac: ['-c:a', 'flac'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
  m4a: ['-c:a', 'aac', '-b:a', '96k'],
  opus: ['-c:a', 'libopus', '-b:a', '96k'],
};

/** Intermittent whistles over faint noise, so that every clip contains a sound; the same on every machine. */
const CHIRPS = 'aevalsrc=0.2*sin(2*PI*(4000*t+150*sin(2*PI*6*t)))*gt(sin(2*PI*0.9*t)\\,0)+0.01*(random(0)-0.5):s=48000:d=20';

/** Makes a mono recording of a given length. A long one repeats a shorter one without re-encoding, so that it takes only seconds. */
export async function makeRecording(
  { seconds, sampleRate, format }: { seconds: number; sampleRate: number; format: MadeFormat },
  { folder, signal }: MakeOptions,
): Promise<string> {
  const name = `${seconds}s-${sampleRate}.${format}`;
  const made = join(folder, name);
  const loopSeconds = Math.min(seconds, 60);
  const loop = join(folder, `loop-${name}`);
  const master = join(folder, 'master.wav');
  await ffmpeg(['-f', 'lavfi', '-i', CHIRPS, ...CODECS.wav, master], { signal });
  await ffmpeg(['-stream_loop', '-1', '-i', master, '-t', `${loopSeconds}`, '-ar', `${sampleRate}`, ...CODECS[format], loop], {
    signal,
  });
  await ffmpeg(['-stream_loop', '-1', '-i', loop, '-t', `${seconds}`, '-c', 'copy', made], { signal });
  return made;
}
