import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Secrets } from '../config/config.ts';
import { openFolderStorage } from './folder-storage.ts';
import { type ObjectStorage, SCRATCH } from './object-storage.ts';
import type { S3Access } from './s3-client.ts';
import { openS3Storage } from './s3-storage.ts';

/** Opens the configured storage of recordings, folders of `dataDir` or a bucket, and removes the drafts of an earlier run. */
export async function openStorage(
  config: Pick<Config, 'storageUrl' | 's3Endpoint' | 's3Region'>,
  secrets: Secrets,
  dataDir: string,
): Promise<ObjectStorage> {
  const { storageUrl } = config;
  const scratchFolder = join(dataDir, SCRATCH);
  if (storageUrl !== null) return openS3Storage({ ...s3AccessOf(config, secrets), address: storageUrl, scratchFolder });
  await rm(scratchFolder, { recursive: true, force: true });
  return openFolderStorage(dataDir);
}

export function s3AccessOf(
  { s3Endpoint, s3Region }: Pick<Config, 's3Endpoint' | 's3Region'>,
  { awsAccessKeyId, awsSecretAccessKey, awsSessionToken }: Secrets,
): S3Access {
  const credentials =
    awsAccessKeyId === null || awsSecretAccessKey === null
      ? null
      : {
          accessKeyId: awsAccessKeyId,
          secretAccessKey: awsSecretAccessKey,
          ...(awsSessionToken === null ? {} : { sessionToken: awsSessionToken }),
        };
  return { endpoint: s3Endpoint, region: s3Region, credentials };
}
