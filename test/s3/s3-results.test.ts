import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { s3Results, type S3ResultsOptions } from 'batchlatch/s3';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { describeS3Results } from '../support/s3-results.ts';
import { awsException } from '../support/sdk-traffic.ts';

describe('s3Results on fauxqs', () => {
  describeS3Results(() => startSqsEmulator()); // which answers S3 calls too
});

describe('s3Results', () => {
  it.each<[unknown, RegExp]>([
    [{}, /Expected `bucket` to be an S3 bucket's name, got `undefined`/],
    [{ bucket: 'A_b' }, /Expected `bucket`/],
    [{ bucket: 'b/c' }, /Expected `bucket`/],
    [{ bucket: 'results', prefix: 7 }, /Expected `prefix`/],
    [{ bucket: 'results', prefix: 'x'.repeat(513) }, /Expected `prefix`/],
    [{ bucket: 'results', thresholdBytes: -1 }, /Expected `thresholdBytes` to be an integer from 0 up/],
    [{ bucket: 'results', treshold: 1 }, /Unknown option `treshold`/],
  ])('refuses options that cannot work: %j', (options, message) => {
    expect(() => s3Results(options as S3ResultsOptions)).toThrow(message);
  });

  it('tells what is no place in S3 from what it cannot read now', async () => {
    const client = new S3Client({});
    mockClient(client).rejects(awsException('SlowDown', 'Please reduce your request rate.'));
    const storage = s3Results({ bucket: 'results', client });
    await expect(storage.get('file:///etc/passwd')).rejects.toMatchObject({ isRetryable: false });
    await expect(storage.get('s3://results/a/b.json')).rejects.toMatchObject({
      code: 'BATCHLATCH_RESULT_UNAVAILABLE',
      isRetryable: true,
      message: expect.stringMatching(/cannot be read now \(SlowDown\): see the cause$/),
    });
  });

  it('names both permissions where S3 refuses: without s3:ListBucket it refuses a missing object too', async () => {
    const client = new S3Client({});
    mockClient(client).rejects(
      awsException('AccessDenied', 'User: … is not authorized to perform: s3:ListBucket'),
    );
    await expect(s3Results({ bucket: 'results', client }).get('s3://results/a/b.json')).rejects.toMatchObject(
      {
        code: 'BATCHLATCH_RESULT_UNAVAILABLE',
        isRetryable: true,
        message: expect.stringMatching(/\(AccessDenied\): grant s3:GetObject.* and s3:ListBucket/),
      },
    );
  });
});
