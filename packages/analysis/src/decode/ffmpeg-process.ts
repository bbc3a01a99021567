import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { DEMUXERS } from '../container/recording-kinds.ts';
import type { DecodeLimits } from './limits.ts';
import { type MendedFile, mendedBytes } from './mend-wave.ts';

export interface StartFfmpegOptions {
  readonly ffmpegPath: string;
  /** Open for reading; ffmpeg inherits it and gets no path (except on Windows, where it cannot). */
  readonly fileDescriptor: number;
  readonly path: string;
  readonly demuxer: string;
  /** What ffmpeg gets in place of the file; null: the file. */
  readonly mended: MendedFile | null;
  /** The audio track to read, from 0; by default the first. */
  readonly track?: number | undefined;
  /** The part of the recording to read; absent: all of it. */
  readonly stretch?: Stretch | undefined;
  readonly output: FfmpegOutput;
  readonly limits: DecodeLimits;
  readonly urgency?: Urgency | undefined;
}

/**
 * Priority on a busy machine. `waitedFor`: a person is waiting for the result on the screen · `analysis`: like the model's threads; the
 * default · `idle`: nobody is waiting
 */
export type Urgency = 'waitedFor' | 'analysis' | 'idle';

/** A part of a recording. */
export interface Stretch {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Of all together, in seconds. */
export const lengthOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

/** Frequencies to keep, in Hz; those beyond are attenuated by 24 dB an octave. Absent: no bound. */
export interface Band {
  readonly minHz?: number | undefined;
  readonly maxHz?: number | undefined;
}

export type FfmpegOutput =
  /** Samples at that rate (Hz), optionally band-limited, on stdout. */
  | { readonly kind: 'samples'; readonly sampleRate: number; readonly band?: Band | undefined }
  /** No audio, only how far ffmpeg has read (`-progress`). */
  | { readonly kind: 'count' }
  /** A file of limited size, encoded as `args` say; progress on stdout. */
  | {
      readonly kind: 'file';
      /** Open for writing; ffmpeg inherits it and gets no path (except on Windows). */
      readonly fileDescriptor: number;
      readonly path: string;
      readonly maxBytes: number;
      readonly args: readonly string[];
    };

export interface ProgramExit {
  /** null when it was killed or could not be started */
  readonly code: number | null;
  /** the signal that killed it */
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
}

const isWindows = process.platform === 'win32';

const NICENESS: Readonly<Record<Urgency, number>> = { waitedFor: 0, analysis: 5, idle: 15 };

/** Functions that kill the running decoders. */
const running = new Set<() => void>();

/**
 * Starts ffmpeg on an open file. Samples are written as WAV of 32-bit floats, with the channels of the recording.
 *
 * ffmpeg gets the one demuxer that fits the file's content, may open only files and pipes, and never prompts. A shell lowers its own limits
 * and then becomes ffmpeg (except on Windows); it receives the arguments as an array and never parses them as shell text.
 */
export async function startFfmpeg(options: StartFfmpegOptions) {
  const { ffmpegPath, fileDescriptor, path, mended, output, limits, urgency = 'analysis' } = options;
  const args = ffmpegArguments(options);
  const [program, programArgs]: [string, string[]] = isWindows
    ? [ffmpegPath, args]
    : [
        '/bin/sh',
        ['-c', LIMITED, 'sh', kibibytes(limits.maxMemoryBytes), cpuSeconds(limits), fileBlocks(output), ffmpegPath, ...args],
      ];
  // None of our environment: it may hold secrets.
  const env = { LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1', MALLOC_ARENA_MAX: '2' };
  const child = spawn(program, programArgs, {
    stdio: [
      mended ? 'pipe' : 'ignore',
      'pipe',
      'pipe',
      fileDescriptor,
      ...(output.kind === 'file' ? [output.fileDescriptor] : []),
    ],
    env,
    ...(isWindows ? {} : { cwd: '/' }),
    windowsHide: true,
  });
  /** Settles when it has exited and its output has been read or discarded. */
  const exit = new Promise<ProgramExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal, error: null }));
  });
  const { stdin, stdout, stderr } = child;
  // When no file descriptors are left, there are no pipes either.
  if (!stdout || !stderr) throw (await exit).error ?? new Error('The decoder was started without pipes.');
  // It may end before it has read all. Should the file become unreadable, the sound is shorter than its header says.
  if (mended && stdin) void pipeline(mendedBytes(path, mended), stdin).catch(() => {});
  if (child.pid !== undefined && !isWindows) lowerProcessPriority(child.pid, NICENESS[urgency]);
  const kill = (): void => void child.kill('SIGKILL');
  running.add(kill);
  void exit.then(() => running.delete(kill));
  return { stdout, stderr, exit, kill, processorUse: () => processorUseOf(child.pid) };
}

/** Processor time that a process has used, to 10 ms, and whether it waits for more; null on a system that does not tell. */
function processorUseOf(pid: number | undefined): { readonly usedMs: number; readonly isRunnable: boolean } | null {
  if (process.platform !== 'linux') return null;
  try {
    // proc(5), after the name in brackets: first the state, eleven further on utime and stime, in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ');
    return { usedMs: 10 * (Number(fields?.[11]) + Number(fields?.[12])), isRunnable: fields?.[0] === 'R' };
  } catch {
    return { usedMs: 0, isRunnable: false };
  }
}

/** Kills all running decoders, for a process that is about to end. */
export function killDecoders(): void {
  for (const kill of running) kill();
}

function lowerProcessPriority(pid: number, niceness: number): void {
  try {
    if (niceness > 0) setPriority(pid, niceness);
  } catch {
    // It has exited already.
  }
}

/**
 * A system that lacks one of these limits (macOS has no `-v`) still applies the others. The soft CPU limit comes first because it sends
 * SIGXCPU, which identifies it, where the hard one sends SIGKILL, which may come from anywhere. With `setpriv` (Linux), a decoder ends with
 * the process that started it.
 */
const LIMITED =
  'ulimit -v "$1" 2>/dev/null || :; ulimit -t "$2" 2>/dev/null || :; ulimit -S -t "$(($2 - 10))" 2>/dev/null || :; ulimit -f "$3" 2>/dev/null || :; ulimit -c 0 2>/dev/null || :; shift 3; setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"; exec "$@"';

const kibibytes = (bytes: number): string => String(Math.floor(bytes / 1024));

/** CPU limit for a decoder that keeps spinning after its parent has ended. */
const cpuSeconds = (limits: DecodeLimits): string => String(Math.ceil(limits.maxWaitMs / 1000) + 20);

/** Largest file that it may write, in the shell's blocks of 512 bytes. */
const fileBlocks = (output: FfmpegOutput): string => String(output.kind === 'file' ? Math.ceil(output.maxBytes / 512) : 0);

const words = (text: string): string[] => text.split(' ');

/** The same input gives the same output on every machine. */
const BITEXACT = words('-fflags +bitexact -flags:a +bitexact');

/** Demuxers of plain samples with an adjustable read size; the small default takes twice as long. */
const SIZED_PACKETS: ReadonlySet<string> = new Set(['wav', 'w64']);
const PACKET_BYTES = 65_536;

function ffmpegArguments({ path, demuxer, mended, track = 0, stretch, output }: StartFfmpegOptions): string[] {
  const part = stretch === undefined ? [] : ['-ss', String(stretch.startSeconds), '-to', String(stretch.endSeconds)];
  return [
    ...words('-nostdin -hide_banner -nostats -loglevel level+info -threads 1 -filter_threads 1'),
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(','), '-f', demuxer],
    ...(SIZED_PACKETS.has(demuxer) ? ['-max_size', String(PACKET_BYTES)] : []),
    ...(mended ? [] : part),
    ...['-i', mended ? 'pipe:0' : isWindows ? `file:${path}` : 'file:/dev/fd/3'],
    // In a pipe, ffmpeg cannot skip what precedes it.
    ...(mended ? part : []),
    ...words(`-map 0:a:${track} -vn -sn -dn -map_metadata -1`),
    ...outputArguments(output),
  ];
}

function outputArguments(output: FfmpegOutput): readonly string[] {
  switch (output.kind) {
    case 'count':
      // Reads the packets without decoding them.
      return words('-c copy -progress pipe:1 -f null -');
    case 'file':
      return [...BITEXACT, ...output.args, ...words('-progress pipe:1 -y'), isWindows ? `file:${output.path}` : 'file:/dev/fd/4'];
    case 'samples':
      // The filter passes samples at this rate through unchanged. Flushing packets would cost a write for each.
      return [
        ...BITEXACT,
        ...['-af', [`aresample=${output.sampleRate}:resampler=soxr`, ...bandFilters(output.band)].join(',')],
        ...words('-c:a pcm_f32le -f wav -flush_packets 0 pipe:1'),
      ];
  }
}

/** Q of the two stages that make up a fourth-order Butterworth filter. */
const STAGE_QUALITIES = [0.5412, 1.3066];

const bandFilters = ({ minHz, maxHz }: Band = {}): string[] =>
  STAGE_QUALITIES.flatMap((quality) => [
    ...(minHz === undefined ? [] : [`highpass=f=${minHz}:t=q:w=${quality}:r=f32`]),
    ...(maxHz === undefined ? [] : [`lowpass=f=${maxHz}:t=q:w=${quality}:r=f32`]),
  ]);
