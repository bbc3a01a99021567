import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPostgresInstalled } from '@chiffchaff/server/testing/start-postgres';
import { isS3Installed, MOTO_FOLDER } from '@chiffchaff/server/testing/start-s3';
import { runQuietly } from './process.ts';

const MOTO = 'moto[server]==5.2.5';

/**
 * Installs the S3 server for tests from PyPI to the data folder, unless it is installed.
 *
 * @throws Error if PostgreSQL is not installed, or moto cannot be installed
 */
export async function setUpEngines(): Promise<void> {
  if (!isPostgresInstalled()) throw new Error('PostgreSQL 15 is not installed (Debian: postgresql).');
  if (isS3Installed('memory')) return;
  process.stdout.write(`· Downloading ${MOTO} to data/tools/ (once, about half a minute)\n`);
  const steps = [
    ['python3', '-m', 'venv', MOTO_FOLDER],
    [join(MOTO_FOLDER, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '--retries=2', '--timeout=60', MOTO],
  ];
  for (const [program = '', ...words] of steps) {
    const { code, output } = await runQuietly(program, words);
    if (code === 0) continue;
    rmSync(MOTO_FOLDER, { recursive: true, force: true });
    throw new Error(`${program} could not install ${MOTO}:\n${output.trimEnd()}`);
  }
}
