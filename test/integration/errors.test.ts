import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type BatchEvent, createBatchProcessor, jsonLines } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import { bench, type Bench, failed, ids, messages } from '../batch/bench.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { awsException, failCalls, failStatements } from '../support/sdk-traffic.ts';

const succeeds = (): string => 'done';

/** What IAM answers to a role that lacks an action. */
function refusal(action: string): string {
  return (
    `User: arn:aws:sts::123456789012:assumed-role/orders/orders is not authorized to perform: ${action} on resource: ` +
    'arn:aws:dynamodb:us-east-1:123456789012:table/claims because no identity-based policy allows the action'
  );
}

/** The messages of the errors that were told, each once. */
function complaints(events: readonly BatchEvent[], type: 'claimFailed' | 'settleFailed'): string[] {
  const of = events.filter((event) => event.type === type) as Extract<BatchEvent, { error: unknown }>[];
  return [...new Set(of.map(({ error }) => (error as Error).message))];
}

describe('On DynamoDB', () => {
  const table = emulatedTable('dynoxide');

  /** A bench on a client of its own, whose traffic the test may disturb. */
  function benchOn(
    tableName: string,
    writes: 'batch' | 'single' = 'batch',
  ): { b: Bench; client: DynamoDBClient } {
    const client = table.newClient();
    return { b: bench((clock) => dynamoDBStore({ tableName, client, writes, clock })), client };
  }

  describe.each(['batch', 'single'] as const)('with %s writes', (writes) => {
    it('a table that does not exist hands everything back, and says how to make it', async () => {
      const { b } = benchOn('no-such-table', writes);
      expect(await b.run(succeeds, ids(30))).toEqual(ids(30));
      expect(b.eventsOf('started')).toEqual([]);
      expect(b.eventsOf('claimFailed')).toHaveLength(30);
      const [complaint, ...others] = complaints(b.events, 'claimFailed');
      expect(others).toEqual([]);
      expect(complaint).toContain('DynamoDB has no table `no-such-table`');
      expect(complaint).toContain('Create it');
      expect(complaint).toContain('CLAIMS_TABLE_NAME');
      expect(b.eventsOf('claimFailed')[0]?.error).toMatchObject({ code: 'BATCHLATCH_TABLE_NOT_FOUND' });
    });

    it('a table that does not exist is missed when messages come again, too', async () => {
      const { b } = benchOn('no-such-table', writes);
      const event = messages(...ids(3));
      for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = '2';
      expect(failed(await b.processor(succeeds)(event))).toEqual(ids(3));
      expect(complaints(b.events, 'claimFailed')).toEqual([expect.stringContaining('`no-such-table`')]);
    });
  });

  it.each([
    ['batch', 'BatchExecuteStatement', 'dynamodb:PartiQLInsert'],
    ['single', 'PutItem', 'dynamodb:PutItem'],
  ] as const)(
    'a policy that refuses to claim hands everything back, and names the action: %s writes',
    async (writes, operation, action) => {
      const { b, client } = benchOn(table.tableName, writes);
      failCalls(client, (called) =>
        called === operation ? awsException('AccessDeniedException', refusal(action)) : undefined,
      );
      expect(await b.run(succeeds, ids(3))).toEqual(ids(3));
      expect(b.eventsOf('started')).toEqual([]);
      expect(complaints(b.events, 'claimFailed')).toEqual([
        `The policy refuses ${action} on table \`${table.tableName}\`. Allow that action for the function's role.`,
      ]);
      expect(b.eventsOf('claimFailed')[0]?.error).toMatchObject({ code: 'BATCHLATCH_ACCESS_DENIED' });
    },
  );

  it('a policy that refuses single statements of a request names the action, and lets the others live', async () => {
    const { b, client } = benchOn(table.tableName);
    failStatements(client, ({ Parameters = [] }) =>
      JSON.stringify(Parameters).includes('tenant-2')
        ? { Code: 'AccessDenied', Message: refusal('dynamodb:PartiQLInsert') }
        : undefined,
    );
    expect(await b.run(succeeds, ['tenant-1', 'tenant-2', 'tenant-3'])).toEqual(['tenant-2']);
    expect(complaints(b.events, 'claimFailed')).toEqual([expect.stringContaining('dynamodb:PartiQLInsert')]);
  });

  it('a policy that refuses to read hands back what comes again', async () => {
    const { b, client } = benchOn(table.tableName);
    failCalls(client, (called) =>
      called === 'BatchGetItem'
        ? awsException('AccessDeniedException', refusal('dynamodb:BatchGetItem'))
        : undefined,
    );
    const event = messages('new', 'again');
    Object.assign(event.Records[1]?.attributes as object, { ApproximateReceiveCount: '2' });
    expect(failed(await b.processor(succeeds)(event))).toEqual(['again']);
    expect(complaints(b.events, 'claimFailed')).toEqual([expect.stringContaining('dynamodb:BatchGetItem')]);
  });

  it('a policy that lets claim and refuses to settle acknowledges nothing, and says what was done', async () => {
    const { b, client } = benchOn(table.tableName);
    failCalls(client, (called, input) =>
      called === 'BatchExecuteStatement' && JSON.stringify(input).includes('UPDATE ')
        ? awsException('AccessDeniedException', refusal('dynamodb:PartiQLUpdate'))
        : undefined,
    );
    expect(await b.run(succeeds, ids(3))).toEqual(ids(3));
    expect(complaints(b.events, 'settleFailed')).toEqual([expect.stringContaining('dynamodb:PartiQLUpdate')]);
    expect(b.eventsOf('settleFailed').map(({ effectDone }) => effectDone)).toEqual([true, true, true]);
    // Retries would not help: the policy is no passing trouble, and nobody was kept waiting.
    expect(b.eventsOf('batchFinished')).toMatchObject([{ durationMs: 0 }]);
  });

  it('credentials that are over hand everything back, and are named', async () => {
    const { b, client } = benchOn(table.tableName);
    failCalls(client, () =>
      awsException('ExpiredTokenException', 'The security token included in the request is expired'),
    );
    expect(await b.run(succeeds, ids(3))).toEqual(ids(3));
    expect(complaints(b.events, 'claimFailed')).toEqual([
      'DynamoDB did not accept the credentials (ExpiredTokenException), renew or correct them: The security token included in the request is expired',
    ]);
  });

  it('a row that is no claim hands its record back alone, and no line shows its key', async () => {
    const { b, client } = benchOn(table.tableName);
    const foreign = { id: { S: b.key('foreign') }, total: { N: '3' } };
    await client.send(new PutItemCommand({ TableName: table.tableName, Item: foreign }));
    const lines: string[] = [];
    const observer = jsonLines({ level: 'debug', write: (line) => void lines.push(line) });
    expect(await b.run(succeeds, ['good', 'foreign'], { observer })).toEqual(['foreign']);
    const complaint = lines.find((line) => line.includes('claimFailed'));
    expect(complaint).toContain('is not a claim');
    expect(complaint).not.toContain(b.key('foreign'));
  });

  it('an endpoint where nobody listens hands everything back', async () => {
    const client = new DynamoDBClient({
      endpoint: `http://127.0.0.1:${await freePort()}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
    });
    const b = bench((clock) => dynamoDBStore({ tableName: 'claims', client, clock }));
    expect(await b.run(succeeds, ids(3))).toEqual(ids(3));
    expect(complaints(b.events, 'claimFailed')).toEqual([expect.stringContaining('ECONNREFUSED')]);
    client.destroy();
  });

  describe('through the store of the environment', () => {
    const names = ['CLAIMS_TABLE_NAME', 'AWS_ENDPOINT_URL_DYNAMODB'];
    const before = names.map((name) => process.env[name]);
    beforeEach(() => {
      process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
    });
    afterEach(() => {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    });

    it('a table that is there keeps the claims, for the next process too', async () => {
      process.env['CLAIMS_TABLE_NAME'] = table.tableName;
      const observer = { onEvent: () => undefined };
      const event = sqsEvent(ids(3).map((messageId) => ({ messageId, body: {} })));
      let runs = 0;
      for (let start = 1; start <= 2; start += 1) {
        const processor = createBatchProcessor(() => (runs += 1), { observer });
        expect(failed(await processor(event, lambdaContext()))).toEqual([]);
      }
      expect(runs).toBe(3);
      const row = await table.rowOf('test-function#v1:r0');
      expect(row).toMatchObject({ status: { S: 'COMPLETED' }, result: { S: '1' } });
    });

    it('a table that does not exist hands everything back, and a line says how to make it', async () => {
      process.env['CLAIMS_TABLE_NAME'] = 'no-such-table';
      const lines: string[] = [];
      const observer = jsonLines({ level: 'error', write: (line) => void lines.push(line) });
      const processor = createBatchProcessor(succeeds, { observer });
      expect(failed(await processor(messages(...ids(3)), lambdaContext()))).toEqual(ids(3));
      expect(lines).toHaveLength(3);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({
          level: 'error',
          message: 'claimFailed',
          error: {
            code: 'BATCHLATCH_TABLE_NOT_FOUND',
            message: expect.stringContaining('correct CLAIMS_TABLE_NAME'),
          },
        });
      }
    });

    it('a name that no table can have is refused at start', () => {
      process.env['CLAIMS_TABLE_NAME'] = 'my table';
      expect(() => createBatchProcessor(succeeds)).toThrow(
        "Expected `tableName` to be a DynamoDB table's name or ARN, got `'my table'`",
      );
    });
  });
});
