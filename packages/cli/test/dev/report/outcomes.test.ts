import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, jsonLines, payloadHash, PermanentError } from 'batchlatch';
import { emfMetrics, observers } from 'batchlatch/observe';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { outcomeReader, type RecordOutcome } from '../../../src/dev/report/outcomes.ts';

/** What the log of a batch says, level by level. */
async function logged(level: 'debug' | 'info' | 'warn'): Promise<{ lines: string[]; requestId: string }> {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const handler = createBatchProcessor<{ orderId: string }>(
    async ({ body }) => {
      if (body.orderId === 'fails') throw new Error('no such order');
      if (body.orderId === 'never') throw new PermanentError('not an order');
    },
    {
      store: memoryStore(),
      key: payloadHash({ include: ['orderId'] }),
      observer: observers(jsonLines({ level, write }), emfMetrics({ write })),
    },
  );
  const context = lambdaContext();
  const event = sqsEvent(['fine', 'fails', 'never', 'fine'].map((orderId) => ({ body: { orderId } })));
  await handler(event, context);
  return { lines, requestId: context.awsRequestId };
}

const shown = (outcomes: readonly RecordOutcome[]) =>
  outcomes.map(({ outcome, reason = '' }) => `${outcome} ${reason}`.trim()).toSorted();

describe('the log of batchlatch', () => {
  it('has one outcome of each record, with the duration of its handler', async () => {
    const { lines, requestId } = await logged('debug');
    const reader = outcomeReader();
    const outcomes = lines.flatMap((line) => reader.read(line)?.outcomes ?? []);
    expect(shown(outcomes)).toEqual([
      'completed',
      'duplicate',
      'failed Error: no such order',
      'parked PermanentError: not an order',
    ]);
    expect(outcomes.find(({ outcome }) => outcome === 'completed')).toEqual({
      requestId,
      recordId: expect.any(String),
      outcome: 'completed',
      weight: 'good',
      durationMs: expect.any(Number),
      attempt: 1,
    });
    expect(reader.rest(requestId)).toEqual([]);
    expect(lines.filter((line) => reader.read(line) === undefined)).toEqual([]);
  });

  it('has those that failed without the lines of its level info too', async () => {
    const { lines, requestId } = await logged('warn');
    const reader = outcomeReader();
    const outcomes = lines.flatMap((line) => reader.read(line)?.outcomes ?? []);
    expect(shown([...outcomes, ...reader.rest(requestId)])).toEqual([
      'failed Error: no such order',
      'parked PermanentError: not an order',
    ]);
  });

  it.each([
    'a text',
    '{"message":"failed"}',
    '{"message":"toString","timestamp":1,"level":"info"}',
    '{"_aws":{"CloudWatchMetrics":[{"Namespace":"orders"}]}}',
    '{broken',
  ])('is not what a function prints itself: %s', (line) => {
    expect(outcomeReader().read(line)).toBeUndefined();
  });
});

describe('a line that a function prints and that only looks like one of batchlatch', () => {
  const line = (more: object): string =>
    JSON.stringify({ timestamp: '', level: 'INFO', requestId: 'r', ...more });

  it.each([
    ['an end that every object has', { message: 'settling', ends: [{ end: 'constructor', recordId: 'a' }] }],
    ['an end that is no text', { message: 'settling', ends: [{ end: { toString: 1 }, recordId: 'a' }] }],
    [
      'a record that is no text',
      { message: 'settling', ends: [{ end: 'complete', recordId: { toString: 1 } }] },
    ],
    ['a failure of none', { message: 'failed', recordId: { toString: 1 } }],
  ])('does not end the command: %s', (_, fields) => {
    const reader = outcomeReader();
    expect(() => reader.read(line(fields))).not.toThrow();
    expect(() => reader.rest('r')).not.toThrow();
  });
});
