/** Downloads the ffmpeg that `locate.ts` finds; set-up calls it. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AcquireError,
  type AcquireErrorCode,
  installAtomically,
  obtainFile,
  openZip,
  putInPlace,
  type Source,
  writeDurably,
} from '@chiffchaff/acquire';
import {
  DecoderError,
  fetchedFfmpegPath,
  inspectFfmpeg,
  type LocatedFfmpeg,
  type LocateFfmpegOptions,
  locateFfmpeg,
} from './locate.ts';

export interface InstallFfmpegOptions {
  readonly dataDir: string;
  /** Called before each step that takes time. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: those for this platform. */
  readonly sources?: readonly Source[] | undefined;
}

const wheel = (platform: string, sha256: string): Source => ({
  kind: 'wheel',
  requirement: 'imageio-ffmpeg==0.8.1',
  platform,
  sha256,
});

/**
 * Sources of a prebuilt ffmpeg, by `process.platform` and `process.arch`: the Python package imageio-ffmpeg has one static build for each
 * platform. ffmpeg is GPL; it runs as a separate process, never linked and never shipped by this project.
 *
 * This project is tested with the Linux x64 file; the hashes of the others are those of the Python package index.
 */
const ffmpegSources: Readonly<Record<string, readonly Source[]>> = {
  'linux-x64': [wheel('manylinux_2_28_x86_64', '050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda')],
  'linux-arm64': [wheel('manylinux_2_28_aarch64', 'fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e')],
  'darwin-arm64': [wheel('macosx_12_0_arm64', '5636d691e36e5274b13fe38182b1f627b2e35dcecc63944012c2470f9484fc45')],
  'darwin-x64': [wheel('macosx_10_13_x86_64', '9538a10e598257263b5de1a1c1b86e7603417bc219245b1e279b452e5e48cc20')],
  'win32-x64': [wheel('win_amd64', 'f27ca4cb85e2d4946deedbce1a81245dfd942a2bcf94b53676fb3956aa95bf1b')],
};

/** The program inside the wheel. */
const ffmpegMember = /^imageio_ffmpeg\/binaries\/ffmpeg-[^/]+$/;
/** Far above any build; a member that claims more is not unpacked. */
const MAX_PROGRAM_BYTES = 400_000_000;

const BY_HAND = 'install ffmpeg 5 or later with soxr yourself (from your system’s packages, or set FFMPEG_PATH) and start again.';

const steps: Readonly<Record<AcquireErrorCode, readonly [step: string, remedy: string]>> = {
  SOURCE_UNAVAILABLE: [
    'Fetching ffmpeg',
    `Install Python with pip and check that this machine reaches the Python package index, or ${BY_HAND}`,
  ],
  SOURCE_UNREADABLE: ['Unpacking ffmpeg', `Try again, or ${BY_HAND}`],
  CHECKSUM_MISMATCH: ['Checking the downloaded ffmpeg', `It was discarded. Try again, or ${BY_HAND}`],
  DISK_FULL: ['Fetching ffmpeg', 'Make 300 MB free there and start again.'],
  FOLDER_NOT_WRITABLE: ['Fetching ffmpeg', 'Give this user write access, or set DATA_DIR to a writable folder.'],
  INSTALL_IN_PROGRESS: ['Fetching ffmpeg', 'Wait for it to finish and start again.'],
};

/**
 * Downloads ffmpeg into `<dataDir>/ffmpeg/`: unpacks the program into a temporary folder, checks its version, and moves it into place
 * atomically. Needs no root. Safe to run in several processes at once.
 *
 * @throws DecoderError whose message names the step, why it failed and what to do
 * @throws the signal's reason when it aborts; leaves no partial files
 */
export async function installFfmpeg({ dataDir, onStep, signal, sources }: InstallFfmpegOptions): Promise<LocatedFfmpeg> {
  const machine = `${process.platform}-${process.arch}`;
  const from = sources ?? ffmpegSources[machine];
  if (from === undefined) {
    throw new DecoderError('PLATFORM_UNSUPPORTED', `Downloading ffmpeg: there is no build for ${machine}. Please ${BY_HAND}`);
  }
  const target = fetchedFfmpegPath(dataDir);
  try {
    let waited = false;
    const onWait = (): void => {
      waited = true;
    };
    return await installAtomically(target, { signal, onWait }, async (aside) => {
      const installed = waited ? await locateFfmpeg({ dataDir, signal }) : null;
      if (installed !== null) return installed;
      onStep?.('Downloading ffmpeg (once, 68 MB)');
      const wheel = await obtainFile(from, { folder: aside, signal });
      onStep?.('Unpacking ffmpeg');
      const program = join(aside, 'program');
      await unpackProgram(wheel, program, signal);
      await chmod(program, 0o755);
      const inspection = await inspectFfmpeg(program, signal);
      if (!inspection.suitable) {
        throw new DecoderError('BINARY_UNUSABLE', `Testing the downloaded ffmpeg: it ${inspection.why}. Please ${BY_HAND}`);
      }
      await putInPlace(program, target);
      return { path: target, version: inspection.version, from: 'fetched' };
    });
  } catch (error) {
    if (!(error instanceof AcquireError)) throw error;
    const [step, remedy] = steps[error.code];
    throw new DecoderError(error.code, `${step}: ${error.message}. ${remedy}`, { cause: error });
  }
}

/** Finds ffmpeg, or downloads it. Takes a moment if it exists, half a minute if not. */
export async function ensureFfmpeg(options: LocateFfmpegOptions & Pick<InstallFfmpegOptions, 'onStep'>): Promise<LocatedFfmpeg> {
  return (await locateFfmpeg(options)) ?? (await installFfmpeg(options));
}

async function unpackProgram(wheel: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const zip = await openZip(wheel);
  try {
    const member = zip.members.find((name) => ffmpegMember.test(name));
    if (member === undefined) throw new AcquireError('SOURCE_UNREADABLE', 'the downloaded package contains no ffmpeg');
    await writeDurably(target, zip.open(member, MAX_PROGRAM_BYTES), signal);
  } finally {
    zip.close();
  }
}
