import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, type RecordContext } from 'batchlatch';
import { commit, dynamoDBStore } from 'batchlatch/dynamodb';
import { dynamoDBOutbox } from 'batchlatch/outbox';
import { manualClock, sqsEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import { createClaimsTable } from '../support/claims-table.ts';
import { emulatedOutbox } from '../support/emulated-outbox.ts';
import { orders } from '../support/outbox-rows.ts';

const table = emulatedOutbox();
const body = { orderId: 'o-1', tenantId: 'a' };

/** Runs one record through a handler whose claims are in DynamoDB. Gives what the handler threw. */
async function handled(handle: (context: RecordContext) => Promise<unknown>): Promise<unknown> {
  let thrown: unknown;
  const store = dynamoDBStore({ client: table.client, tableName: await createClaimsTable(table.client) });
  const handler = createBatchProcessor(
    async (_, context) => {
      await handle(context).catch((error: unknown) => {
        thrown = error;
      });
    },
    { store, namespace: 'outbox', observer: { onEvent: () => undefined } },
  );
  await handler(sqsEvent([{ body: {} }]));
  return thrown;
}

/** An item in the outbox's own table, so that a test needs no other. */
const effect = (ConditionExpression?: string) => ({
  Put: {
    TableName: table.tableName,
    Item: { lane: 'effect', position: 'x' },
    ...(ConditionExpression !== undefined && { ConditionExpression }),
  },
});

describe('a message of a DynamoDB outbox', () => {
  it('is written by commit with the effect and the completion', async () => {
    const thrown = await handled((context) =>
      commit(context, [effect(), table.outbox.message('OrderPlaced', body)]),
    );
    expect(thrown).toBeUndefined();
    expect(await table.stored()).toHaveLength(2);
    expect(await table.rows()).toMatchObject([
      {
        lane: { S: 'group:a' },
        type: { S: 'OrderPlaced' },
        body: { S: JSON.stringify(body) },
        messageGroup: { S: 'a' },
        attributes: {
          M: { type: { S: 'OrderPlaced' }, outboxId: { S: expect.stringMatching(/^[\da-f-]{36}$/) } },
        },
      },
    ]);
  });

  it('is not written if the transaction is refused', async () => {
    const thrown = await handled((context) =>
      commit(context, [effect('attribute_exists(lane)'), table.outbox.message('OrderPlaced', body)]),
    );
    expect(thrown).toMatchObject({ code: 'BATCHLATCH_COMMIT_REFUSED', reasons: [{ index: 0 }] });
    expect(await table.stored()).toEqual([]);
  });

  it('fails the commit if its body does not fit; the handler may commit others', async () => {
    const invalid = { orderId: 1, tenantId: 'a' } as unknown as typeof body;
    const thrown = await handled(async (context) => {
      await expect(
        commit(context, [effect(), table.outbox.message('OrderPlaced', invalid)]),
      ).rejects.toMatchObject({
        code: 'BATCHLATCH_INVALID_MESSAGE',
      });
      expect(await table.stored()).toEqual([]);
      await commit(context, [effect(), table.outbox.message('OrderPlaced', body)]);
    });
    expect(thrown).toBeUndefined();
    expect(await table.rows()).toHaveLength(1);
  });

  it('of a commit that is not allowed rejects with the commit alone', async () => {
    const invalid = {} as unknown as typeof body;
    const thrown = await handled(async (context) => {
      await commit(context, [effect()]);
      await commit(context, [table.outbox.message('OrderPlaced', invalid)]);
    });
    expect(thrown).toMatchObject({ code: 'BATCHLATCH_COMMIT_NOT_ALLOWED' });
  });

  it('of a commit without a context rejects with the commit alone', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): unknown => rejections.push(reason);
    process.on('unhandledRejection', note);
    try {
      const committed = commit(undefined, [
        effect(),
        table.outbox.message('OrderPlaced', {} as unknown as typeof body),
      ]);
      await expect(committed).rejects.toThrow('there is no attempt behind this one');
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it("is an entry of lib-dynamodb's transactions, without a cast", async () => {
    const items: TransactWriteCommandInput['TransactItems'] = [
      await table.outbox.message('OrderPlaced', body),
      ...(await table.outbox.inOrder([{ type: 'OrderPlaced', body }])),
    ];
    await table.transact(...items);
    expect(await table.rows()).toHaveLength(2);
  });

  it('has a body of at most 300 KB; a larger one goes to the storage first', async () => {
    const documents = messages({ Text: message(z.object({ text: z.string() })) });
    const options = { tableName: table.tableName, client: table.client, messages: documents };
    const text = 'é'.repeat(150 * 1_024);
    await expect(dynamoDBOutbox(options).message('Text', { text })).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
      message: expect.stringContaining('307211 bytes'),
    });
    const stored: string[] = [];
    const large = { put: (one: string) => Promise.resolve(`pointer ${stored.push(one)}`) };
    const { Put } = await dynamoDBOutbox({ ...options, large }).message('Text', { text });
    expect(stored).toEqual([JSON.stringify({ text })]);
    expect(Put.Item).toMatchObject({ body: 'pointer 1', attributes: { ExtendedPayloadSize: '307211' } });
    const fits = await dynamoDBOutbox(options).message('Text', { text: 'é'.repeat(150 * 1_024 - 6) });
    await table.transact(fits);
  });

  it.each([
    [{ traceparent: '00-1-2-01', tracestate: '' }, { traceparent: '00-1-2-01' }],
    [{ traceparent: undefined, tracestate: undefined }, {}],
  ])('carries of the trace context %j what a target accepts', async (headers, carried) => {
    const trace = () => headers as { readonly traceparent: string };
    const outbox = dynamoDBOutbox({ tableName: table.tableName, messages: orders, trace });
    const { Put } = await outbox.message('MailWanted', { to: 'ann' });
    const { outboxId } = Put.Item;
    expect(Put.Item['attributes']).toStrictEqual({ type: 'MailWanted', outboxId, ...carried });
  });

  it('is refused for an impossible group, and before its large body is stored', async () => {
    const text = z.object({ text: z.string(), tenant: z.string() });
    const documents = messages({ Text: message(text, { group: 'tenant' }) });
    const large = { put: () => Promise.reject(new Error('It was stored')) };
    const outbox = dynamoDBOutbox({ tableName: table.tableName, messages: documents, large });
    for (const length of [1, 310_000]) {
      const refused = outbox.message('Text', { text: 'a'.repeat(length), tenant: 'a b' });
      await expect(refused).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
    }
  });

  it.each(['fails', 'is silent'])('is not written if the storage %s', async (how) => {
    const documents = messages({ Text: message(z.object({ text: z.string() })) });
    const clock = manualClock();
    const large = {
      put: (): Promise<string> => {
        if (how === 'fails') return Promise.reject(new Error('no bucket'));
        setImmediate(() => void clock.advance(30_000));
        return new Promise(() => undefined);
      },
    };
    const outbox = dynamoDBOutbox({ tableName: table.tableName, messages: documents, large, clock });
    await expect(outbox.message('Text', { text: 'a'.repeat(310_000) })).rejects.toThrow(
      how === 'fails' ? 'no bucket' : 'The body of Text was not stored in 30 seconds',
    );
  });
});

describe('messages in order', () => {
  const place = (orderId: string, tenantId = 'a') => ({
    type: 'OrderPlaced' as const,
    body: { orderId, tenantId },
  });

  it('of two transactions at once are refused for the second', async () => {
    const [one, other] = await Promise.all([
      table.outbox.inOrder([place('o-1')]),
      table.outbox.inOrder([place('o-2')]),
    ]);
    await table.transact(...one);
    await expect(table.transact(...other)).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    await table.transact(...(await table.outbox.inOrder([place('o-2')])));
    await expect(table.transact(...other)).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    expect(await table.rows()).toHaveLength(2);
  });

  it('have numbers that grow within a group, though the clock goes back', async () => {
    const clock = manualClock();
    const outbox = table.outboxAt(clock);
    await table.transact(...(await outbox.inOrder([place('o-1'), place('o-2'), place('b-1', 'b')])));
    const past = table.outboxAt({ ...clock, now: () => clock.now() - 60_000 });
    await table.transact(...(await past.inOrder([place('o-3')])));
    const rows = (await table.rows()).filter(({ messageGroup }) => messageGroup?.S === 'a');
    const first = clock.now();
    expect(
      rows.map(({ body: { S = '' } = {}, number, after }) => [
        (JSON.parse(S) as typeof body).orderId,
        number?.N,
        after?.N,
      ]),
    ).toEqual([
      ['o-1', String(first), undefined],
      ['o-2', String(first + 1), String(first)],
      ['o-3', String(first + 2), String(first + 1)],
    ]);
  });

  it('need a group', async () => {
    await expect(table.outbox.inOrder([{ type: 'MailWanted', body: { to: 'ann' } }])).rejects.toThrow(
      'inOrder: Expected the type MailWanted to have a `group`, whose order is kept',
    );
  });
});

describe('dynamoDBOutbox', () => {
  it.each([{ queueUrl: 'https://sqs/1/q.fifo' }, { topicArn: 'arn:aws:sns:r:1:t.fifo' }])(
    'refuses a type without a group at start if it sends to %j',
    (to) => {
      expect(() => dynamoDBOutbox({ tableName: 'outbox', messages: orders, to })).toThrow(
        'dynamoDBOutbox: `MailWanted` has no `group`, which a FIFO target needs',
      );
    },
  );

  it('refuses a place for large bodies at start if it sends to an event bus', () => {
    const to = { eventBusName: 'bus', source: 'shop' };
    const large = { put: async () => '["pointer"]' };
    expect(() => dynamoDBOutbox({ tableName: 'outbox', messages: orders, to, large })).toThrow(
      'dynamoDBOutbox: `large` is for queues and topics',
    );
  });

  it('takes any other target', () => {
    const withClient = { client: { sendMessageBatch: () => undefined }, queueUrl: 'https://sqs/1/q' };
    for (const to of [withClient, { eventBusName: 'bus.fifo', source: 'shop' }]) {
      expect(() => dynamoDBOutbox({ tableName: 'outbox', messages: orders, to })).not.toThrow();
    }
  });

  it('reads the name of its table from OUTBOX_TABLE_NAME, and names it where there is none', async () => {
    const outbox = dynamoDBOutbox({ messages: orders });
    await expect(outbox.message('MailWanted', { to: 'ann' })).rejects.toThrow('OUTBOX_TABLE_NAME');
    process.env['OUTBOX_TABLE_NAME'] = 'from-environment';
    try {
      const { Put } = await outbox.message('MailWanted', { to: 'ann' });
      expect(Put.TableName).toBe('from-environment');
    } finally {
      delete process.env['OUTBOX_TABLE_NAME'];
    }
  });
});
