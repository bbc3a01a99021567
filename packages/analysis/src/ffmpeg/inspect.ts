import { execFile } from 'node:child_process';

/** What one look at a program says about it. */
export type FfmpegInspection =
  | { readonly suitable: true; readonly version: string }
  /** `why` fits after "the program there". */
  | { readonly suitable: false; readonly why: string };

/** libavutil's major number in ffmpeg 5.0; builds from a repository carry no release number, yet they carry this. */
const OLDEST_LIBAVUTIL = 57;

/**
 * Runs `ffmpeg -version` once and reads from it whether this build will do: version 5 or later, with the soxr resampler (the
 * built-in one lets mirror images of high calls through at −61 dB).
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

/** @param output what `ffmpeg -version` prints */
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
