import type { Config, Secrets } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/open-database.ts';
import { openFolderStorage } from './folder-storage.ts';
import type { ObjectStorage } from './object-storage.ts';

export interface StorageOptions {
  readonly config: Pick<Config, 'storageUrl' | 's3Endpoint' | 's3Region'>;
  readonly secrets: Pick<Secrets, 'awsAccessKeyId' | 'awsSecretAccessKey' | 'awsSessionToken'>;
  /** The storage must belong to this database, if it is given. */
  readonly database?: Database;
  readonly dataDir: string;
  /** For drafts and local copies of a bucket; used by this process only, and emptied now. */
  readonly scratchFolder: string;
}

/**
 * Opens the configured storage of recordings: folders of `dataDir` or a bucket.
 *
 * @throws DatabaseError OTHER_STORAGE if it belongs to another database. @throws StorageError
 */
export async function openStorage(options: StorageOptions): Promise<ObjectStorage> {
  const { database } = options;
  const storage = await open(options);
  try {
    if (database && isPostgres(database)) await (await import('../machines/one-storage.ts')).requireOneStorage(database, storage);
    return storage;
  } catch (error) {
    storage.close();
    throw error;
  }
}

async function open({ config, secrets, dataDir, scratchFolder }: StorageOptions): Promise<ObjectStorage> {
  const { storageUrl: address, s3Endpoint: endpoint, s3Region: region } = config;
  if (address === null) return openFolderStorage(dataDir);
  const { openS3Storage } = await import('../machines/s3/s3-storage.ts');
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken: sessionToken } = secrets;
  const hasKey = accessKeyId !== null && secretAccessKey !== null;
  const credentials = hasKey ? { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) } : null;
  return openS3Storage({ endpoint, region, credentials, address, scratchFolder });
}
