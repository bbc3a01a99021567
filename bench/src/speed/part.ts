import type { Config } from '@chiffchaff/cli';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import type { Row } from '../harness/report.ts';
import type { MakeOptions } from './made-recordings.ts';

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
