import type { Source } from '@chiffchaff/acquire';

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
export const ffmpegSources: Readonly<Record<string, readonly Source[]>> = {
  'linux-x64': [wheel('manylinux_2_28_x86_64', '050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda')],
  'linux-arm64': [wheel('manylinux_2_28_aarch64', 'fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e')],
  'darwin-arm64': [wheel('macosx_12_0_arm64', '5636d691e36e5274b13fe38182b1f627b2e35dcecc63944012c2470f9484fc45')],
  'darwin-x64': [wheel('macosx_10_13_x86_64', '9538a10e598257263b5de1a1c1b86e7603417bc219245b1e279b452e5e48cc20')],
  'win32-x64': [wheel('win_amd64', 'f27ca4cb85e2d4946deedbce1a81245dfd942a2bcf94b53676fb3956aa95bf1b')],
};
