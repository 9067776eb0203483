import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import * as esbuild from 'esbuild';
import { emulatorClientConfig } from '../../../src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../../src/dev/emulators/sqs-emulator.ts';
import { functionEnvironment } from '../../../src/dev/functions/function-environment.ts';
import { createFunctionPool, type FunctionPool } from '../../../src/dev/functions/function-pool.ts';
import { functionProgram } from '../../../src/dev/functions/function-program.ts';
import { resultOf } from '../../../src/dev/functions/ipc-messages.ts';
import {
  type EndedBatch,
  type SqsMapping,
  type SqsMappingOptions,
  startSqsMapping,
} from '../../../src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../../src/dev/mappings/sqs-sdk-queue.ts';
import { until } from '../../../../../test/support/until.ts';
import { devFunction, sources } from '../dev-function.ts';

/** Does as the first message's body says; by default it answers nothing. */
const HANDLER = `
export const handler = async ({ Records }) => {
  const ids = Records.map(({ messageId }) => messageId);
  const said = Records.map(({ body }) => body);
  const has = (word) => said.some((body) => body.includes(word));
  if (has('throw') && Records.some(({ attributes }) => attributes.ApproximateReceiveCount === '1')) throw new Error('no');
  if (has('exit')) process.exit(1);
  if (has('slow')) await new Promise((resolve) => setTimeout(resolve, 400));
  if (has('unknown')) return { batchItemFailures: [{ itemIdentifier: 'nobody' }] };
  if (has('malformed')) return { batchItemFailures: [{ id: ids[0] }] };
  if (has('null')) return { batchItemFailures: null };
  return { batchItemFailures: ids.filter((_, index) => said[index].includes('fail')).map((itemIdentifier) => ({ itemIdentifier })) };
};
`;

describe('the event source mapping of a queue', () => {
  let folder: string;
  let code: { folder: string; remove(): Promise<void> };
  let fauxqs: LocalService;
  let sqs: SQSClient;
  let pool: FunctionPool;
  let throttledPool: FunctionPool;
  let mappings: SqsMapping[];
  let events: SQSEvent[];
  let batches: EndedBatch[];
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'dev-')));
    code = await sources({ 'orders.mjs': HANDLER });
    const program = await functionProgram(() => esbuild, folder);
    fauxqs = await startSqsEmulator();
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: fauxqs.endpoint });
    const fn = devFunction({ folder: code.folder });
    const module = path.join(code.folder, 'orders.mjs');
    const make = (reservedConcurrency?: number): FunctionPool =>
      createFunctionPool(
        { module, exportName: 'handler', handler: 'orders.handler', taskRoot: code.folder },
        {
          program,
          name: fn.id,
          environment: functionEnvironment(fn, { region: 'us-east-1', taskRoot: code.folder }),
          memoryMb: 128,
          timeoutMs: 3_000,
          functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:orders',
          reservedConcurrency,
          onLine: () => undefined,
        },
      );
    pool = make();
    throttledPool = make(1);
  });
  beforeEach(() => {
    mappings = [];
    events = [];
    batches = [];
  });
  afterEach(async () => {
    await Promise.all(mappings.map((mapping) => mapping.stop()));
  });
  afterAll(async () => {
    await Promise.all([pool.close(), throttledPool.close()]);
    sqs.destroy();
    await fauxqs.stop();
    await code.remove();
    await rm(folder, { recursive: true });
  });

  interface Queue {
    readonly url: string;
    readonly arn: string;
  }

  async function createQueue(attributes: Record<string, string> = {}): Promise<Queue> {
    const suffix = attributes['FifoQueue'] === 'true' ? '.fifo' : '';
    const { QueueUrl: url = '' } = await sqs.send(
      new CreateQueueCommand({
        QueueName: `q-${randomUUID()}${suffix}`,
        Attributes: { VisibilityTimeout: '2', ...attributes },
      }),
    );
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    );
    return { url, arn: Attributes?.['QueueArn'] ?? '' };
  }

  async function send(
    queue: Queue,
    bodies: readonly string[],
    group?: (body: string) => string,
  ): Promise<void> {
    for (let at = 0; at < bodies.length; at += 10) {
      const Entries = bodies.slice(at, at + 10).map((MessageBody, index) => ({
        Id: String(index),
        MessageBody,
        ...(group && { MessageGroupId: group(MessageBody), MessageDeduplicationId: `${at}-${index}` }),
      }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    }
  }

  function start(
    queue: Queue,
    given: Partial<SqsMappingOptions> = {},
    runs: FunctionPool = pool,
  ): SqsMapping {
    const mapping = startSqsMapping({
      queue: sdkQueue(sqs, queue.url),
      queueArn: queue.arn,
      reportsBatchItemFailures: true,
      async invoke(event) {
        events.push(event);
        return resultOf((await runs.invoke(JSON.stringify(event))).end);
      },
      onBatch: (batch) => batches.push(batch),
      ...given,
    });
    mappings.push(mapping);
    return mapping;
  }

  const depth = async ({ url }: Queue): Promise<number> => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    return (
      Number(Attributes['ApproximateNumberOfMessages']) +
      Number(Attributes['ApproximateNumberOfMessagesNotVisible'])
    );
  };
  const untilEmpty = (queue: Queue) => until('the queue is empty', async () => (await depth(queue)) === 0);
  const deliveries = (body: string): number =>
    events.flatMap(({ Records }) => Records).filter((record) => record.body === body).length;

  it("delivers records exactly as Lambda does, with the message's attributes", async () => {
    const queue = await createQueue();
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queue.url,
        MessageBody: '{"orderId":"a"}',
        MessageAttributes: {
          kind: { DataType: 'String', StringValue: 'order' },
          code: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
        },
      }),
    );
    start(queue);
    await untilEmpty(queue);
    expect(events).toEqual([
      {
        Records: [
          {
            messageId: expect.any(String),
            receiptHandle: expect.any(String),
            body: '{"orderId":"a"}',
            attributes: {
              ApproximateReceiveCount: '1',
              SentTimestamp: expect.any(String),
              SenderId: expect.any(String),
              ApproximateFirstReceiveTimestamp: expect.any(String),
            },
            messageAttributes: {
              kind: { dataType: 'String', stringValue: 'order' },
              code: { dataType: 'Binary', binaryValue: 'AQI=' },
            },
            md5OfBody: expect.any(String),
            eventSource: 'aws:sqs',
            eventSourceARN: queue.arn,
            awsRegion: 'us-east-1',
          },
        ],
      },
    ]);
  });

  it('deletes what the answer does not name, and leaves the rest to the visibility timeout', async () => {
    const queue = await createQueue();
    await send(queue, ['fail a', 'b', 'c']);
    start(queue);
    await until('one batch ended', () => batches.length > 0);
    expect(await depth(queue)).toBe(1);
    await until('it came again', () => deliveries('fail a') === 2);
    expect([deliveries('b'), deliveries('c')]).toEqual([1, 1]);
  });

  it.each([
    ['an error', 'throw', 0],
    ['the end of the process', 'exit', 0],
    ['an identifier that was not in the batch', 'unknown', 0],
    ['an entry without an identifier', 'malformed', 0],
    ['no list', 'null', 2],
  ])('takes %s for %s: of 2 messages %i are done', async (_what, body, done) => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    await send(queue, [body, 'other']);
    start(queue);
    await until('one batch ended', () => batches.length > 0);
    expect(await depth(queue)).toBe(2 - done);
  });

  it('without ReportBatchItemFailures deletes all that was answered, and nothing of an error', async () => {
    const queue = await createQueue();
    await send(queue, ['fail a', 'throw once']);
    start(queue, { reportsBatchItemFailures: false });
    await untilEmpty(queue);
    expect([deliveries('fail a'), deliveries('throw once')]).toEqual([2, 2]);
  });

  it('leaves redrive to the queue', async () => {
    const dead = await createQueue();
    const redrive = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
    const queue = await createQueue({ RedrivePolicy: redrive });
    await send(queue, ['fail a']);
    start(queue);
    await until('the dead-letter queue has it', async () => (await depth(dead)) === 1);
    expect(deliveries('fail a')).toBe(2);
  });

  it('gathers a batch of more than ten messages within the window', async () => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    await send(
      queue,
      Array.from({ length: 25 }, (_, index) => `order ${index}`),
    );
    start(queue, { batchSize: 20, windowMs: 500 });
    await untilEmpty(queue);
    expect(batches.map(({ records }) => records)).toEqual([20, 5]);
  });

  it('ends a batch before the event has more than 6 MB', async () => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    const body = 'x'.repeat(250_000);
    for (let count = 0; count < 30; count += 1) await send(queue, [body]);
    start(queue, { batchSize: 100, windowMs: 1_000 });
    await untilEmpty(queue);
    expect(batches.map(({ records }) => records)).toEqual([25, 5]);
  });

  it('runs as many batches at a time as the maximum concurrency says', async () => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    await send(queue, ['slow 1', 'slow 2', 'slow 3', 'slow 4']);
    let most = 0;
    start(queue, {
      batchSize: 1,
      maximumConcurrency: 2,
      async invoke(event) {
        const ending = pool.invoke(JSON.stringify(event));
        most = Math.max(most, pool.running);
        return resultOf((await ending).end);
      },
    });
    await untilEmpty(queue);
    expect(most).toBe(2);
  });

  it('ends the batches in flight before it stops', async () => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    await send(queue, ['slow 1']);
    const mapping = start(queue);
    await until('it is delivered', () => events.length > 0);
    await mapping.stop();
    expect(batches).toHaveLength(1);
    expect(await depth(queue)).toBe(0);
  });

  it('puts back what is throttled', async () => {
    const queue = await createQueue();
    await send(queue, ['slow 1', 'slow 2']);
    start(queue, { batchSize: 1 }, throttledPool);
    await untilEmpty(queue);
    expect(batches.filter(({ result }) => !result.ok && result.isThrottled === true)).not.toEqual([]);
    expect(batches.filter(({ failed }) => failed.length === 0).length).toBeGreaterThanOrEqual(2);
  });

  it('deletes what no filter wants, without an invocation', async () => {
    const queue = await createQueue({ VisibilityTimeout: '30' });
    await send(queue, ['{"kind":"order","n":1}', '{"kind":"visit"}', 'plain text', '{"kind":"order","n":2}']);
    const mapping = start(queue, { filters: [{ body: { kind: ['order'] } }] });
    await untilEmpty(queue);
    expect(mapping.filtered).toBe(2);
    expect(events.flatMap(({ Records }) => Records.map(({ body }) => body)).toSorted()).toEqual([
      '{"kind":"order","n":1}',
      '{"kind":"order","n":2}',
    ]);
  });

  it('runs one batch of a message group at a time, in order, and other groups beside it', async () => {
    const queue = await createQueue({ FifoQueue: 'true', VisibilityTimeout: '30' });
    await send(queue, ['slow a1', 'a2', 'a3', 'slow b1', 'b2'], (body) =>
      body.replace('slow ', '').charAt(0),
    );
    const running: string[] = [];
    const overlaps: string[] = [];
    start(queue, {
      batchSize: 1,
      async invoke(event) {
        events.push(event);
        const group = event.Records[0]?.attributes.MessageGroupId ?? '';
        overlaps.push(...running.map((other) => (other === group ? 'same' : 'other')));
        running.push(group);
        const { end } = await pool.invoke(JSON.stringify(event));
        running.splice(running.indexOf(group), 1);
        return resultOf(end);
      },
    });
    await untilEmpty(queue);
    const bodies = events.flatMap(({ Records }) => Records.map(({ body }) => body));
    expect(bodies.filter((body) => body.includes('a'))).toEqual(['slow a1', 'a2', 'a3']);
    expect(overlaps).toContain('other');
    expect(overlaps).not.toContain('same');
  });

  it.each([
    ['after them', false, ['0,1,2,3,4,5', '6,7,8,9']],
    ['not if they failed', true, ['0,1,2,3,4,5', '7,9']],
  ])(
    'runs messages of a group that no event with those before them can have %s',
    async (_what, fails, ran) => {
      const messages = Array.from({ length: 10 }, (_, index) => ({
        messageId: String(index),
        receiptHandle: '',
        body: 'x'.repeat(1_000_000),
        md5OfBody: '',
        attributes: { MessageGroupId: index === 7 || index === 9 ? 'b' : 'a' } as never,
        messageAttributes: {},
      }));
      const ended: string[] = [];
      let running = 0;
      let most = 0;
      start(
        { url: '', arn: 'arn:aws:sqs:us-east-1:000000000000:large.fifo' },
        {
          queue: {
            async receive() {
              await new Promise((resolve) => setTimeout(resolve, 20));
              return messages.splice(0);
            },
            delete: () => Promise.resolve(),
          },
          async invoke({ Records }) {
            most = Math.max(most, (running += 1));
            await new Promise((resolve) => setTimeout(resolve, 100));
            running -= 1;
            ended.push(Records.map(({ messageId }) => messageId).join(','));
            return fails
              ? { ok: false, errorType: 'E', errorMessage: 'no' }
              : { ok: true, payload: undefined };
          },
        },
      );
      await until('both ran', () => ended.length === 2);
      expect({ ended, most }).toEqual({ ended: ran, most: 1 });
    },
  );

  it('refuses what AWS refuses', async () => {
    const queue = await createQueue();
    expect(() => start(queue, { batchSize: 11 })).toThrow('from 1 to 10');
    expect(() => start({ ...queue, arn: `${queue.arn}.fifo` }, { windowMs: 1_000 })).toThrow('FIFO');
  });
});
