import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, jsonLines } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { powertools } from 'batchlatch/observe';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';

type Messages = Parameters<typeof sqsEvent>[0];
type Line = Readonly<Record<string, unknown>>;

/** A processor whose `groups` of each batch are returned, with the text of all its lines. */
function logged(written: string[] = []) {
  const write = (line: string): void => void written.push(line);
  const observer = jsonLines({ write, level: 'info' });
  const process = createBatchProcessor(() => undefined, { store: memoryStore(), observer });
  return async (messages: Messages, queueName = 'orders'): Promise<unknown> => {
    await process(sqsEvent(messages, { queueName }), lambdaContext());
    return (JSON.parse(written.at(-1) ?? '{}') as Line)['groups'];
  };
}

const ofGroup = (messageGroupId: string) => ({ body: {}, messageGroupId });
const each = (count: number, groupOf: (index: number) => string): Messages =>
  Array.from({ length: count }, (_, index) => ofGroup(groupOf(index)));

describe('The log line of a batch', () => {
  it('has the message groups of a standard queue, counted across batches', async () => {
    const groupsOf = logged();
    expect(await groupsOf([ofGroup('a'), ofGroup('a'), { body: {} }])).toEqual({ messages: 2, distinct: 1 });
    expect(await groupsOf([ofGroup('b'), ofGroup('a')])).toEqual({ messages: 4, distinct: 2 });
  });

  it('has no groups where messages have none, come again, or are of a FIFO queue', async () => {
    const groupsOf = logged();
    expect(await groupsOf([{ body: {} }])).toBeUndefined();
    expect(await groupsOf([{ ...ofGroup('a'), receiveCount: 2 }])).toBeUndefined();
    expect(await groupsOf([ofGroup('a')], 'orders.fifo')).toBeUndefined();
  });

  it('starts to count again after 1,000 messages', async () => {
    const groupsOf = logged();
    expect(await groupsOf(each(1_000, String))).toEqual({ messages: 1_000, distinct: 1_000 });
    expect(await groupsOf(each(10, () => 'a'))).toEqual({ messages: 10, distinct: 1 });
  });

  it('does not name the groups', async () => {
    const written: string[] = [];
    await logged(written)([ofGroup('tenant-4711')]);
    expect(written.join('\n')).toContain('"groups"');
    expect(written.join('\n')).not.toContain('4711');
  });

  it("has them through Powertools' logger too", async () => {
    const fields: Line[] = [];
    const log = (_message: string, more: object): void => void fields.push(more as Line);
    const logger = { debug: log, info: log, warn: log, error: log, getLevelName: () => 'INFO' };
    const process = createBatchProcessor(() => undefined, {
      store: memoryStore(),
      observer: powertools({ logger }),
    });
    await process(sqsEvent([ofGroup('a')]), lambdaContext());
    expect(fields.at(-1)).toMatchObject({ records: 1, groups: { messages: 1, distinct: 1 } });
  });
});
