import { installS3 } from '@chiffchaff/server/testing/install-s3';
import { isPostgresInstalled } from '@chiffchaff/server/testing/start-postgres';

/**
 * Installs the S3 server for tests, unless it is installed.
 *
 * @throws Error if PostgreSQL is not installed, or the S3 server cannot be installed
 */
export async function setUpEngines(): Promise<void> {
  if (!isPostgresInstalled()) throw new Error('PostgreSQL 15 is not installed (Debian: postgresql).');
  await installS3((step) => process.stdout.write(`· ${step}\n`));
}
