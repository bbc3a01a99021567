import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { DEMUXERS } from '../container/recording-kinds.ts';
import type { DecodeLimits } from './limits.ts';

export interface StartFfmpegOptions {
  readonly ffmpegPath: string;
  /** Open for reading; ffmpeg is handed this file and no path (but for Windows, which cannot do that). */
  readonly fileDescriptor: number;
  readonly path: string;
  readonly demuxer: string;
  /** Hz of the samples that come out; null for none, only a count of how far ffmpeg has read (`-progress`). */
  readonly sampleRate: number | null;
  readonly limits: DecodeLimits;
}

export interface FfmpegProcess {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

const isWindows = process.platform === 'win32';

/**
 * Starts ffmpeg on an open file; WAV of 32-bit floats at `sampleRate` comes out, with the channels of the recording.
 *
 * ffmpeg gets the one demuxer that the file's content asks for, may open nothing but files, and asks nobody. A shell lowers the
 * limits of its own process and then becomes ffmpeg; the arguments reach it as an array and are never read as shell text.
 */
export function startFfmpeg(options: StartFfmpegOptions): FfmpegProcess {
  const { ffmpegPath, fileDescriptor, limits } = options;
  const args = ffmpegArguments(options);
  const [program, programArgs]: [string, string[]] = isWindows
    ? [ffmpegPath, args]
    : ['/bin/sh', ['-c', LIMITED, 'sh', kibibytes(limits.maxMemoryBytes), cpuSeconds(limits), ffmpegPath, ...args]];
  const child = spawn(program, programArgs, {
    stdio: ['ignore', 'pipe', 'pipe', fileDescriptor],
    // Nothing of ours is for its eyes.
    env: { LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1', MALLOC_ARENA_MAX: '2' },
    ...(isWindows ? {} : { cwd: '/' }),
    windowsHide: true,
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The decoder was started without pipes.');
  return { child, stdout, stderr };
}

/** Where a system does not know a limit (macOS has no `-v`), the others still hold. */
const LIMITED =
  'ulimit -v "$1" 2>/dev/null || :; ulimit -t "$2" 2>/dev/null || :; ulimit -f 0 2>/dev/null || :; ulimit -c 0 2>/dev/null || :; shift 2; exec "$@"';

const kibibytes = (bytes: number): string => String(Math.floor(bytes / 1024));

/** Ends a decoder that spins after its parent is gone. */
const cpuSeconds = (limits: DecodeLimits): string => String(Math.ceil(limits.maxWaitMs / 1000) + 10);

function ffmpegArguments({ path, demuxer, sampleRate }: StartFfmpegOptions): string[] {
  return [
    '-nostdin',
    '-hide_banner',
    '-nostats',
    '-loglevel',
    'level+info',
    '-threads',
    '1',
    '-filter_threads',
    '1',
    '-protocol_whitelist',
    'file,pipe',
    '-format_whitelist',
    DEMUXERS.join(','),
    '-f',
    demuxer,
    '-i',
    isWindows ? `file:${path}` : 'file:/dev/fd/3',
    '-map',
    '0:a:0',
    '-vn',
    '-sn',
    '-dn',
    '-map_metadata',
    '-1',
    ...(sampleRate === null ? COUNT_ONLY : samplesAt(sampleRate)),
  ];
}

/** Walks through the packets without decoding them, and says how far it is. */
const COUNT_ONLY: readonly string[] = ['-c', 'copy', '-progress', 'pipe:1', '-f', 'null', '-'];

function samplesAt(sampleRate: number): readonly string[] {
  return [
    '-fflags',
    '+bitexact',
    '-flags:a',
    '+bitexact',
    // Leaves samples alone that are at this rate already.
    '-af',
    `aresample=${sampleRate}:resampler=soxr`,
    '-c:a',
    'pcm_f32le',
    // Otherwise every packet of the recording is a write of its own.
    '-flush_packets',
    '0',
    '-f',
    'wav',
    'pipe:1',
  ];
}
