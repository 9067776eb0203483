import { inDynamoDB } from '../support/store-and-admin.ts';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBatchProcessor, messageId } from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { claimStatistics, copyClaims, findClaims, keyHash } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { deleteForgottenClaims } from 'batchlatch/postgres';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { lambdaContext, manualClock, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';
import {
  claimRequest,
  claimRequests,
  LEASE_MS,
  RETENTION_MS,
  settlementOf,
} from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { createPostgresTable, poolOf, rowsOfPostgres, storeByClock } from '../support/postgres-table.ts';
import { rowsOfDynamoDB } from '../support/rows-of-dynamodb.ts';
import { afterAnswers } from '../support/sdk-traffic.ts';

// What every store does with the row of a newer version is in the conformance suite: src/testing/contract/newer.ts.

const table = emulatedTable('dynoxide');
const FORMAT = '@2:0.9.0';
const rowsOf = (status: 'status' | 'state' = 'status') =>
  rowsOfDynamoDB(() => ({ client: table.newClient(), tableName: table.tableName }), status);

describe.each([
  ['batchlatch', 'status', {}],
  ['Powertools', 'state', { attributes: powertoolsAttributes }],
] as const)('A row in the attributes of %s', (_name, statusName, attributes) => {
  it.each(['batch', 'single'] as const)(
    'that a newer version writes between the read and the write stays as it is, with %s writes',
    async (writes) => {
      const clock = manualClock();
      const client = table.newClient();
      const store = inDynamoDB({ client, tableName: table.tableName, writes, clock, ...attributes });
      const rows = rowsOf(statusName);
      const [request] = claimRequests(1) as [ReturnType<typeof claimRequest>];
      await store.acquire([request]);
      await clock.advance(LEASE_MS);
      let newer: unknown;
      afterAnswers(client, async (operation) => {
        if (!/^(BatchGetItem|GetItem)$/.test(operation) || newer !== undefined) return;
        await rows.makeNewer(request.key, FORMAT);
        newer = await rows.read(request.key);
      });
      const outcomes = await store.acquire([claimRequest(request.key, { isRedelivery: true })]);
      expect(outcomes).toMatchObject([{ status: 'error', error: { code: 'BATCHLATCH_NEWER_ROW' } }]);
      expect(newer).toBeDefined();
      expect(await rows.read(request.key)).toEqual(newer);
    },
  );
});

describe('A record whose claim a newer version wrote', () => {
  it('comes back, with an error in the log that says what to deploy; its neighbours are done', async () => {
    const store = inDynamoDB({ client: table.newClient(), tableName: table.tableName });
    const errors: unknown[] = [];
    const ran: string[] = [];
    const handler = createBatchProcessor(async ({ id }) => void ran.push(id), {
      store,
      key: messageId(),
      namespace: 'newer',
      observer: { onEvent: (event) => 'error' in event && errors.push(event.error) },
    });
    await handler(sqsEvent([{ messageId: 'm-1', body: {} }]), lambdaContext());
    const page = await store.list({ keyPrefix: 'newer#' });
    await rowsOf().makeNewer(page.claims[0]?.key ?? '', FORMAT);
    const answer = await handler(
      sqsEvent([
        { messageId: 'm-1', body: {} },
        { messageId: 'm-2', body: {} },
      ]),
      lambdaContext(),
    );
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm-1' }]);
    expect(ran).toEqual(['m-1', 'm-2']);
    expect(errors).toMatchObject([
      {
        code: 'BATCHLATCH_NEWER_ROW',
        message: expect.stringContaining('Deploy version 0.9.0 or later here too'),
      },
    ]);
    // The message has the hash of the key, and nothing that a log would show has the key.
    expect(inspect(errors, { depth: 9 })).not.toContain('m-1');
    expect(JSON.stringify(errors)).not.toContain('m-1');
  });

  it('rejects the call of a function, which does not run', async () => {
    const store = inDynamoDB({ client: table.newClient(), tableName: table.tableName });
    let runs = 0;
    const charge = withIdempotency(async (_order: { id: string }) => (runs += 1), {
      store,
      namespace: 'newer-call',
      key: ({ id }) => id,
    });
    await charge({ id: 'o-1' });
    const page = await store.list({ keyPrefix: 'newer-call#' });
    await rowsOf().makeNewer(page.claims[0]?.key ?? '', FORMAT);
    await expect(charge({ id: 'o-1' })).rejects.toMatchObject({ code: 'BATCHLATCH_NEWER_ROW' });
    expect(runs).toBe(1);
  });
});

describe('People who use an older version', () => {
  it('are told of the rows by searches, statistics, copies and commands', async () => {
    const clock = manualClock(Date.now());
    const store = inDynamoDB({ client: table.newClient(), tableName: table.tableName, clock });
    const [parked, fine] = [claimRequest('told#parked'), claimRequest('told#fine')];
    await store.acquire([parked, fine]);
    await store.settle([settlementOf('park', parked)]);
    await rowsOf().makeNewer(parked.key, FORMAT);
    const newer = [{ key: parked.key, format: 2, version: '0.9.0' }];

    expect(await findClaims(store, { keyHash: keyHash(parked.key) })).toMatchObject({ claims: [], newer });
    expect(await claimStatistics(store, { keyPrefix: 'told#' })).toMatchObject({
      counts: { 'in-progress': 1, parked: 0 },
      newer,
    });
    expect(await copyClaims(store, memoryStore(), { keyPrefix: 'told#' })).toMatchObject({
      copied: 1,
      newer: 1,
    });
    // Also where only the rows of one status are asked for.
    const scanning = inDynamoDB({
      client: table.newClient(),
      tableName: table.tableName,
      overdueIndex: false,
    });
    expect(await scanning.list({ state: 'parked', keyPrefix: 'told#' })).toMatchObject({
      claims: [],
      newer,
    });

    const where = ['--table', table.tableName, '--endpoint-url', table.endpoint];
    const list = await runCommand(['claims', 'list', '--prefix', 'told#', ...where]);
    expect(list.err).toContain(
      'Not read: told#parked: a row of format 2, which version 0.9.0 or later of batchlatch reads.',
    );
    const json = await runCommand(['claims', 'list', '--prefix', 'told#', '--json', ...where]);
    expect(JSON.parse(json.out)).toMatchObject({ claims: [{ key: fine.key }], newer });
    const by = ['--reason', 'x', '--yes', '--force'];
    const release = await runCommand(['claims', 'release', parked.key, ...by, ...where]);
    expect(release).toMatchObject({ status: 1, err: expect.stringContaining('Deploy version 0.9.0') });
  });
});

describe('The rows of PostgreSQL past their retention', () => {
  let postgres: LocalService;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startPostgresEmulator();
    pool = poolOf(postgres.endpoint);
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  it('are deleted, but for those of a newer version', async () => {
    const name = await createPostgresTable(pool);
    const clock = manualClock(Date.now() - 10 * (LEASE_MS + RETENTION_MS));
    const [one, other] = claimRequests(2) as [
      ReturnType<typeof claimRequest>,
      ReturnType<typeof claimRequest>,
    ];
    await storeByClock(pool, name, clock).acquire([one, other]);
    const rows = rowsOfPostgres(() => ({ pool, name }));
    await rows.makeNewer(one.key, FORMAT);
    expect(await deleteForgottenClaims({ pool, table: name })).toBe(1);
    expect(await rows.read(one.key)).toBeDefined();
    expect(await rows.read(other.key)).toBeUndefined();
  });
});
