import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, jsonLines } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { doctorLive, type DoctorClients } from '../../src/doctor/index.ts';
import { lambdaOf } from './deployed-function.ts';

type Logs = NonNullable<DoctorClients['logs']>;

/** The log lines of a function that received messages of these groups, ten in a batch. */
async function linesOf(count: number, groupOf: (index: number) => string): Promise<string[]> {
  const lines: string[] = [];
  const process = createBatchProcessor(() => undefined, {
    store: memoryStore(),
    observer: jsonLines({ level: 'info', write: (line) => void lines.push(line) }),
  });
  for (let first = 0; first < count; first += 10) {
    const messages = Array.from({ length: 10 }, (_, index) => ({
      body: {},
      messageGroupId: groupOf(first + index),
    }));
    await process(sqsEvent(messages), lambdaContext());
  }
  return lines;
}

async function diagnosed(logs: Logs | undefined, queueName = 'orders') {
  const lambda = lambdaOf({ queueArn: `arn:aws:sqs:us-east-1:000000000000:${queueName}` });
  const clients = { lambda, ...(logs !== undefined && { logs }) };
  const { findings, skipped } = await doctorLive(clients, { functionName: 'orders' });
  return {
    found: findings.filter(({ code }) => code === 'message-group-per-message'),
    skipped: skipped.filter((text) => text.includes('message groups')),
  };
}

describe('doctor, of a function behind a standard queue,', () => {
  it('finds that nearly every message has a group of its own, in the newest line', async () => {
    const tenants = await linesOf(120, (index) => `tenant-${index % 10}`);
    const messages = await linesOf(120, (index) => `order-${index}`);
    expect((await diagnosed(async () => [...tenants, ...messages])).found).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('last 120 messages') },
    ]);
    expect(await diagnosed(async () => [...messages, ...tenants])).toEqual({ found: [], skipped: [] });
  });

  it.each([
    ['95 of 100 messages have a group of their own', 100, 95, 1],
    ['94 of 100 messages have a group of their own', 100, 94, 0],
    ['fewer than 100 messages are counted', 90, 90, 0],
  ])('judges %s', async (_what, messages, groups, findings) => {
    const lines = await linesOf(messages, (index) => String(index % groups));
    expect((await diagnosed(async () => lines)).found).toHaveLength(findings);
  });

  it('reads the log group of the function: the last hour, and the last day if that has no line', async () => {
    const searches: Parameters<Logs>[0][] = [];
    const empty: Logs = async (search) => {
      searches.push(search);
      return ['no JSON', '{"groups":null}', '{"groups":{"messages":"500","distinct":500}}'];
    };
    expect(await diagnosed(empty)).toEqual({ found: [], skipped: [] });
    expect(searches.map(({ logGroup, from, until }) => [logGroup, (until - from) / 3_600_000])).toEqual([
      ['/aws/lambda/orders', 1],
      ['/aws/lambda/orders', 24],
    ]);
    expect(searches[0]?.pattern).toBe('{ $.groups.messages >= 100 }');
  });

  it('says what it did not check where the log cannot be read', async () => {
    const refused: Logs = () => Promise.reject(new Error('CloudWatch refuses with 400: not authorized'));
    expect(await diagnosed(refused)).toEqual({
      found: [],
      skipped: [
        'orders, its message groups: /aws/lambda/orders cannot be read with logs:FilterLogEvents ' +
          '(CloudWatch refuses with 400: not authorized)',
      ],
    });
    expect((await diagnosed(undefined)).skipped).toHaveLength(1);
  });

  it('reads no log for a FIFO queue, whose groups are for its order', async () => {
    const unread: Logs = () => Promise.reject(new Error('read'));
    expect(await diagnosed(unread, 'orders.fifo')).toEqual({ found: [], skipped: [] });
  });
});
