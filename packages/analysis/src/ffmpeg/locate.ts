import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { DecoderError } from './errors.ts';
import { inspectFfmpeg } from './inspect.ts';

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
