/** Which ffmpeg is used: the suitable one that is configured, downloaded (`install.ts`) or on the search path. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { type AcquireErrorCode, CodedError } from '@chiffchaff/acquire';

/** Why no usable ffmpeg could be found or installed. */
export type DecoderErrorCode =
  | AcquireErrorCode
  /** The program at the given path is missing, too old, or built without the soxr resampler. */
  | 'FFMPEG_UNSUITABLE'
  /** There is no prebuilt ffmpeg for this platform. */
  | 'PLATFORM_UNSUPPORTED'
  /** The downloaded program does not run on this machine. */
  | 'BINARY_UNUSABLE';

/** The message says which step failed, why, and what to do. */
export class DecoderError extends CodedError<DecoderErrorCode> {
  override readonly name = 'DecoderError';
}

export interface LocateFfmpegOptions {
  /** `FFMPEG_PATH`: if set, no other is considered. */
  readonly ffmpegPath?: string | undefined;
  /** `PATH`, in the platform's notation. */
  readonly searchPath?: string | undefined;
  /** Contains `ffmpeg/`, the folder for a downloaded one. */
  readonly dataDir: string;
  readonly signal?: AbortSignal | undefined;
}

export interface LocatedFfmpeg {
  /** absolute */
  readonly path: string;
  readonly version: string;
  readonly from: 'configured' | 'search path' | 'fetched';
}

const PROGRAM = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';

/** Path of a downloaded ffmpeg, which is moved there atomically. */
export function fetchedFfmpegPath(dataDir: string): string {
  return resolve(dataDir, 'ffmpeg', PROGRAM);
}

/**
 * Finds a suitable ffmpeg: the configured one, else the downloaded one, else the first on the search path. The downloaded one is linked
 * statically and starts writing after 15 ms, Debian's after 60 or more.
 *
 * @returns null when there is none; {@link installFfmpeg} can download one
 * @throws DecoderError `FFMPEG_UNSUITABLE` when the configured one is unsuitable; another is never used instead
 */
export async function locateFfmpeg(options: LocateFfmpegOptions): Promise<LocatedFfmpeg | null> {
  const { ffmpegPath, searchPath, dataDir, signal } = options;
  if (ffmpegPath !== undefined && ffmpegPath !== '') {
    const path = resolve(ffmpegPath);
    const inspection = await inspectFfmpeg(path, signal);
    if (inspection.suitable) return { path, version: inspection.version, from: 'configured' };
    throw new DecoderError(
      'FFMPEG_UNSUITABLE',
      `Looking for ffmpeg: FFMPEG_PATH names ${ffmpegPath}, but the program there ${inspection.why}. Set it to ffmpeg 5 or later with soxr, or unset it.`,
    );
  }
  const fetched = fetchedFfmpegPath(dataDir);
  for (const path of [fetched, ...onSearchPath(searchPath ?? '')]) {
    if (!(await isProgram(path))) continue;
    const inspection = await inspectFfmpeg(path, signal);
    if (inspection.suitable) return { path, version: inspection.version, from: path === fetched ? 'fetched' : 'search path' };
  }
  return null;
}

const onSearchPath = (searchPath: string): ReadonlySet<string> =>
  new Set(
    searchPath
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => resolve(folder, PROGRAM)),
  );

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Whether a program is a suitable ffmpeg. */
export type FfmpegInspection =
  | { readonly suitable: true; readonly version: string }
  /** `why` completes "the program there". */
  | { readonly suitable: false; readonly why: string };

/** libavutil's major version in ffmpeg 5.0. Builds from a repository have no release number, but they have this. */
const OLDEST_LIBAVUTIL = 57;

/**
 * Runs `ffmpeg -version` once and checks that the build is suitable: version 5 or later, with the soxr resampler (the built-in one lets
 * mirror images of high calls through at −61 dB).
 */
export async function inspectFfmpeg(path: string, signal?: AbortSignal): Promise<FfmpegInspection> {
  const ran = await new Promise<{ error: Error | null; stdout: string }>((resolve) => {
    execFile(
      path,
      ['-hide_banner', '-version'],
      { timeout: 10_000, killSignal: 'SIGKILL', maxBuffer: 1_048_576, ...(signal === undefined ? {} : { signal }) },
      (error, stdout) => resolve({ error, stdout }),
    );
  });
  signal?.throwIfAborted();
  if (ran.error !== null) return { suitable: false, why: `does not run (${firstLine(ran.error.message)})` };
  return readVersion(ran.stdout);
}

/** @param output of `ffmpeg -version` */
export function readVersion(output: string): FfmpegInspection {
  const version = /^ffmpeg version (\S+)/m.exec(output)?.[1];
  const libavutil = /^libavutil\s+(\d+)\./m.exec(output)?.[1];
  if (version === undefined || libavutil === undefined) return { suitable: false, why: 'is not ffmpeg' };
  if (Number(libavutil) < OLDEST_LIBAVUTIL) return { suitable: false, why: `is ffmpeg ${version}; version 5 or later is needed` };
  if (!/--enable-libsoxr\b/.test(output)) {
    return { suitable: false, why: `is ffmpeg ${version} built without the soxr resampler` };
  }
  return { suitable: true, version };
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
