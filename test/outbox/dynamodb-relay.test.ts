import { BatchExecuteStatementCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { relay, type OutboxStreamHandler } from 'batchlatch/outbox';
import { emulatedOutbox, scriptedSender, type ScriptedSender } from '../support/emulated-outbox.ts';
import { streamOf } from '../support/outbox-rows.ts';

const table = emulatedOutbox();

const relayOf = (sender: ScriptedSender, lines: string[] = []): OutboxStreamHandler =>
  relay(sender, { tableName: table.tableName, client: table.client, write: (line) => void lines.push(line) });
const placed = (orderId: string, tenantId = 'a') =>
  table.outbox.message('OrderPlaced', { orderId, tenantId });
const bodyOf = (orderId: string, tenantId = 'a'): string => JSON.stringify({ orderId, tenantId });
const numberOf = (event: DynamoDBStreamEvent, index: number) => ({
  itemIdentifier: event.Records[index]?.dynamodb?.SequenceNumber,
});
async function inOrder(...orderIds: string[]): Promise<void> {
  const all = orderIds.map((orderId) => ({ type: 'OrderPlaced' as const, body: { orderId, tenantId: 'a' } }));
  await table.transact(...(await table.outbox.inOrder(all)));
}
/** The stream's record of one group. */
const ofGroup = (group: string) => streamOf([{ lane: { S: `group:${group}` }, position: { S: '1' } }]);

/** A client that answers commands in its own way, or passes them on. */
function clientThat(answer: (command: unknown, send: () => Promise<unknown>) => Promise<unknown>) {
  const send = (command: never, ...rest: never[]): Promise<unknown> =>
    answer(command, () => table.client.send(command, ...rest));
  return Object.create(table.client, { send: { value: send } }) as typeof table.client;
}

describe('a relay of a DynamoDB outbox', () => {
  it('sends new rows with what the transaction wrote, and deletes them', async () => {
    await table.transact(await placed('o-1'), await table.outbox.message('MailWanted', { to: 'ann' }));
    const event = await table.streamed();
    const alone = (await table.rows()).find(({ messageGroup }) => messageGroup === undefined);
    const sender = scriptedSender();
    const seen: unknown[] = [];
    const watched = {
      sendEncoded: ((all, options) => (
        seen.push(...all),
        sender.sendEncoded(all, options)
      )) as ScriptedSender['sendEncoded'],
    };
    const handler = relay(watched, { tableName: table.tableName, client: table.client });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(await table.stored()).toEqual([]);
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'OrderPlaced',
          body: bodyOf('o-1'),
          group: 'a',
          deduplicationId: expect.stringMatching(/^[\da-f]{64}$/),
        }),
        expect.objectContaining({
          type: 'MailWanted',
          group: undefined,
          attributes: { type: 'MailWanted', outboxId: alone?.['outboxId']?.S },
        }),
      ]),
    );
  });

  it('sends nothing for a batch that comes again', async () => {
    await table.transact(await placed('o-1'), await table.outbox.message('MailWanted', { to: 'ann' }));
    const event = await table.streamed();
    const sender = scriptedSender();
    const handler = relayOf(sender);
    await handler(event);
    await handler(event);
    expect(sender.sent).toHaveLength(2);
  });

  it('parks what the target refuses for good, and holds its group and no other', async () => {
    await inOrder('bad', 'later');
    await table.transact(await placed('fine', 'b'));
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('bad'), 'for good');
    const lines: string[] = [];
    expect(await relayOf(sender, lines)(await table.streamed())).toEqual({ batchItemFailures: [] });
    await relayOf(sender)(await table.streamed());
    expect(sender.sent).toEqual([bodyOf('fine', 'b')]);
    expect(sender.calls.flat().filter((body) => body === bodyOf('bad'))).toHaveLength(1);
    const [parked, held] = await table.rows();
    expect(parked).toMatchObject({
      unsent: { S: expect.stringMatching(/^PARKED#\d$/) },
      error: { M: { name: { S: 'Error' }, message: { S: 'Refused for good' } } },
    });
    expect(held).toMatchObject({ unsent: { S: expect.stringMatching(/^WAITING#\d$/) } });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'error', message: 'outboxRowParked', outboxId: parked?.['outboxId']?.S, type: 'OrderPlaced' },
    ]);
    expect(lines.join()).not.toContain('tenantId');
  });

  it('holds the later rows of a group without an order too', async () => {
    await table.transact(await placed('bad'));
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('bad'), 'for good');
    await relayOf(sender)(await table.streamed());
    await table.transact(await placed('later'));
    await relayOf(sender)(await table.streamed());
    expect(sender.sent).toEqual([]);
    expect(await table.rows()).toHaveLength(2);
  });

  it.each(['not now', 'unknown'] as const)('hands back what was sent with the answer "%s"', async (how) => {
    await table.transact(await table.outbox.message('MailWanted', { to: 'ann' }));
    await table.transact(await placed('o-1'));
    await table.transact(await placed('o-2', 'b'));
    const event = await table.streamed();
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('o-1'), how);
    const at = event.Records.findIndex(({ dynamodb }) => dynamodb?.Keys?.['lane']?.S === 'group:a');
    expect(await relayOf(sender)(event)).toEqual({ batchItemFailures: [numberOf(event, at)] });
    expect(sender.sent).toHaveLength(2);
    sender.refuses.clear();
    expect(await relayOf(sender)(event)).toEqual({ batchItemFailures: [] });
    expect(sender.sent).toHaveLength(3);
    expect(await table.rows()).toEqual([]);
  });

  it.each(['AccessDeniedException', 'QueueDoesNotExist', 'KMS.DisabledException', 'ConfigurationError'])(
    'parks nothing when the whole target refuses: %s',
    async (name) => {
      await table.transact(await placed('o-1'));
      const sender = scriptedSender();
      const cause = Object.assign(new Error('no'), { name });
      sender.refuses.set(bodyOf('o-1'), new Error('SQS refused the request', { cause }));
      const event = await table.streamed();
      expect(await relayOf(sender)(event)).toEqual({ batchItemFailures: [numberOf(event, 0)] });
      sender.refuses.clear();
      expect(await relayOf(sender)(event)).toEqual({ batchItemFailures: [] });
      expect(await table.rows()).toEqual([]);
    },
  );

  it('ignores changes, deletions and counters', async () => {
    await inOrder('o-1');
    const { Records } = await table.streamed();
    const changes = Records.flatMap((record) => [
      { ...record, eventName: 'MODIFY' as const },
      { ...record, eventName: 'REMOVE' as const },
    ]);
    const sender = scriptedSender();
    const counter = streamOf([{ lane: { S: 'group:a' }, position: { S: '#' } }]);
    expect(await relayOf(sender)({ Records: [...changes, ...counter.Records] })).toEqual({
      batchItemFailures: [],
    });
    expect(sender.calls).toEqual([]);
  });

  it('hands back a malformed record, and refuses an event of another service', async () => {
    const { Records } = ofGroup('a');
    const { Keys: _none, ...change } = Records[0]?.dynamodb ?? {};
    const event = { Records: [{ ...Records[0], dynamodb: change }] };
    expect(await relayOf(scriptedSender())(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: change.SequenceNumber }],
    });
    await expect(relayOf(scriptedSender())({ Records: [{ eventSource: 'aws:sqs' }] })).rejects.toThrow(
      'Cannot read',
    );
  });

  it('sends nothing when its time is over, and hands all back', async () => {
    await table.transact(await placed('o-1'));
    const sender = scriptedSender();
    const event = await table.streamed();
    const handler = relayOf(sender);
    expect(await handler(event, { getRemainingTimeInMillis: () => 0 })).toEqual({
      batchItemFailures: [numberOf(event, 0)],
    });
    expect(sender.calls).toEqual([]);
  });

  it('sends a group that is longer than a page, to its end', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `o-${String(index).padStart(3, '0')}`);
    for (let start = 0; start < ids.length; start += 40) await inOrder(...ids.slice(start, start + 40));
    const others = Array.from({ length: 99 }, (_, index) => ({
      lane: { S: `group:other-${index}` },
      position: { S: '1' },
    }));
    const sender = scriptedSender();
    const { Records } = streamOf([{ lane: { S: 'group:a' }, position: { S: '1' } }, ...others]);
    await relayOf(sender)({ Records });
    expect(sender.sent).toEqual(ids.map((id) => bodyOf(id)));
    expect(sender.calls.length).toBeGreaterThan(1);
    expect(await table.rows()).toEqual([]);
  });

  it('deletes what is sent after a throttled statement of a request that succeeded', async () => {
    await table.transact(await placed('o-1'));
    let throttled = 0;
    const client = clientThat((command, send) => {
      if (!(command instanceof BatchExecuteStatementCommand) || throttled > 0) return send();
      throttled += 1;
      return Promise.resolve({ Responses: [{ Error: { Code: 'ThrottlingError', Message: 'Slow down' } }] });
    });
    const handler = relay(scriptedSender(), { tableName: table.tableName, client });
    expect(await handler(await table.streamed())).toEqual({ batchItemFailures: [] });
    expect(throttled).toBe(1);
    expect(await table.rows()).toEqual([]);
  });

  it('deletes what it sent of other groups if the number of one cannot be noted', async () => {
    await inOrder('o-1');
    await table.transact(await placed('o-2', 'b'));
    const client = clientThat((command, send) =>
      command instanceof UpdateItemCommand ? Promise.reject(new Error('No access')) : send(),
    );
    const sender = scriptedSender();
    const event = await table.streamed();
    await expect(relay(sender, { tableName: table.tableName, client })(event)).rejects.toThrow('No access');
    expect(sender.sent).toHaveLength(2);
    expect((await table.rows()).map(({ messageGroup }) => messageGroup)).toEqual([{ S: 'a' }]);
  });

  it('sends the row behind more dropped bodies than a page has room for', async () => {
    for (let index = 0; index < 5; index += 1) {
      const { Put } = await placed('x'.repeat(290_000)); // a page ends at 1 MB
      await table.transact({ Put: { ...Put, Item: { ...Put.Item, unsent: 'DROPPED#0' } } });
    }
    await table.transact(await placed('last'));
    const sender = scriptedSender();
    const context = { getRemainingTimeInMillis: () => 3_000 };
    expect(await relayOf(sender)(ofGroup('a'), context)).toEqual({ batchItemFailures: [] });
    expect(sender.sent).toEqual([bodyOf('last')]);
  });
});

describe('the order of rows with numbers', () => {
  it('is the order of their transactions', async () => {
    await inOrder('o-1', 'o-2');
    await inOrder('o-3');
    const sender = scriptedSender();
    await relayOf(sender)(ofGroup('a'));
    expect(sender.sent).toEqual(['o-1', 'o-2', 'o-3'].map((id) => bodyOf(id)));
  });

  it('lets no row pass one that a read has not seen yet', async () => {
    await inOrder('o-1', 'o-2');
    const [first] = await table.rows();
    await table.transact(deletionOf(first));
    const sender = scriptedSender();
    const event = ofGroup('a');
    expect(await relayOf(sender)(event)).toEqual({ batchItemFailures: [numberOf(event, 0)] });
    expect(sender.sent).toEqual([]);
  });

  it('deletes a row that is noted as sent, without sending it again', async () => {
    await inOrder('o-1');
    const [row] = await table.rows();
    await table.transact({
      Update: {
        TableName: table.tableName,
        Key: { lane: 'group:a', position: '#' },
        UpdateExpression: 'SET sent = :number',
        ExpressionAttributeValues: { ':number': Number(row?.['number']?.N) },
      },
    });
    const sender = scriptedSender();
    await relayOf(sender)(ofGroup('a'));
    expect(sender.calls).toEqual([]);
    expect(await table.rows()).toEqual([]);
  });

  it('keeps a row that a sender without order sent before its turn, and sends it again', async () => {
    await inOrder('o-1', 'o-2');
    const sender = scriptedSender({ keepsOrder: false });
    sender.refuses.set(bodyOf('o-1'), 'not now');
    await relayOf(sender)(ofGroup('a'));
    expect(await table.rows()).toHaveLength(2);
    sender.refuses.clear();
    await relayOf(sender)(ofGroup('a'));
    expect(sender.sent).toEqual(['o-2', 'o-1', 'o-2'].map((id) => bodyOf(id)));
    expect(await table.rows()).toEqual([]);
  });

  it('goes on after the counter has expired, before and after a new one', async () => {
    await inOrder('o-1', 'o-2');
    const [first] = await table.rows();
    await table.transact(deletionOf(first), {
      Delete: { TableName: table.tableName, Key: { lane: 'group:a', position: '#' } },
    });
    await inOrder('o-3');
    const sender = scriptedSender();
    await relayOf(sender)(ofGroup('a'));
    await inOrder('o-4');
    await relayOf(sender)(ofGroup('a'));
    expect(sender.sent).toEqual(['o-2', 'o-3', 'o-4'].map((id) => bodyOf(id)));
  });
});

function deletionOf(row: Awaited<ReturnType<typeof table.rows>>[number] | undefined): object {
  return {
    Delete: { TableName: table.tableName, Key: { lane: row?.['lane']?.S, position: row?.['position']?.S } },
  };
}
