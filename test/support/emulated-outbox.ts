import { randomUUID } from 'node:crypto';
import { type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { dynamoDBOutbox, type DynamoDBOutbox, sweepOutbox } from 'batchlatch/outbox';
import { manualClock } from 'batchlatch/testing';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { RowSender, RowsReport } from '../../src/outbox/row-sender.ts';
import { emulatorClient } from './claims-table.ts';
import { createOutboxTable, isRow, orders, type StoredRow, storedIn, streamOf } from './outbox-rows.ts';

/** An outbox on an emulator, with a new table for each test of a file. */
export interface EmulatedOutbox {
  readonly tableName: string;
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly outbox: DynamoDBOutbox<(typeof orders)['types']>;
  /** The same outbox at the time of another clock. */
  outboxAt(clock: Clock): DynamoDBOutbox<(typeof orders)['types']>;
  /** Writes entries in one transaction, as a user does who has no handler. */
  transact(...entries: readonly object[]): Promise<void>;
  /** The rows of the table, and its counters, in the order of their positions. */
  stored(): Promise<StoredRow[]>;
  /** The rows that are not sent. */
  rows(): Promise<StoredRow[]>;
  /** What the table's stream says about the rows that are stored: an INSERT of each, in their order. */
  streamed(): Promise<DynamoDBStreamEvent>;
}

export function emulatedOutbox(): EmulatedOutbox {
  let service: LocalService;
  let client: DynamoDBClient;
  let documents: DynamoDBDocument;
  let tableName: string;
  beforeAll(async () => {
    service = await startDynamoDBEmulator('dynoxide');
    client = emulatorClient(service.endpoint);
    documents = DynamoDBDocument.from(client);
  });
  beforeEach(async () => {
    tableName = `outbox-${randomUUID()}`;
    await createOutboxTable(client, tableName);
  });
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });
  const stored = (): Promise<StoredRow[]> => storedIn(client, tableName);
  return {
    get tableName() {
      return tableName;
    },
    get endpoint() {
      return service.endpoint;
    },
    get client() {
      return client;
    },
    get outbox() {
      return dynamoDBOutbox({ tableName, messages: orders, client });
    },
    outboxAt: (clock) => dynamoDBOutbox({ tableName, messages: orders, client, clock }),
    async transact(...entries) {
      await documents.transactWrite({ TransactItems: entries as never });
    },
    stored,
    rows: async () => (await stored()).filter(isRow),
    streamed: async () => streamOf(await stored()),
  };
}

/** The parts of an outbox that rows are written and sent with. */
export type WrittenOutbox = Pick<EmulatedOutbox, 'tableName' | 'client' | 'outboxAt' | 'transact'>;

/** Writes orders, a minute before a sweep that parks those which are refused. The others of their tenants wait. */
export async function placeOrders(
  { tableName, client, outboxAt, transact }: WrittenOutbox,
  createdAt: number,
  orders: Readonly<Record<string, string>>,
  refused: readonly string[],
): Promise<void> {
  const clock = manualClock(createdAt);
  const sender = scriptedSender();
  for (const [orderId, tenantId] of Object.entries(orders)) {
    const body = { orderId, tenantId };
    await transact(...(await outboxAt(clock).inOrder([{ type: 'OrderPlaced', body }])));
    sender.refuses.set(JSON.stringify(body), refused.includes(orderId) ? 'for good' : 'not now');
  }
  await clock.advance(60_000);
  await sweepOutbox(sender, { tableName, client, clock, write: () => undefined })();
}

/** A sender whose answers a test writes, with what it was given. */
export interface ScriptedSender extends RowSender {
  readonly sent: string[];
  /** Calls of `sendEncoded`. */
  readonly calls: string[][];
  /** Ends for the messages with these bodies: for good, not now, without an answer, or by another error. */
  readonly refuses: Map<string, 'for good' | 'not now' | 'unknown' | Error>;
  /** Called before each call is answered. */
  before: () => Promise<void>;
}

/** Sends what it is given in order. Like `createSender`, it holds a group behind a message that failed. */
export function scriptedSender({ keepsOrder = true } = {}): ScriptedSender {
  const sender: ScriptedSender = {
    sent: [],
    calls: [],
    refuses: new Map(),
    before: () => Promise.resolve(),
    async sendEncoded(all) {
      await sender.before();
      sender.calls.push(all.map(({ body }) => body));
      type Row = (typeof all)[number];
      const report = {
        sent: [] as Row[],
        failed: [] as RowsReport<Row>['failed'][number][],
        unknown: [] as RowsReport<Row>['unknown'][number][],
      };
      const held = new Set<string | undefined>();
      for (const one of all) {
        const how = sender.refuses.get(one.body);
        if (keepsOrder && one.group !== undefined && held.has(one.group)) {
          report.failed.push({ message: one, error: new Error('held'), isRetryable: true });
        } else if (how === undefined) {
          report.sent.push(one);
          sender.sent.push(one.body);
        } else {
          held.add(one.group);
          const error = how instanceof Error ? how : new Error(`Refused ${how}`);
          if (how === 'unknown') report.unknown.push({ message: one, error });
          else report.failed.push({ message: one, error, isRetryable: how === 'not now' });
        }
      }
      return report;
    },
  };
  return sender;
}
