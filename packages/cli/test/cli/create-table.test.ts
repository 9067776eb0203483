import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { refusal, startJsonProxy } from '../../../../test/support/json-proxy.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

describe('table create', () => {
  const table = emulatedTable('dynoxide');
  const create = (name: string, args: readonly string[], how?: Terminal): Promise<Ended> =>
    runCommand(['table', 'create', '--table', name, '--endpoint-url', table.endpoint, ...args], how);
  const described = async (TableName: string): Promise<TableDescription | undefined> =>
    (await table.newClient().send(new DescribeTableCommand({ TableName }))).Table;

  it('makes a table with TTL and index, and waits until it can be used', async () => {
    const { status, out } = await create('made', ['--yes']);
    expect({ status, out }).toEqual({ status: 0, out: 'Table made is ready.\n' });
    const made = await described('made');
    expect(made).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [expect.objectContaining({ IndexName: 'overdue' })],
    });
    const { TimeToLiveDescription } = await table
      .newClient()
      .send(new DescribeTimeToLiveCommand({ TableName: 'made' }));
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
  });

  it('has nothing to do for a table that is there', async () => {
    await create('twice', ['--yes']);
    const { status, out } = await create('twice', ['--yes', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({ table: 'twice', done: [] });
  });

  it('shows what it will do and asks', async () => {
    const no = await create('asked', [], { terminal: true, input: '\n' });
    expect(no).toMatchObject({ status: 1, out: '' });
    expect(no.err).toContain(
      '  create it: on demand, index `overdue` of overdue claims, deletion protection\n',
    );
    expect(no.err).toMatch(/Do this\? \[y\/N\] Nothing was changed\.\n$/);
    expect(await create('asked', [], { terminal: true, input: 'y\n' })).toMatchObject({ status: 0 });
  });

  it('is told where nobody can be asked', async () => {
    const { status, err } = await create('unasked', []);
    expect(status).toBe(2);
    expect(err).toMatch(/^Error: There is no terminal to ask on: add --yes/);
  });

  it('changes nothing in a dry run', async () => {
    const { status, out } = await create('dry', ['--dry-run']);
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Table dry was not changed: this was a dry run.\n',
    });
    await expect(described('dry')).rejects.toThrow();
  });

  it('finishes what was begun: a table without TTL', async () => {
    await create('begun', ['--yes']);
    const bare = new CreateTableCommand({
      TableName: 'bare',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await table.newClient().send(bare);
    const { out } = await create('bare', ['--yes', '--json', '--no-overdue-index']);
    expect((JSON.parse(out) as { done: string[] }).done).toContain('time-to-live');
  });

  it.each<[string, readonly string[], (described: TableDescription) => TableDescription, readonly string[]]>([
    [
      'a table that is still being created',
      ['--no-overdue-index'],
      (described) => ({ ...described, TableStatus: 'CREATING' }),
      ['time-to-live'],
    ],
    [
      'an index that is still being built',
      [],
      (described) => ({
        ...described,
        TableStatus: 'UPDATING',
        GlobalSecondaryIndexes: described.GlobalSecondaryIndexes?.map((index) => ({
          ...index,
          IndexStatus: 'CREATING',
        })),
      }),
      [],
    ],
  ])('waits for %s, as an interrupted run leaves it', async (_, args, unready, done) => {
    const name = `left${args.length}`;
    await create(name, ['--yes', ...args]);
    const proxy = await startJsonProxy<object, { Table?: TableDescription }>(table.endpoint);
    let looks = 0;
    proxy.interpose(async ({ operation }, ask) => {
      const isReady = looks >= 3;
      if (!isReady && operation.startsWith('Update')) throw refusal('ResourceInUseException');
      const answer = await ask();
      if (operation === 'DescribeTimeToLive' && done.length > 0) return {};
      if (operation !== 'DescribeTable' || answer.Table === undefined) return answer;
      looks += 1;
      return isReady ? answer : { Table: unready(answer.Table) };
    });
    const ended = await create(name, ['--yes', '--json', '--endpoint-url', proxy.endpoint, ...args]);
    await proxy.stop();
    expect(ended).toMatchObject({ status: 0 });
    expect(JSON.parse(ended.out)).toEqual({ table: name, done });
    expect(looks).toBeGreaterThan(3);
  });

  it('waits until the backups of a new table are enabled, before it turns recovery on', async () => {
    const proxy = await startJsonProxy<object, object>(table.endpoint);
    let early = 3;
    proxy.interpose(async ({ operation }, ask) => {
      if (operation !== 'UpdateContinuousBackups') return ask();
      early -= 1;
      if (early >= 0) throw refusal('ContinuousBackupsUnavailableException');
      return {};
    });
    const { status, out, err } = await create('backed-up', ['--yes', '--endpoint-url', proxy.endpoint]);
    await proxy.stop();
    expect({ status, out }).toEqual({ status: 0, out: 'Table backed-up is ready.\n' });
    expect(err).not.toContain('Error');
    expect(early).toBe(-1);
  });

  it('refuses a table with another key', async () => {
    const other = new CreateTableCommand({
      TableName: 'other',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await table.newClient().send(other);
    expect(await create('other', ['--yes'])).toEqual({
      status: 1,
      out: '',
      err: 'Error: Table other exists with another key (pk (HASH)), which cannot be changed: name another table with --table.\n',
    });
  });

  it('refuses another name for the index that the table has', async () => {
    await create('indexed', ['--yes', '--index', 'late']);
    expect(await create('indexed', ['--yes'])).toMatchObject({ status: 0 });
    expect(await create('indexed', ['--yes', '--index', 'late'])).toMatchObject({ status: 0 });
    expect(await create('indexed', ['--yes', '--index', 'other'])).toEqual({
      status: 1,
      out: '',
      err: 'Error: The index of overdue claims of table indexed is `late`, and an index cannot be renamed: leave out --index.\n',
    });
  });

  it('takes the capacity that is to be provisioned', async () => {
    await create('provisioned', ['--yes', '--billing', 'provisioned', '--write-units', '7']);
    expect((await described('provisioned'))?.ProvisionedThroughput).toMatchObject({ WriteCapacityUnits: 7 });
  });

  it("makes Powertools' table", async () => {
    await create('powertools', ['--yes', '--attributes', 'powertools']);
    const { TimeToLiveDescription } = await table
      .newClient()
      .send(new DescribeTimeToLiveCommand({ TableName: 'powertools' }));
    expect(TimeToLiveDescription?.AttributeName).toBe('expiration');
  });
});
