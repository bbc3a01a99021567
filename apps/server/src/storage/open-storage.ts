import { join } from 'node:path';
import type { Config, Secrets } from '../config/config.ts';
import { openFolderStorage } from './folder-storage.ts';
import type { ObjectStorage } from './object-storage.ts';
import { openS3Storage } from './s3-storage.ts';

/** Opens the configured storage of recordings: folders of `dataDir`, or a bucket. */
export async function openStorage(
  { storageUrl, s3Endpoint, s3Region }: Pick<Config, 'storageUrl' | 's3Endpoint' | 's3Region'>,
  { awsAccessKeyId, awsSecretAccessKey, awsSessionToken }: Secrets,
  dataDir: string,
): Promise<ObjectStorage> {
  if (storageUrl === null) return openFolderStorage(dataDir);
  const credentials =
    awsAccessKeyId === null || awsSecretAccessKey === null
      ? null
      : {
          accessKeyId: awsAccessKeyId,
          secretAccessKey: awsSecretAccessKey,
          ...(awsSessionToken === null ? {} : { sessionToken: awsSessionToken }),
        };
  return openS3Storage({
    address: storageUrl,
    endpoint: s3Endpoint,
    region: s3Region,
    credentials,
    scratchFolder: join(dataDir, 'scratch'),
  });
}
