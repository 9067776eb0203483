import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ClaimStore, createBatchProcessor, resultsIn, type Settlement } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { s3Results } from 'batchlatch/s3';
import { sqsEvent } from 'batchlatch/testing';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { withResultTexts } from '../../src/claims/result-texts.ts';
import { claimRequest, completion } from './claim-builders.ts';
import { INSTALL_TIMEOUT_MS } from './components/describe-with.ts';

/** A client for an emulator; none of them looks at the credentials. */
function s3Client(endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

/** What `s3Results` promises, on one S3. */
export function describeS3Results(start: () => Promise<LocalService>): void {
  let service: LocalService;
  let client: S3Client;
  const bucket = `results-${randomUUID()}`;
  const store: ClaimStore = { ...memoryStore(), maxResultBytes: 1_000 };
  const result = { text: 'ünï ☃ 🎈'.repeat(1_000), list: [1, null, { a: 'b' }] };

  beforeAll(async () => {
    service = await start();
    client = s3Client(service.endpoint);
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  async function objectKeys(): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key);
  }

  it('keeps the long results of a batch, an object for each attempt, and replays them', async () => {
    const resultStorage = s3Results({ bucket, prefix: 'r/', client });
    const processor = createBatchProcessor(async () => result, {
      store: resultsIn(resultStorage, store),
      namespace: 'n',
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent(['a', 'b'].map((messageId) => ({ messageId, body: {} })));
    expect(await processor(event)).toEqual({ batchItemFailures: [] });
    const { owner = '' } = (await store.inspect('n#v1:a')) ?? {};
    expect(await objectKeys()).toHaveLength(2);
    expect(await objectKeys()).toContainEqual(
      expect.stringMatching(new RegExp(`^r/[0-9a-f]{64}/${owner}\\.json$`)),
    );

    expect(await processor(event)).toEqual({ batchItemFailures: [] });
    const replaying = withResultTexts(resultsIn(resultStorage, store));
    const [outcome] = await replaying.acquire([claimRequest('n#v1:b')]);
    expect(outcome?.status === 'duplicate' && JSON.parse(outcome.result ?? '')).toEqual(result);
  });

  it('finds a result in the bucket that it was put into', async () => {
    const key = randomUUID();
    const request = claimRequest(key);
    const before = resultsIn(s3Results({ bucket, client }), store);
    await before.acquire([request]);
    await before.settle([completion(request, JSON.stringify(result))]);
    const after = withResultTexts(resultsIn(s3Results({ bucket: 'another', client }), store));
    expect(await after.acquire([claimRequest(key)])).toMatchObject([
      { status: 'duplicate', result: JSON.stringify(result) },
    ]);
  });

  it('makes a client for the environment when none is given', async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = service.endpoint;
    const storage = s3Results({ bucket });
    const pointer = await storage.put('key', 'owner', '"ü"');
    expect(await storage.get(pointer)).toBe('"ü"');
  });

  it('says that a result is gone, which no retry brings back', async () => {
    await expect(s3Results({ bucket, client }).get(`s3://${bucket}/no/such.json`)).rejects.toMatchObject({
      code: 'BATCHLATCH_RESULT_UNAVAILABLE',
      isRetryable: false,
    });
  });

  it('completes without the result where there is no bucket', async () => {
    const key = randomUUID();
    const request = claimRequest(key);
    const here = resultsIn(s3Results({ bucket: 'no-such-bucket', client }), store);
    await here.acquire([request]);
    const settlement = { ...completion(request, JSON.stringify(result)), onResultDropped: () => undefined };
    expect(await here.settle([settlement as Settlement])).toEqual(['stored']);
    expect(await store.inspect(key)).toMatchObject({ status: 'COMPLETED' });
    expect(await store.inspect(key)).not.toHaveProperty('result');
  });
}
