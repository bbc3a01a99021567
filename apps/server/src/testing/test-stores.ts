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
  const storage = STORAGE_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    DATABASE_URL: databaseUrl,
    ...(TEST_STORAGE_URL && { STORAGE_URL: `${TEST_STORAGE_URL}/${basename(dataDir)}`, ...Object.fromEntries(storage) }),
  };
}
