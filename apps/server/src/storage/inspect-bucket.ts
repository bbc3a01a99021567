import type { LifecycleRule } from '@aws-sdk/client-s3';
import type { BucketAddress } from '../config/variable.ts';
import { STORAGE_ID } from '../machines/one-storage.ts';
import { openDeadline } from './deadline.ts';
import { explainS3, isMissing, loadS3, type S3Access, settingsOf } from './s3-client.ts';
import { StorageError } from './storage-error.ts';

const WITHIN_MS = 10_000;

/**
 * Reads a bucket as a server does, and its lifecycle rules.
 *
 * @returns whether a rule aborts unfinished multipart uploads; null if the storage does not tell
 * @throws StorageError if the bucket cannot be read
 */
export async function abortsUploads({
  address,
  ...access
}: S3Access & { readonly address: BucketAddress }): Promise<boolean | null> {
  const s3 = await loadS3();
  const client = new s3.S3Client(settingsOf(access));
  const { bucket: Bucket, prefix } = address;
  using deadline = openDeadline(WITHIN_MS);
  const abortSignal = deadline.signal;
  const object = { Bucket, Key: prefix === '' ? STORAGE_ID : `${prefix}/${STORAGE_ID}` };
  try {
    await client.send(new s3.HeadObjectCommand(object), { abortSignal }).catch((error: unknown) => {
      if (!isMissing(error)) throw explainS3(error, abortSignal);
    });
    const command = new s3.GetBucketLifecycleConfigurationCommand({ Bucket });
    const { Rules = [] } = await client.send(command, { abortSignal });
    return Rules.some((rule) => aborts(rule, prefix));
  } catch (error) {
    if (error instanceof StorageError) throw error;
    // Otherwise the key lacks the permission, or the storage does not have rules.
    return error instanceof Error && error.name === 'NoSuchLifecycleConfiguration' ? false : null;
  } finally {
    client.destroy();
  }
}

/** Whether a rule is for our objects, all of them. */
function aborts({ Status, AbortIncompleteMultipartUpload, Filter, Prefix }: LifecycleRule, ours: string): boolean {
  if (Status !== 'Enabled' || AbortIncompleteMultipartUpload === undefined) return false;
  return ours.startsWith(Filter?.Prefix ?? Prefix ?? '');
}
