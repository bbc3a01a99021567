import { basename } from 'node:path';
import { databaseUrlOf } from './test-database.ts';

/** Variables for the S3 server in `TEST_STORAGE_URL`, as a server reads them. */
const STORAGE_VARIABLES = ['S3_ENDPOINT', 'S3_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/**
 * Environment variables for the stores of a data folder, the same each time: none for SQLite and the folder itself; otherwise a database on
 * `TEST_DATABASE_URL` and, if it is set, a part of the bucket in `TEST_STORAGE_URL`.
 */
export async function storesOf(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const databaseUrl = await databaseUrlOf(dataDir);
  if (databaseUrl === null) return {};
  const { TEST_STORAGE_URL } = process.env;
  if (!TEST_STORAGE_URL) return { DATABASE_URL: databaseUrl };
  const part = basename(dataDir);
  // The S3 client takes a while to load, and most tests do without.
  const { createFolders, STORAGE_FOLDERS } = await import('./start-s3.ts');
  await createFolders(
    process.env.S3_ENDPOINT ?? '',
    STORAGE_FOLDERS.map((name) => `${part}/${name}`),
  );
  const storage = STORAGE_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { DATABASE_URL: databaseUrl, STORAGE_URL: `${TEST_STORAGE_URL}/${part}`, ...Object.fromEntries(storage) };
}
