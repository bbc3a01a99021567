import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { DEMUXERS } from '../container/recording-kinds.ts';
import type { DecodeLimits } from './limits.ts';

export interface StartFfmpegOptions {
  readonly ffmpegPath: string;
  /** Open for reading; ffmpeg is handed this file and no path (but for Windows, which cannot do that). */
  readonly fileDescriptor: number;
  readonly path: string;
  readonly demuxer: string;
  /** The part of the recording that is read; all of it when absent. */
  readonly stretch?: Stretch | undefined;
  readonly output: FfmpegOutput;
  readonly limits: DecodeLimits;
  readonly urgency?: Urgency | undefined;
}

/**
 * Who goes first on a busy machine. `waitedFor`: a person looks at an empty place on the screen · `analysis`: as the threads of the model;
 * what holds when nothing is said · `idle`: nothing waits for it
 */
export type Urgency = 'waitedFor' | 'analysis' | 'idle';

/** A part of a recording. */
export interface Stretch {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** What is let through, in Hz: what is beyond is weakened by 24 dB an octave. Absent: no bound. */
export interface Band {
  readonly minHz?: number | undefined;
  readonly maxHz?: number | undefined;
}

export type FfmpegOutput =
  /** Samples at that rate (Hz), of a band of frequencies or of all, on stdout. */
  | { readonly kind: 'samples'; readonly sampleRate: number; readonly band?: Band | undefined }
  /** No sound, only how far ffmpeg has read (`-progress`). */
  | { readonly kind: 'count' }
  /** A file of at most so many bytes, written as `args` say; on stdout, how far it is. */
  | {
      readonly kind: 'file';
      /** Open for writing; ffmpeg is handed this file and no path (but for Windows). */
      readonly fileDescriptor: number;
      readonly path: string;
      readonly maxBytes: number;
      readonly args: readonly string[];
    };

export interface ProgramExit {
  /** null when it was killed or could not be started */
  readonly code: number | null;
  /** what killed it */
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
}

const isWindows = process.platform === 'win32';

const NICENESS: Readonly<Record<Urgency, number>> = { waitedFor: 0, analysis: 5, idle: 15 };

/** How each that is at work is ended. */
const running = new Set<() => void>();

/**
 * Starts ffmpeg on an open file. Samples come out as WAV of 32-bit floats, with the channels of the recording.
 *
 * ffmpeg gets the one demuxer that the file's content asks for, may open nothing but files, and asks nobody. A shell lowers the
 * limits of its own process and then becomes ffmpeg; the arguments reach it as an array and are never read as shell text.
 */
export async function startFfmpeg(options: StartFfmpegOptions) {
  const { ffmpegPath, fileDescriptor, output, limits, urgency = 'analysis' } = options;
  const args = ffmpegArguments(options);
  const [program, programArgs]: [string, string[]] = isWindows
    ? [ffmpegPath, args]
    : [
        '/bin/sh',
        ['-c', LIMITED, 'sh', kibibytes(limits.maxMemoryBytes), cpuSeconds(limits), fileBlocks(output), ffmpegPath, ...args],
      ];
  // Nothing of ours is for its eyes.
  const env = { LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1', MALLOC_ARENA_MAX: '2' };
  const child = spawn(program, programArgs, {
    stdio: ['ignore', 'pipe', 'pipe', fileDescriptor, ...(output.kind === 'file' ? [output.fileDescriptor] : [])],
    env,
    ...(isWindows ? {} : { cwd: '/' }),
    windowsHide: true,
  });
  /** Settles when it is gone and all it wrote has been read, or thrown away. */
  const exit = new Promise<ProgramExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal, error: null }));
  });
  const { stdout, stderr } = child;
  // Where there are no descriptors left there are no pipes either.
  if (!stdout || !stderr) throw (await exit).error ?? new Error('The decoder was started without pipes.');
  if (child.pid !== undefined && !isWindows) lowerPriority(child.pid, NICENESS[urgency]);
  const kill = (): void => void child.kill('SIGKILL');
  running.add(kill);
  void exit.then(() => running.delete(kill));
  return { stdout, stderr, exit, kill };
}

/** Ends all that are at work, for a process that ends. */
export function killDecoders(): void {
  for (const kill of running) kill();
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    if (niceness > 0) setPriority(pid, niceness);
  } catch {
    // It has ended already.
  }
}

/**
 * Where a system does not know a limit (macOS has no `-v`), the others still hold. The soft limit of time comes first: it ends a program
 * with a signal of its own (SIGXCPU), the hard one with the SIGKILL that anything may have sent. Where there is `setpriv` (Linux), a decoder ends
 * with the process that started it.
 */
const LIMITED =
  'ulimit -v "$1" 2>/dev/null || :; ulimit -t "$2" 2>/dev/null || :; ulimit -S -t "$(($2 - 10))" 2>/dev/null || :; ulimit -f "$3" 2>/dev/null || :; ulimit -c 0 2>/dev/null || :; shift 3; setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"; exec "$@"';

const kibibytes = (bytes: number): string => String(Math.floor(bytes / 1024));

/** Ends a decoder that spins after its parent is gone. */
const cpuSeconds = (limits: DecodeLimits): string => String(Math.ceil(limits.maxWaitMs / 1000) + 20);

/** What it may write to a file, in the shell's blocks of 512 bytes. */
const fileBlocks = (output: FfmpegOutput): string => String(output.kind === 'file' ? Math.ceil(output.maxBytes / 512) : 0);

const words = (text: string): string[] => text.split(' ');

/** The same output for the same input, on every machine. */
const BITEXACT = words('-fflags +bitexact -flags:a +bitexact');

/** Demuxers that can be told how much of plain samples they read at once; left alone it is little, and takes twice as long. */
const SIZED_PACKETS: ReadonlySet<string> = new Set(['wav', 'w64']);
const PACKET_BYTES = 65_536;

function ffmpegArguments({ path, demuxer, stretch, output }: StartFfmpegOptions): string[] {
  return [
    ...words('-nostdin -hide_banner -nostats -loglevel level+info -threads 1 -filter_threads 1'),
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(','), '-f', demuxer],
    ...(SIZED_PACKETS.has(demuxer) ? ['-max_size', String(PACKET_BYTES)] : []),
    ...(stretch === undefined ? [] : ['-ss', String(stretch.startSeconds), '-to', String(stretch.endSeconds)]),
    ...['-i', isWindows ? `file:${path}` : 'file:/dev/fd/3'],
    ...words('-map 0:a:0 -vn -sn -dn -map_metadata -1'),
    ...outputArguments(output),
  ];
}

function outputArguments(output: FfmpegOutput): readonly string[] {
  switch (output.kind) {
    case 'count':
      // Walks through the packets without decoding them.
      return words('-c copy -progress pipe:1 -f null -');
    case 'file':
      return [...BITEXACT, ...output.args, ...words('-progress pipe:1 -y'), isWindows ? `file:${output.path}` : 'file:/dev/fd/4'];
    case 'samples':
      // The filter leaves samples alone that are at this rate already. Flushed packets would be a write each.
      return [
        ...BITEXACT,
        ...['-af', [`aresample=${output.sampleRate}:resampler=soxr`, ...bandFilters(output.band)].join(',')],
        ...words('-c:a pcm_f32le -f wav -flush_packets 0 pipe:1'),
      ];
  }
}

/** Of the two stages that make a Butterworth filter of the fourth order. */
const STAGE_QUALITIES = [0.5412, 1.3066];

const bandFilters = ({ minHz, maxHz }: Band = {}): string[] =>
  STAGE_QUALITIES.flatMap((quality) => [
    ...(minHz === undefined ? [] : [`highpass=f=${minHz}:t=q:w=${quality}:r=f32`]),
    ...(maxHz === undefined ? [] : [`lowpass=f=${maxHz}:t=q:w=${quality}:r=f32`]),
  ]);
