import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition, dynamoDBStore } from 'batchlatch/dynamodb';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { failedOrders, type FailedOrders } from '../../../../test/operations/failed-orders.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

const BECAUSE = ['--reason', 'fixed in 1.4'] as const;

describe('dlq', () => {
  const table = emulatedTable('dynoxide');
  let service: LocalService;
  let orders: FailedOrders;

  beforeAll(async () => {
    const { table: definition } = claimsTableDefinition('claims', {}, { overdueIndex: true });
    await table.newClient().send(new CreateTableCommand(definition));
    service = await startSqsEmulator();
    const store = dynamoDBStore({ tableName: 'claims', client: table.newClient(), overdueIndex: true });
    orders = await failedOrders({ endpoint: service.endpoint, options: { store } });
  });
  afterAll(async () => {
    orders.stop();
    await service.stop();
  });

  /** `batchlatch dlq …` with endpoints from the environment, as an emulator of each service has them. */
  const dlq = (args: readonly string[], how: Terminal = {}): Promise<Ended> =>
    runCommand(['dlq', ...args, '--queue-url', orders.deadLetterUrl, '--table', 'claims'], {
      ...how,
      env: { AWS_ENDPOINT_URL_DYNAMODB: table.endpoint, AWS_ENDPOINT_URL_SQS: service.endpoint, ...how.env },
    });
  // A message more would be waited for.
  const listed = async (
    limit: number,
    ...args: string[]
  ): Promise<{ messages: { messageId: string; key?: string }[] }> =>
    JSON.parse((await dlq(['list', '--json', '--limit', String(limit), ...args])).out) as {
      messages: { messageId: string }[];
    };
  // fauxqs does not say where a message came from.
  const redrive = (args: readonly string[], how?: Terminal): Promise<Ended> =>
    dlq(['redrive', ...args, '--to', orders.queueUrl, ...BECAUSE], how);

  it('shows messages beside their claims, and sends them back', async () => {
    await orders.fail('o-1', 'o-2');
    const list = await dlq(['list', '--limit', '2'], { terminal: 140 });
    expect(list.status).toBe(0);
    expect(list.out).toMatch(/^MESSAGE +SENT +RECEIVED +ERROR +CLAIM +KEY\n/);
    expect(list.out).toMatch(/PermanentError: no such customer +parked +orders#v1:o-1\n/);
    expect(list.err).toMatch(/^2 messages; the queue has about 2\./);

    const { messages } = await listed(2);
    expect(messages).toMatchObject([{ claims: [{ state: 'parked' }] }, { claims: [{ state: 'parked' }] }]);
    const [first] = messages;
    const shown = await dlq(['show', first?.messageId ?? '', 'no-such-id', '--show-body', '--limit', '2']);
    expect(shown.status).toBe(1);
    expect(shown.out).toMatch(/^body +\{"orderId":"o-\d"\}$/m);
    expect(shown.err).toContain('There is no message no-such-id among the 2 messages');
    const withoutBody = await dlq(['show', first?.messageId ?? '', '--limit', '2']);
    expect(withoutBody.out).toMatch(/characters; --show-body shows it/);

    orders.isBroken = false;
    const asked = await redrive([], { terminal: true, input: 'y\n' });
    expect(asked).toMatchObject({ status: 0, out: '2 messages were moved, 2 claims released first.\n' });
    expect(asked.err).toContain(
      '2 messages would be moved, 2 claims would be released first.\nRedrive 2 messages? [y/N] ',
    );
    await orders.deliver();
    expect(orders.runs.slice(-2).sort()).toEqual(['o-1', 'o-2']);
    expect(await orders.depth(orders.deadLetterUrl)).toBe(0);
    orders.isBroken = true;
  });

  it('prints JSON also where there is nothing to ask for', async () => {
    const { status, out } = await redrive(['no-such-id', '--json'], { terminal: true });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ isDryRun: true, moved: 0, notFound: ['no-such-id'] });
  });

  it('moves what it has shown, and no message that came while it asked', async () => {
    await orders.fail('s-1');
    const asked = await redrive([], {
      terminal: true,
      input: async () => {
        await orders.fail('s-2');
        return 'y\n';
      },
    });
    expect(asked.err).toContain('Redrive 1 message? [y/N] ');
    expect(asked).toMatchObject({ status: 0, out: '1 message was moved, 1 claim released first.\n' });
    expect((await listed(1)).messages).toMatchObject([{ key: orders.key('s-2') }]);
    await redrive(['--all', '--yes']);
    orders.isBroken = false;
    await orders.deliver();
    orders.isBroken = true;
  });

  it('moves what is chosen alone, and only if the answer is yes', async () => {
    await orders.fail('c-1', 'c-2');
    const no = await redrive(['--all'], { terminal: true, input: 'n\n' });
    expect(no).toMatchObject({ status: 1, out: '' });
    expect(no.err).toMatch(/Nothing was changed\.\n$/);
    const { messages } = await listed(2);
    const id = messages[0]?.messageId ?? '';
    const dry = await redrive([id, '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({ isDryRun: true, moved: 1, released: 1 });
    const chosen = await redrive([id, 'no-such-id', '--yes', '--json']);
    expect(chosen.status).toBe(1);
    expect(JSON.parse(chosen.out)).toMatchObject({ ended: 'whole', moved: 1, notFound: ['no-such-id'] });
    expect(await orders.depth(orders.deadLetterUrl)).toBe(1);
    expect((await listed(1, '--error-name', 'PermanentError')).messages).toHaveLength(1);
    expect((await listed(1, '--error-code', 'other')).messages).toEqual([]);
  });

  it('says that the queue to send to does not exist, not the one that is read', async () => {
    const { status, err } = await dlq(['redrive', '--to', `${orders.queueUrl}-not`, '--yes', ...BECAUSE]);
    expect(status).toBe(1);
    expect(err).toContain(
      '\nError: The queue that messages are sent to does not exist: name another with --to',
    );
    expect(await orders.depth(orders.deadLetterUrl)).toBe(1);
  });

  it('finds a queue by its name', async () => {
    const name = orders.deadLetterUrl.split('/').at(-1) ?? '';
    const { status, err } = await runCommand(['dlq', 'list', '--queue', name, '--limit', '1'], {
      env: { AWS_ENDPOINT_URL_SQS: service.endpoint },
    });
    expect(status).toBe(0);
    expect(err).toContain('the queue has about 1.');
    const missing = await runCommand(['dlq', 'list', '--queue', 'no-such-queue'], {
      env: { AWS_ENDPOINT_URL_SQS: service.endpoint },
    });
    expect(missing).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^Error: There is no such queue .*\n$/),
    });
  });

  it.each([
    ['no queue', ['list'], 'Name the dead-letter queue: --queue-url URL or --queue NAME.'],
    ['no reason', ['redrive', '--all', '--queue', 'q', '--yes'], 'Say why: add --reason'],
    [
      'messages named twice',
      ['redrive', 'id', '--all', '--queue', 'q', '--yes', ...BECAUSE],
      'Name the messages by',
    ],
    ['nobody to ask', ['redrive', '--all', '--queue', 'q', ...BECAUSE], 'There is no terminal to ask on'],
  ])('is refused with %s', async (_what, args, message) => {
    const { status, err } = await runCommand(['dlq', ...args]);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });

  it('says what it does without a claims table', async () => {
    const { err } = await runCommand([
      'dlq',
      'redrive',
      '--all',
      '--queue-url',
      orders.deadLetterUrl,
      ...BECAUSE,
      '--dry-run',
    ]);
    expect(err).toContain('No claims table is named: a message whose key is parked goes straight back.');
  });
});
