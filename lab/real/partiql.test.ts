import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { startComponent } from './support/start-component.ts';

// How PartiQL batches differ from one DynamoDB to the next. docs/decisions/0003 says what follows for the store: when a
// new version changes a line here, check that choice.

interface Traits {
  /** What a duplicate INSERT gets. */
  readonly duplicateInsert: string;
  /** Whether a refused INSERT brings the row along. */
  readonly oldItemOfInsert: boolean;
  /** Whether a refused UPDATE brings the row along, as AWS documents for ALL_OLD. */
  readonly oldItemOfUpdate: boolean;
  /** Whether refused single writes do, as AWS documents it: a PutItem and an UpdateItem. */
  readonly oldItemOfPut: boolean;
  readonly oldItemOfUpdateItem: boolean;
  /** What an UPDATE … RETURNING ALL NEW * answers: the row as it is then, or nothing. AWS gives the row. */
  readonly returning: 'row' | 'nothing' | 'error';
  readonly twoSetClauses: string;
  readonly removeList: string;
  /** Two statements on one key in a request. */
  readonly sameKeyTwice: 'refused' | 'refused, but the first has run' | 'both have run';
  readonly readsBesideWrites: 'refused' | 'run';
}

const traits = {
  'dynamodb-local': {
    duplicateInsert: 'DuplicateItem',
    oldItemOfInsert: false,
    oldItemOfPut: true,
    oldItemOfUpdateItem: true,
    returning: 'row',
    oldItemOfUpdate: true,
    twoSetClauses: 'ok',
    removeList: 'ValidationError',
    sameKeyTwice: 'refused, but the first has run',
    readsBesideWrites: 'refused',
  },
  dynoxide: {
    duplicateInsert: 'DuplicateItem',
    oldItemOfInsert: false,
    oldItemOfPut: true,
    oldItemOfUpdateItem: true,
    returning: 'row',
    oldItemOfUpdate: false,
    twoSetClauses: 'ValidationError',
    removeList: 'ok',
    sameKeyTwice: 'refused',
    readsBesideWrites: 'refused',
  },
  ministack: {
    duplicateInsert: 'DuplicateItem',
    oldItemOfInsert: false,
    oldItemOfPut: true,
    oldItemOfUpdateItem: true,
    returning: 'row',
    oldItemOfUpdate: true,
    twoSetClauses: 'ok',
    removeList: 'ok',
    sameKeyTwice: 'both have run',
    readsBesideWrites: 'run',
  },
} as const satisfies Record<string, Traits>;

for (const name of ['dynamodb-local', 'dynoxide', 'ministack'] as const) {
  describeWith([componentNamed(name)], `PartiQL batches on ${name}`, () => {
    const table = startedTable(name);
    const expected = traits[name];

    it('store the neighbours of a duplicate INSERT', async () => {
      await table.run(insert('there'));
      expect(await table.run(insert('before'), insert('there'), insert('after'))).toEqual([
        'ok',
        expected.duplicateInsert,
        'ok',
      ]);
      expect(await table.row('after')).toBeDefined();
    });

    it(`${brings(expected.oldItemOfInsert)} the row along that made them refuse an INSERT`, async () => {
      await table.run(insert('there'));
      const { Responses = [] } = await table.send(insert('there'));
      expect((Responses[0]?.Error?.Item ?? Responses[0]?.Item) !== undefined).toBe(expected.oldItemOfInsert);
    });

    it(`${brings(expected.oldItemOfUpdate)} the row along that made them refuse an UPDATE`, async () => {
      await table.run(insert('there', { n: { N: '7' } }));
      const { Responses = [] } = await table.send(update('SET "n" = 1', 'there', '"owner" = \'other\''));
      expect(Responses[0]?.Error?.Code).toBe('ConditionalCheckFailed');
      const row = Responses[0]?.Error?.Item ?? Responses[0]?.Item;
      expect(row).toEqual(expected.oldItemOfUpdate ? await table.row('there') : undefined);
    });

    it(`beside single writes: a refused PutItem ${brings(expected.oldItemOfPut)} it, an UpdateItem ${brings(expected.oldItemOfUpdateItem)} it`, async () => {
      await table.run(insert('there'));
      const refused = { TableName: table.name, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
      const rowOf = (thrown: { readonly Item?: unknown }) => thrown.Item !== undefined;
      const put = { Item: { id: { S: 'there' } }, ConditionExpression: 'attribute_not_exists(id)' };
      const putting = table.client.send(new PutItemCommand({ ...refused, ...put })).catch(rowOf);
      expect(await putting).toBe(expected.oldItemOfPut);
      const change = { Key: { id: { S: 'there' } }, UpdateExpression: 'SET n = :n' };
      const condition = {
        ConditionExpression: '#owner = :n',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':n': { N: '1' } },
      };
      const updating = table.client
        .send(new UpdateItemCommand({ ...refused, ...change, ...condition }))
        .catch(rowOf);
      expect(await updating).toBe(expected.oldItemOfUpdateItem);
    });

    it(`give for RETURNING ALL NEW *: ${expected.returning}`, async () => {
      await table.run(insert('there'));
      const { Statement, ...rest } = update('SET "n" = 1', 'there');
      const { Responses = [] } = await table.send({ ...rest, Statement: `${Statement} RETURNING ALL NEW *` });
      const [answer] = Responses;
      const seen = answer?.Error !== undefined ? 'error' : answer?.Item === undefined ? 'nothing' : 'row';
      expect(seen).toBe(expected.returning);
    });

    it('take the form that the store writes: one SET with commas, at most one REMOVE', async () => {
      await table.run(insert('there'));
      const change = update('SET "n" = 1, "m" = 2 REMOVE "absent"', 'there', '"owner" = \'me\'');
      expect(await table.run(change)).toEqual(['ok']);
    });

    it(`answer ${expected.twoSetClauses} to a SET after a SET, and ${expected.removeList} to REMOVE a, b`, async () => {
      await table.run(insert('there'), insert('there too'));
      expect(
        await table.run(update('SET "n" = 1 SET "m" = 2', 'there'), update('REMOVE "n", "m"', 'there too')),
      ).toEqual([expected.twoSetClauses, expected.removeList]);
    });

    it('create nothing with an UPDATE of a row that is not there', async () => {
      expect(await table.run(update('SET "n" = 1', 'nobody'))).toEqual(['ConditionalCheckFailed']);
      expect(await table.row('nobody')).toBeUndefined();
    });

    it(`with one key twice: ${expected.sameKeyTwice}`, async () => {
      const refused = await table.run(insert('twin'), update('SET "n" = 1', 'twin'));
      const row = await table.row('twin');
      const seen =
        refused === 'ValidationException'
          ? row === undefined
            ? 'refused'
            : 'refused, but the first has run'
          : 'both have run';
      expect(seen).toBe(expected.sameKeyTwice);
    });

    it(`with reads beside writes are ${expected.readsBesideWrites}`, async () => {
      const answer = await table.run(insert('written'), {
        Statement: `SELECT * FROM "${table.name}" WHERE "id" = 'anything'`,
      });
      expect(answer).toEqual(expected.readsBesideWrites === 'refused' ? 'ValidationException' : ['ok', 'ok']);
    });

    it('refuse one row that is too large, and store its neighbours', async () => {
      const large = insert('large', { result: { S: 'x'.repeat(400 * 1_024) } });
      expect(await table.run(insert('small'), large)).toEqual(['ok', 'ValidationError']);
    });

    it('name a missing table statement by statement, in an answer that succeeds', async () => {
      const elsewhere = { Statement: `INSERT INTO "no-such-table" VALUE {'id': 'x'}` };
      expect(await table.run(elsewhere, insert('here'))).toEqual(['ResourceNotFound', 'ok']);
    });

    it('carry 25 statements and refuse 26', async () => {
      const statements = Array.from({ length: 26 }, (_, index) => insert(`many-${index}`));
      expect(await table.run(...statements)).toBe('ValidationException');
      expect(await table.run(...statements.slice(1))).toEqual(Array(25).fill('ok'));
    });

    function insert(id: string, more: Record<string, AttributeValue> = {}): BatchStatementRequest {
      const row = { id: { S: id }, owner: { S: 'me' }, ...more };
      const members = Object.keys(row).map((attribute) => `'${attribute}': ?`);
      return {
        Statement: `INSERT INTO "${table.name}" VALUE {${members.join(', ')}}`,
        Parameters: Object.values(row),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
    }

    function update(change: string, id: string, condition?: string): BatchStatementRequest {
      const where = [`"id" = '${id}'`, ...(condition === undefined ? [] : [condition])].join(' AND ');
      return {
        Statement: `UPDATE "${table.name}" ${change} WHERE ${where}`,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
    }
  });
}

describeWith([componentNamed('moto')], 'PartiQL batches on moto', () => {
  const table = startedTable('moto');

  it('give no error for a duplicate INSERT, so they cannot carry claims', async () => {
    const insert = { Statement: `INSERT INTO "${table.name}" VALUE {'id': 'there'}` };
    await table.run(insert);
    expect(await table.run(insert)).toEqual(['ok']);
  });
});

describe('single writes on dynalite', () => {
  const table = startedTable('dynalite');

  it('there are no PartiQL batches', async () => {
    const insert = { Statement: `INSERT INTO "${table.name}" VALUE {'id': 'x'}` };
    expect(await table.run(insert)).toBe('UnknownOperationException');
  });

  it('a refused UpdateItem does not bring the row along', async () => {
    const change = new UpdateItemCommand({
      TableName: table.name,
      Key: { id: { S: 'nobody' } },
      UpdateExpression: 'SET n = :n',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeValues: { ':n': { N: '1' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await expect(table.client.send(change)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: undefined,
    });
  });
});

function brings(item: boolean): string {
  return item ? 'brings' : 'does not bring';
}

interface StartedTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  send(...statements: BatchStatementRequest[]): ReturnType<typeof sendBatch>;
  /** `ok` or the error's code for each statement; of a request that is refused as a whole the error's name. */
  run(...statements: BatchStatementRequest[]): Promise<string[] | string>;
  row(id: string): Promise<Record<string, AttributeValue> | undefined>;
}

/** The emulator of that name and a table on it, for all tests of a `describe`. */
function startedTable(emulator: string): StartedTable {
  let service: LocalService;
  let client: DynamoDBClient;
  let name: string;
  beforeAll(async () => {
    service = await startComponent(emulator);
    client = emulatorClient(service.endpoint);
    name = await createClaimsTable(client);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });
  return {
    get client() {
      return client;
    },
    get name() {
      return name;
    },
    send: (...statements) => sendBatch(client, statements),
    async run(...statements) {
      try {
        const { Responses = [] } = await sendBatch(client, statements);
        return Responses.map(({ Error }) => Error?.Code ?? 'ok');
      } catch (thrown) {
        return (thrown as Error).name;
      }
    },
    async row(id) {
      const get = new GetItemCommand({ TableName: name, Key: { id: { S: id } }, ConsistentRead: true });
      return (await client.send(get)).Item;
    },
  };
}

function sendBatch(client: DynamoDBClient, statements: BatchStatementRequest[]) {
  return client.send(new BatchExecuteStatementCommand({ Statements: statements }));
}
