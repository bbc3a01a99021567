import { join } from 'node:path';
import type { Config } from '@chiffchaff/cli';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { ffmpeg } from '../harness/make-recording.ts';
import type { Row } from '../harness/report.ts';

/** What each part of `npm run bench` measures with. */
export interface Bench {
  readonly config: Config;
  readonly model: ModelFolder;
  /** Milliseconds for each of a number of clips of noise, with a number of workers that are warmed up and stay open. */
  readonly msPerClip: (workers: number, clips: number) => Promise<number>;
  /** seconds of a clip */
  readonly clipSeconds: number;
  readonly make: MakeOptions;
  readonly isQuick: boolean;
  readonly runs: number;
  readonly clips: number;
  /** an hour, or five minutes with `--quick` */
  readonly hourSeconds: number;
  readonly python: string;
  readonly signal: AbortSignal;
  readonly step: (doing: string) => void;
}

/** @throws Error with the reason why it cannot be measured here */
export type Measure = (bench: Bench) => Promise<readonly Row[]>;

export const timesRealTime = (audioSeconds: number, seconds: number): string =>
  `${(audioSeconds / seconds).toFixed(0)} × real time`;

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
