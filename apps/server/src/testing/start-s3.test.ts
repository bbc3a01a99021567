import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { it } from 'vitest';
import { isS3Installed, startS3, type TestS3 } from './start-s3.ts';

const clientOf = ({ endpoint, environment }: TestS3): S3Client =>
  new S3Client({
    ...{ endpoint, region: environment.S3_REGION ?? '', forcePathStyle: true },
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
  });

it('The S3 server for tests keeps everything it has acknowledged when it is killed and restarted', async ({ skip, expect }) => {
  if (!isS3Installed()) skip('juicefs is not installed');
  const s3 = await startS3();
  const client = clientOf(s3);
  await client.send(new PutObjectCommand({ Bucket: 'chiffchaff', Key: 'a', Body: 'kept' }));
  await s3.kill();
  await s3.restart();
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'chiffchaff', Key: 'a' }));
  expect(await Body?.transformToString()).toBe('kept');
  expect(await s3.list()).toEqual(['a']);
  client.destroy();
  await s3.stop();
});
