import { execFile } from 'node:child_process';

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
