/**
 * Where a ready-made ffmpeg comes from: the Python package imageio-ffmpeg, which carries one static build a platform and is
 * fetched with pip (nothing of it is installed). ffmpeg is GPL; it runs as a process of its own, never linked and never shipped
 * by this project.
 *
 * The Linux x64 file is the one this project is tested with. The hashes of the others are what the Python index states for the
 * same release.
 */
export const FFMPEG_PACKAGE = 'imageio-ffmpeg==0.8.1';

export interface FfmpegWheel {
  /** Compatibility tag for `pip download --platform`. */
  readonly platformTag: string;
  readonly sha256: string;
  /** Null where only the hash is known. */
  readonly bytes: number | null;
}

/** By `process.platform` and `process.arch`. */
export const ffmpegWheels: Readonly<Record<string, FfmpegWheel>> = {
  'linux-x64': {
    platformTag: 'manylinux_2_28_x86_64',
    sha256: '050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda',
    bytes: 67_998_402,
  },
  'linux-arm64': {
    platformTag: 'manylinux_2_28_aarch64',
    sha256: 'fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e',
    bytes: null,
  },
  'darwin-arm64': {
    platformTag: 'macosx_12_0_arm64',
    sha256: '5636d691e36e5274b13fe38182b1f627b2e35dcecc63944012c2470f9484fc45',
    bytes: null,
  },
  'darwin-x64': {
    platformTag: 'macosx_10_13_x86_64',
    sha256: '9538a10e598257263b5de1a1c1b86e7603417bc219245b1e279b452e5e48cc20',
    bytes: null,
  },
  'win32-x64': {
    platformTag: 'win_amd64',
    sha256: 'f27ca4cb85e2d4946deedbce1a81245dfd942a2bcf94b53676fb3956aa95bf1b',
    bytes: null,
  },
};

/** The program inside the wheel. */
export const ffmpegMember = /^imageio_ffmpeg\/binaries\/ffmpeg-[^/]+$/;
