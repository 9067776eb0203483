import { beforeAll, expect, it } from '@jest/globals';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import {
  type BatchRecord,
  createBatchProcessor,
  type DecodeStep,
  eventBridgeEnvelope,
  snsEnvelope,
} from 'batchlatch';
import { type LambdaHttpEvent, withHttpIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';
import { at } from '../../test/sam/read-template.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { sam, samCli } from './support/sam-cli.ts';

describeWith([samCli], 'events that `sam local generate-event` makes', () => {
  beforeAll(() => samCli.install(), INSTALL_TIMEOUT_MS);

  it('an SQS batch is processed', async () => {
    const event = await generatedSqs();
    const { answer, records } = await run(event);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(records).toMatchObject(
      event.Records.map(({ messageId, body, attributes }) => ({
        source: 'sqs',
        id: messageId,
        body,
        receiveCount: 1,
        sentAt: Number(attributes.SentTimestamp),
      })),
    );
    expect(records).toHaveLength(1);
  });

  it('an SQS batch is not processed a second time', async () => {
    const event = await generatedSqs('--body', '{\\"orderId\\":\\"1\\"}');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect(records).toMatchObject([{ body: { orderId: '1' } }]);
  });

  it('a scheduled event is processed, once', async () => {
    const event = await generated('cloudwatch', 'scheduled-event');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([undefined, undefined]);
    expect(records).toMatchObject([
      {
        source: 'eventbridge',
        id: at(event, 'id'),
        body: at(event, 'detail'),
        attributes: { source: 'aws.events' },
      },
    ]);
  });

  it('a scheduled event inside an SQS message is taken out of its envelope', async () => {
    const inner = await generated('cloudwatch', 'scheduled-event');
    const { answer, records } = await run(await insideSqs(inner), eventBridgeEnvelope());
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(records).toMatchObject([
      { source: 'sqs', body: at(inner, 'detail'), envelope: { id: at(inner, 'id') } },
    ]);
  });

  it('a notification of SNS inside an SQS message is taken out of its envelope', async () => {
    const inner = at(await generated('sns', 'notification'), 'Records', 0, 'Sns');
    const { answer, records } = await run(await insideSqs(inner), snsEnvelope());
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(records).toMatchObject([
      {
        source: 'sqs',
        body: at(inner, 'Message'),
        envelope: {
          id: at(inner, 'MessageId'),
          attributes: { Subject: at(inner, 'Subject'), Test: 'TestString' },
        },
      },
    ]);
  });

  it('a batch of Kinesis is processed, once', async () => {
    const event = await generated('kinesis', 'get-records');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    const data = at(event, 'Records', 0, 'kinesis', 'data') as string;
    expect(records).toMatchObject([
      {
        source: 'kinesis',
        partitionKey: at(event, 'Records', 0, 'kinesis', 'partitionKey'),
        sequenceNumber: at(event, 'Records', 0, 'kinesis', 'sequenceNumber'),
        body: Buffer.from(data, 'base64').toString(),
      },
    ]);
  });

  it("a batch of a table's stream is processed, once", async () => {
    const event = await generated('dynamodb', 'update');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect(records).toMatchObject([
      { source: 'dynamodb-stream', eventName: 'INSERT', keys: { Id: 101 }, newImage: { Id: 101 } },
      { source: 'dynamodb-stream', eventName: 'MODIFY', keys: { Id: 101 }, oldImage: { Id: 101 } },
      { source: 'dynamodb-stream', eventName: 'REMOVE', keys: { Id: 101 }, oldImage: { Id: 101 } },
    ]);
  });

  it('a notification of SNS is processed, once', async () => {
    const event = await generated('sns', 'notification');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([undefined, undefined]);
    expect(records).toMatchObject([
      { source: 'sns', id: at(event, 'Records', 0, 'Sns', 'MessageId'), attributes: { Test: 'TestString' } },
    ]);
  });

  it('an event notification of S3 is processed, once', async () => {
    const event = await generated('s3', 'put', '--key', 'a b/c');
    const { answers, records } = await runTwice(event);
    expect(answers).toEqual([undefined, undefined]);
    const body = { key: 'a b/c', bucket: at(event, 'Records', 0, 's3', 'bucket', 'name') };
    expect(records).toMatchObject([{ source: 's3', body }]);
  });

  it('an SQS batch is what `batchlatch generate-event sqs` makes of the same options', async () => {
    const options = [
      '--body',
      'Hi',
      '--queue-name',
      'q',
      '--region',
      'eu-west-1',
      '--account-id',
      '111111111111',
    ];
    const [theirs] = (await generatedSqs(...options)).Records;
    const { out } = await runCommand(['generate-event', 'sqs', ...options]);
    const [ours] = (JSON.parse(out) as SQSEvent).Records;
    const { body, md5OfBody, eventSource, eventSourceARN, awsRegion } = theirs as SQSRecord;
    expect(ours).toMatchObject({ body, eventSource, eventSourceARN, awsRegion });
    expect(md5OfBody).toMatch(/^[0-9a-f]{32}$/); // of another body
    const namesOf = (record: SQSRecord | undefined) => [
      Object.keys(record ?? {}).sort(),
      Object.keys(record?.attributes ?? {}).sort(),
    ];
    expect(namesOf(ours)).toEqual(namesOf(theirs));
  });

  it.each([['apigateway', 'aws-proxy', 'body, resource, path']])(
    '%s %s is refused by an error that names what came, and nothing runs',
    async (service, kind, named) => {
      const event = await generated(service, kind);
      const records: BatchRecord[] = [];
      await expect(run(event, undefined, records)).rejects.toMatchObject({
        code: 'BATCHLATCH_UNSUPPORTED_EVENT',
        message: expect.stringContaining(named),
      });
      expect(records).toEqual([]);
    },
  );

  it.each([
    ['apigateway', 'aws-proxy'],
    ['apigateway', 'http-api-proxy'],
    ['alb', 'request'],
  ])('an HTTP request of %s %s is carried out once', async (service, kind) => {
    const event = withKey((await generated(service, kind)) as GeneratedRequest);
    let runs = 0;
    const handler = withHttpIdempotency(
      async (_event: LambdaHttpEvent) => ({ statusCode: 201, body: String((runs += 1)) }),
      { namespace: 'generated', scope: 'shared-by-all-callers', store: memoryStore() },
    );
    expect(await handler(event, lambdaContext())).toEqual({ statusCode: 201, body: '1' });
    expect(await handler(event, lambdaContext())).toMatchObject({ statusCode: 201, body: '1' });
    expect(runs).toBe(1);
  });
});

interface GeneratedRequest {
  httpMethod?: string;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  requestContext: { http?: { method: string } };
}

/** The generator knows no header of ours, and its load balancer sends a GET. */
function withKey(event: GeneratedRequest): LambdaHttpEvent {
  if (event.httpMethod !== undefined) event.httpMethod = 'POST';
  if (event.headers !== undefined) event.headers['Idempotency-Key'] = 'k';
  if (event.multiValueHeaders !== undefined) event.multiValueHeaders['Idempotency-Key'] = ['k'];
  return event as unknown as LambdaHttpEvent;
}

const generations = new Map<string, Promise<string>>();

/** Each event is made once; whoever asks gets a copy. */
async function generated(...event: string[]): Promise<unknown> {
  const name = event.join(' ');
  const generation = generations.get(name) ?? sam(['local', 'generate-event', ...event]);
  generations.set(name, generation);
  return JSON.parse(await generation);
}

async function generatedSqs(...options: string[]): Promise<SQSEvent> {
  return (await generated('sqs', 'receive-message', ...options)) as SQSEvent;
}

async function insideSqs(inner: unknown): Promise<SQSEvent> {
  const { Records: records } = await generatedSqs();
  return { Records: records.map((record) => ({ ...record, body: JSON.stringify(inner) })) };
}

async function run(event: unknown, decode?: DecodeStep, records: BatchRecord[] = []) {
  const handler = recorder(records, decode);
  return { answer: await handler(event, lambdaContext()), records };
}

async function runTwice(event: unknown) {
  const records: BatchRecord[] = [];
  const handler = recorder(records);
  const answers = [await handler(event, lambdaContext()), await handler(event, lambdaContext())];
  return { answers, records };
}

function recorder(records: BatchRecord[], decode?: DecodeStep) {
  return createBatchProcessor(async (record) => void records.push(record), {
    store: memoryStore(),
    observer: { onEvent: () => undefined },
    ...(decode !== undefined && { decode }),
  });
}
