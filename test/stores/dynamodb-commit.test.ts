import * as sdk from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimStore, type CommitOutcome, type Completion, createBatchProcessor } from 'batchlatch';
import {
  commit as commitInHandler,
  type CommitItem,
  dynamoDBStore,
  type DynamoDBStoreOptions,
} from 'batchlatch/dynamodb';
import { type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { powertoolsAttributesNamed } from 'batchlatch/powertools';
import { tunedClient } from '../../src/stores/dynamodb/sdk/own-client.ts';
import { transactEffect } from '../../src/stores/dynamodb/commit.ts';
import { effectCounters } from '../support/effect-counters.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import {
  awsException,
  failCalls,
  loseAnswers,
  type SentRequest,
  watchRequests,
} from '../support/sdk-traffic.ts';

const table = emulatedTable('dynoxide');
const effects = effectCounters();
beforeAll(() => effects.create(table.newClient()));

interface Held {
  readonly client: DynamoDBClient;
  readonly store: ClaimStore;
  readonly clock: ManualClock;
  readonly key: string;
  readonly completion: Completion;
  /** Adds one to the counter named after the key. */
  readonly addOne: CommitItem;
  readonly sent: SentRequest[];
  commit(...items: CommitItem[]): ReturnType<NonNullable<ClaimStore['commit']>>;
  effect(): Promise<number>;
}

/** A claim that is held, on a client of its own. Waits between sendings take no time. */
async function held(options: Partial<DynamoDBStoreOptions> = {}): Promise<Held> {
  const client = (options.client as DynamoDBClient | undefined) ?? table.newClient();
  const clock = manualClock();
  const { tableName } = table;
  const store = dynamoDBStore({ tableName, client, clock, random: () => 0, ...options });
  const key = `commit-${randomUUID()}`;
  const owner = randomUUID();
  await store.acquire([{ key, owner, leaseMs: 30_000, retentionMs: 3_600_000 }]);
  const completion: Completion = { end: 'complete', key, owner, retentionMs: 3_600_000, result: '"done"' };
  return {
    client,
    store,
    clock,
    key,
    completion,
    addOne: effects.addOne(key),
    sent: watchRequests(client),
    async commit(...items) {
      let isOver = false;
      const committing = (store.commit as NonNullable<ClaimStore['commit']>)(
        completion,
        transactEffect(items),
      ).finally(() => {
        isOver = true;
      });
      committing.catch(() => undefined);
      while (!isOver) {
        await clock.advance(1);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
      return committing;
    },
    effect: async () => effects.read(key),
  };
}

const transactionsIn = (sent: readonly SentRequest[]): TransactWriteItemsCommandInput[] =>
  sent
    .filter(({ operation }) => operation === 'TransactWriteItems')
    .map(({ input }) => input as TransactWriteItemsCommandInput);

const cancelled = (...codes: string[]): Error =>
  Object.assign(awsException('TransactionCanceledException', 'cancelled'), {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe('a commit in DynamoDB', () => {
  it('is one request with the claim first', async () => {
    const { commit, sent, addOne, effect } = await held();
    expect(await commit(addOne)).toBe('stored');
    expect(sent).toHaveLength(1);
    const [{ TransactItems = [], ClientRequestToken = '' } = {}] = transactionsIn(sent);
    expect(TransactItems.map((item) => item.Update?.TableName)).toEqual([table.tableName, effects.tableName]);
    expect(ClientRequestToken).toMatch(/^[0-9a-f]{36}$/);
    expect(await effect()).toBe(1);
  });

  it('takes a request for the claims of its batch, one for itself, and none to settle', async () => {
    const client = table.newClient();
    const sent = watchRequests(client);
    const handler = createBatchProcessor<{ name: string }>(
      ({ body }, context) => commitInHandler(context, [effects.addOne(body.name)]),
      {
        store: dynamoDBStore({ tableName: table.tableName, client }),
        observer: { onEvent: () => undefined },
        namespace: randomUUID(),
      },
    );
    const names = [randomUUID(), randomUUID()];
    const event = sqsEvent(names.map((name) => ({ body: { name } })));
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(sent.map(({ operation }) => operation).sort()).toEqual([
      'BatchExecuteStatement',
      'TransactWriteItems',
      'TransactWriteItems',
    ]);
    expect(await Promise.all(names.map(async (name) => effects.read(name)))).toEqual([1, 1]);
  });

  it('takes 99 items and refuses 100 before anything is sent', async () => {
    const { commit, sent, key, store } = await held();
    const items = Array.from({ length: 100 }, (_, index) => effects.addOne(`${key}-${index}`));
    expect(await commit(...items)).toMatchObject({ refused: { code: 'BATCHLATCH_COMMIT_ITEMS' } });
    expect(sent).toEqual([]);
    expect((await store.inspect(key))?.status).toBe('IN_PROGRESS');
    expect(await commit(...items.slice(1))).toBe('stored');
    expect(await effects.read(`${key}-99`)).toBe(1);
  });

  it('is done once and known to be when its answer was lost, with the same token again', async () => {
    const { client, commit, sent, addOne, effect } = await held();
    loseAnswers(client, (nth) => nth === 1);
    expect(await commit(addOne)).toBe('stored');
    const tokens = transactionsIn(sent).map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens).toHaveLength(2);
    expect(new Set(tokens).size).toBe(1);
    expect(await effect()).toBe(1);
  });

  it('is found in the row when no sending of it was ever answered', async () => {
    const { client, commit, sent, addOne, effect } = await held();
    loseAnswers(client, (_, operation) => operation === 'TransactWriteItems');
    expect(await commit(addOne)).toBe('stored');
    expect(transactionsIn(sent).length).toBeGreaterThan(3);
    expect(await effect()).toBe(1);
  });

  it('is an error when nobody can say whether it is written', async () => {
    const { client, commit, addOne, effect } = await held();
    failCalls(client, (operation) =>
      operation === 'TransactWriteItems'
        ? Object.assign(new Error('no answer'), { name: 'TimeoutError' })
        : undefined,
    );
    expect(await commit(addOne)).toMatchObject({ error: { code: 'BATCHLATCH_STORE', isRetryable: true } });
    expect(await effect()).toBe(0);
  });

  it('is no final refusal when an earlier sending went unanswered: that one may still arrive', async () => {
    const { client, commit, addOne, key, store } = await held();
    let calls = 0;
    failCalls(client, (operation) => {
      if (operation !== 'TransactWriteItems') return undefined;
      calls += 1;
      return calls === 1 ? Object.assign(new Error('no answer'), { name: 'TimeoutError' }) : undefined;
    });
    expect(await commit(addOne, effects.refused())).toMatchObject({ error: { isRetryable: true } });
    expect((await store.inspect(key))?.status).toBe('IN_PROGRESS');
  });

  it('is no final refusal either when it was the SDK that sent it again', async () => {
    const { client, commit, addOne, sent } = await held();
    let isLost = true;
    client.middlewareStack.add(
      (next) => (args) => {
        if (!isLost) return next(args);
        isLost = false;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      },
      { step: 'deserialize', name: 'loseRequest' },
    );
    expect(await commit(addOne, effects.refused())).toMatchObject({ error: { isRetryable: true } });
    expect(transactionsIn(sent)).toHaveLength(2);
  });

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'is sent again after %s',
    async (code) => {
      const { client, commit, addOne, effect } = await held();
      let calls = 0;
      failCalls(client, (operation) => {
        if (operation !== 'TransactWriteItems') return undefined;
        calls += 1;
        return calls <= 3 ? cancelled('None', code) : undefined;
      });
      expect(await commit(addOne)).toBe('stored');
      expect(calls).toBe(4);
      expect(await effect()).toBe(1);
    },
  );

  it('is sent again while the same token is being worked on', async () => {
    const { client, commit, addOne } = await held();
    let calls = 0;
    failCalls(client, (operation) => {
      if (operation !== 'TransactWriteItems') return undefined;
      calls += 1;
      return calls === 1 ? awsException('TransactionInProgressException', 'in progress') : undefined;
    });
    expect(await commit(addOne)).toBe('stored');
  });

  it('gives up on a conflict that does not end, after 8 sendings, or when the signal is aborted', async () => {
    const { client, commit, addOne, store, completion } = await held();
    let calls = 0;
    failCalls(client, (operation) => {
      if (operation !== 'TransactWriteItems') return undefined;
      calls += 1;
      return cancelled('TransactionConflict', 'None');
    });
    expect(await commit(addOne)).toMatchObject({ error: { isRetryable: true } });
    expect(calls).toBe(8);
    const outcome = await store.commit?.(completion, transactEffect([addOne]), {
      signal: AbortSignal.abort(),
    });
    expect(outcome).toMatchObject({ error: { isRetryable: true } });
    expect(calls).toBe(9);
  });

  it('is lost when another owner takes over between its claim and its arrival', async () => {
    const { client, clock, commit, addOne, effect, key, store } = await held();
    let isTaken = false;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'TransactWriteItemsCommand' && !isTaken) {
          isTaken = true;
          const later = manualClock(clock.now() + 30_000);
          const rival = dynamoDBStore({
            tableName: table.tableName,
            client: table.newClient(),
            clock: later,
          });
          await rival.acquire([{ key, owner: 'rival', leaseMs: 1_000, retentionMs: 1_000 }]);
        }
        return next(args);
      },
      { step: 'initialize', name: 'takeover' },
    );
    expect(await commit(addOne)).toBe('lost');
    expect((await store.inspect(key))?.owner).toBe('rival');
    expect(await effect()).toBe(0);
  });

  it('finds itself in the row when its claim is completed already', async () => {
    const { commit, addOne, effect, sent } = await held();
    expect(await commit(addOne)).toBe('stored');
    sent.length = 0;
    expect(await commit(addOne)).toBe('stored');
    expect(sent.map(({ operation }) => operation)).toEqual(['TransactWriteItems', 'BatchGetItem']);
    expect(await effect()).toBe(1);
  });

  it('shows the item that did not fit when it was asked to', async () => {
    const first = await held();
    const item: CommitItem = {
      Put: {
        TableName: effects.tableName,
        Item: { name: first.key, count: 7, bytes: new Uint8Array([1, 2]) },
        ConditionExpression: 'attribute_not_exists(#name)',
        ExpressionAttributeNames: { '#name': 'name' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
    expect(await first.commit(item)).toBe('stored');
    const second = await held();
    expect(await second.commit(item)).toEqual({
      refused: expect.objectContaining({
        code: 'BATCHLATCH_COMMIT_REFUSED',
        reasons: [
          {
            index: 0,
            code: 'ConditionalCheckFailed',
            item: { name: first.key, count: 7, bytes: new Uint8Array([1, 2]) },
          },
        ],
      }),
    });
  });

  it('shows numbers that only DynamoDB holds exactly, as bigints or as the nearest numbers', async () => {
    const { client, commit, key } = await held();
    const numbers = {
      L: ['7', '12345678901234567890', '12345678901234567890.5'].map((N) => ({ N })),
    };
    const Item = { name: { S: key }, numbers };
    await client.send(new sdk.PutItemCommand({ TableName: effects.tableName, Item }));
    const outcome = await commit({
      Delete: {
        TableName: effects.tableName,
        Key: { name: key },
        ConditionExpression: 'attribute_exists(nowhere)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    });
    const nearest = Number('12345678901234567890.5');
    expect(outcome).toMatchObject({
      refused: { reasons: [{ item: { numbers: [7, 12_345_678_901_234_567_890n, nearest] } }] },
    });
  });

  it('says what is wrong with an expression, and that trying again does not help', async () => {
    const { commit, key } = await held();
    const wrong: CommitItem = {
      Update: { TableName: effects.tableName, Key: { name: key }, UpdateExpression: 'ADD nonsense' },
    };
    expect(await commit(wrong)).toMatchObject({ error: { isRetryable: false } });
    const missing: CommitItem = { Delete: { TableName: 'no-such-table', Key: { name: key } } };
    expect(await commit(missing)).toMatchObject({ error: { code: 'BATCHLATCH_TABLE_NOT_FOUND' } });
  });

  it('says that an item is too large, and not that the row of the claim is', async () => {
    const { client, commit, addOne } = await held();
    const message = 'Item size has exceeded the maximum allowed size'; // of an update: 'Item size to update'
    failCalls(client, () => awsException('ValidationException', message));
    const outcome = await commit(addOne);
    expect(outcome).toMatchObject({ error: { code: 'BATCHLATCH_STORE', isRetryable: false } });
    expect((outcome as { error: Error }).error.message).toBe(
      `DynamoDB cannot put an item of the transaction, which is larger than 400 KB: ${message}`,
    );
  });

  it("names the action and the table that a policy refuses, also where it is the items' own", async () => {
    const { client, commit, addOne } = await held();
    const message =
      'User: arn:aws:sts::1:assumed-role/r/f is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:1:table/ledger';
    failCalls(client, () => awsException('AccessDeniedException', message));
    const outcome = await commit(addOne);
    expect(outcome).toMatchObject({ error: { code: 'BATCHLATCH_ACCESS_DENIED' } });
    expect((outcome as { error: Error }).error.message).toContain('dynamodb:PutItem on table `ledger`');
  });

  it('works with other attribute names', async () => {
    const { commit, addOne, key } = await held({ attributes: { owner: 'holder', status: 'state' } });
    expect(await commit(addOne)).toBe('stored');
    expect(await table.rowOf(key)).toMatchObject({ state: { S: 'COMPLETED' } });
  });
});

function refusalIn(outcome: CommitOutcome): string {
  return typeof outcome === 'object' && 'refused' in outcome ? outcome.refused.message : '';
}

describe('items of a commit', () => {
  const good = { TableName: 't', Key: { name: 'a' } };
  it.each<[string, unknown]>([
    ['none', []],
    ['no array', { length: 1 }],
    ['a string', ['Put']],
    ['two at once', [{ Delete: good, Put: { TableName: 't', Item: {} } }]],
    ['an unknown kind', [{ Get: good }]],
    ['no table', [{ Delete: { Key: { name: 'a' } } }]],
    ['no key', [{ Delete: { TableName: 't' } }]],
    ['no item', [{ Put: { TableName: 't' } }]],
    ['no update expression', [{ Update: good }]],
    ['no condition', [{ ConditionCheck: good }]],
    ['values that are none', [{ Delete: { ...good, ExpressionAttributeValues: [] } }]],
    ['a date', [{ Put: { TableName: 't', Item: { at: new Date() } } }]],
    ['a function', [{ Put: { TableName: 't', Item: { at: () => 1 } } }]],
    ['NaN', [{ Put: { TableName: 't', Item: { deep: [{ at: Number.NaN }] } } }]],
    ['a blob', [{ Put: { TableName: 't', Item: { at: new Blob(['x']) } } }]],
  ])('are refused before anything is sent: %s', async (_, items) => {
    const { store, completion, sent } = await held();
    expect(await store.commit?.(completion, transactEffect(items))).toMatchObject({
      refused: { code: 'BATCHLATCH_COMMIT_ITEMS' },
    });
    expect(sent).toEqual([]);
  });

  it('are refused where they write the row of the claim itself, by name or by ARN', async () => {
    const { commit, key, sent } = await held();
    const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${table.tableName}`;
    for (const TableName of [table.tableName, arn]) {
      expect(refusalIn(await commit({ Delete: { TableName, Key: { id: key } } }))).toContain(
        "claim's own row",
      );
    }
    expect(sent).toEqual([]);
  });

  it('are refused where they write it in a table with a sort key, and not where they write beside it', async () => {
    const tableName = `sorted-${randomUUID()}`;
    const client = table.newClient();
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    const attributes = powertoolsAttributesNamed({
      keyAttr: 'pk',
      sortKeyAttr: 'sk',
      staticPkValue: 'claims',
    });
    const { commit, key, store } = await held({ tableName, client, attributes });
    const item = (pk: string): CommitItem => ({ Put: { TableName: tableName, Item: { pk, sk: key } } });
    expect(refusalIn(await commit(item('claims')))).toContain("claim's own row");
    expect(await commit(item('elsewhere'))).toBe('stored');
    expect((await store.inspect(key))?.status).toBe('COMPLETED');
  });

  it('are refused without their values in the message, which may be a secret', async () => {
    const { commit } = await held();
    class Secret {
      toString(): string {
        return 'hush';
      }
    }
    const refusal = refusalIn(await commit({ Put: { TableName: 't', Item: { card: new Secret() } } }));
    expect(refusal).toContain('at "card"');
    expect(refusal).not.toContain('hush');
  });
});

describe('values of items', () => {
  const clients: DynamoDBClient[] = [];
  afterAll(() => clients.forEach((client) => client.destroy()));

  it.each(['a client as the SDK makes it', "the store's own client"])(
    'arrive as they are, by %s',
    async (by) => {
      process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
      const client = by.startsWith('a client') ? table.newClient() : tunedClient(sdk);
      clients.push(client);
      const { commit, key } = await held({ client });
      const Item = {
        name: key,
        bytes: new Uint8Array([0, 1, 255]),
        view: new DataView(new Uint8Array([9, 8, 7]).buffer, 1),
        set: new Set([new Uint8Array([7])]),
        deep: { list: [new Uint8Array([5]), 12_345_678_901_234_567_890n, null, true, undefined, 'text'] },
        left: undefined,
      };
      expect(await commit({ Put: { TableName: effects.tableName, Item } })).toBe('stored');
      const get = new GetItemCommand({ TableName: effects.tableName, Key: { name: { S: key } } });
      expect((await table.newClient().send(get)).Item).toEqual({
        name: { S: key },
        bytes: { B: new Uint8Array([0, 1, 255]) },
        view: { B: new Uint8Array([8, 7]) },
        set: { BS: [new Uint8Array([7])] },
        deep: {
          M: {
            list: {
              L: [
                { B: new Uint8Array([5]) },
                { N: '12345678901234567890' },
                { NULL: true },
                { BOOL: true },
                { S: 'text' },
              ],
            },
          },
        },
      });
    },
  );
});

describe('a DynamoDB without transactions', () => {
  const dynalite = emulatedTable('dynalite');

  it('says so', async () => {
    const { tableName } = dynalite;
    const store = dynamoDBStore({ tableName, client: dynalite.newClient(), writes: 'single' });
    const key = randomUUID();
    await store.acquire([{ key, owner: 'me', leaseMs: 1_000, retentionMs: 1_000 }]);
    const outcome = await store.commit?.(
      { end: 'complete', key, owner: 'me', retentionMs: 1_000 },
      effects.effect([key]),
    );
    expect(outcome).toMatchObject({ error: { isRetryable: false } });
    expect((outcome as { error: Error }).error.message).toContain('does not support TransactWriteItems');
  });
});
