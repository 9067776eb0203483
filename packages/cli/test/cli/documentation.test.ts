import { readFileSync } from 'node:fs';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsTableDefinition, dynamoDBStore } from 'batchlatch/dynamodb';
import { dynamoDBOutbox, sweepOutbox } from 'batchlatch/outbox';
import { manualClock } from 'batchlatch/testing';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../../../../lab/local/emulators/postgres-emulator.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { failedOrders, type FailedOrders } from '../../../../test/operations/failed-orders.ts';
import { emulatorClient } from '../../../../test/support/claims-table.ts';
import { scriptedSender } from '../../../../test/support/emulated-outbox.ts';
import { createOutboxTable, orders as types } from '../../../../test/support/outbox-rows.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { claimsInStates, NOW } from './claims-in-states.ts';
import { documentedCommands, writeDocumented } from './documented-commands.ts';
import { runCommand } from './run-command.ts';

/** `UPDATE_DOCS=1 npm run lab:programs -- documentation` writes what is printed into the page. */
const IS_UPDATE = process.env['UPDATE_DOCS'] === '1';
const IDS = ['7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f', 'c1b9a2d4-3e6f-4a80-8b21-6d5e4f3a2b1c'];

describe('docs/cli.md', () => {
  const claims = claimsInStates();
  const table = emulatedTable('dynoxide');
  let service: LocalService;
  let postgres: LocalService;
  let orders: FailedOrders;

  beforeAll(async () => {
    for (const id of [1041, 1042]) await claims.make(`orders#v1:o-${id}`, 'parked', IDS[0]);
    await claims.make('orders#v1:o-1043', 'overdue');
    for (const id of [1044, 1045]) await claims.make(`orders#v1:o-${id}`, 'failed');
    for (const id of [1046, 1047, 1048]) await claims.make(`orders#v1:o-${id}`, 'completed');
    const { table: definition } = claimsTableDefinition('claims', {}, { overdueIndex: true });
    await table.newClient().send(new CreateTableCommand(definition));
    [service, postgres] = await Promise.all([startSqsEmulator(), startPostgresEmulator()]);
    const store = dynamoDBStore({ tableName: 'claims', client: table.newClient(), overdueIndex: true });
    await placeMessages(claims.endpoint);
    orders = await failedOrders({ endpoint: service.endpoint, options: { store } });
    await orders.fail('o-1051', 'o-1052');
  });
  afterAll(async () => {
    orders.stop();
    await Promise.all([service.stop(), postgres.stop()]);
  });

  async function printed(args: readonly string[]): Promise<string> {
    if (args[0] !== 'dlq') {
      let shown = '';
      await runCommand(args, {
        onText: (text) => (shown += text),
        terminal: 100,
        now: () => NOW,
        input: 'y\n',
        env: { AWS_ENDPOINT_URL_DYNAMODB: claims.endpoint, DATABASE_URL: postgres.endpoint },
      });
      return shown.replace('[y/N] ', '[y/N] y\n');
    }
    const queue = orders.deadLetterUrl.split('/').at(-1) ?? '';
    const real = args.map((word) =>
      word === 'orders-dead-letters' ? queue : word === 'QUEUE_URL' ? orders.queueUrl : word,
    );
    const { out, err } = await runCommand(real, {
      terminal: 140,
      now: () => Date.now() + 3 * 60_000,
      env: { AWS_ENDPOINT_URL_DYNAMODB: table.endpoint, AWS_ENDPOINT_URL_SQS: service.endpoint },
    });
    const ids: string[] = [];
    // A progress bar is drawn and wiped.
    return `${out}${err.split('\u001B[2K').at(-1) ?? ''}`.replace(/[0-9a-f-]{36}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return IDS[ids.indexOf(id)] ?? id;
    });
  }

  it('shows what the commands print', async () => {
    const documented = documentedCommands();
    const outputs: string[] = [];
    for (const { args } of documented) outputs.push(await printed(args));
    if (IS_UPDATE) writeDocumented(outputs);
    else expect(outputs).toEqual(documented.map(({ printed }) => printed));
  });

  it.each([
    'claims list',
    'claims show',
    'claims release',
    'claims resolve',
    'claims stats',
    'claims copy',
    'dlq list',
    'dlq show',
    'dlq redrive',
    'console',
    'outbox list',
    'outbox count',
    'outbox release',
    'table create',
    'table check',
    'table clean',
    'doctor',
    'work',
    'generate-event sqs',
    'send',
    'generate-event eventbridge',
    'generate-event sns',
    'generate-event kinesis',
    'generate-event dynamodb',
  ])('names every option of %s', async (command) => {
    const page = readFileSync('docs/cli.md', 'utf8');
    const { out } = await runCommand([...command.split(' '), '--help']);
    const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(4);
    expect(options.filter((option) => !page.includes(`${option}`))).toEqual([]);
  });
});

/** Parks a message of the outbox, with another one behind it. */
async function placeMessages(endpoint: string): Promise<void> {
  const tableName = 'orders-outbox';
  const client = emulatorClient(endpoint);
  const documents = DynamoDBDocument.from(client);
  await createOutboxTable(client, tableName);
  const clock = manualClock(NOW - 12 * 60_000);
  const outbox = dynamoDBOutbox({ tableName, messages: types, client, clock });
  const sender = scriptedSender();
  for (const orderId of ['o-1', 'o-2']) {
    const body = { orderId, tenantId: 'a' };
    sender.refuses.set(JSON.stringify(body), 'for good');
    const TransactItems = await outbox.inOrder([{ type: 'OrderPlaced', body }]);
    await documents.transactWrite({ TransactItems: TransactItems });
    await clock.advance(60_000);
  }
  await sweepOutbox(sender, { tableName, client, clock, write: () => undefined })();
  client.destroy();
}
