import { basename } from 'node:path';
import { databaseUrlOf } from './test-database.ts';

/** Of the S3 server in `TEST_STORAGE_URL`, as a server reads them. */
const STORAGE_VARIABLES = ['S3_ENDPOINT', 'S3_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/**
 * What a server finds in its environment to use the stores that belong to a data folder, the same each time: nothing for SQLite and the folder
 * itself; a database of `TEST_DATABASE_URL` and a part of the bucket of `TEST_STORAGE_URL` where these are set.
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
