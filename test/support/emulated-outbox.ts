import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  CreateTableCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { dynamoDBOutbox, type DynamoDBOutbox, outboxTableDefinition } from 'batchlatch/outbox';
import { dynamoDBStreamEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { Clock } from '../../src/base/clock.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import type { RowSender, RowsReport } from '../../src/outbox/row-sender.ts';
import { emulatorClient } from './claims-table.ts';

const order = z.object({ orderId: z.string(), tenantId: z.string() });

/** Messages with a group, and without. */
export const orders = messages({
  OrderPlaced: message(order, { key: ['orderId'], group: 'tenantId' }),
  MailWanted: message(z.object({ to: z.string() })),
});

/** A row of an outbox's table, or the counter of a lane. */
export type StoredRow = Record<string, AttributeValue>;

/** An outbox on an emulator, with a new table for each test of a file. */
export interface EmulatedOutbox {
  readonly tableName: string;
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

export async function createOutboxTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const { StreamSpecification: _none, ...table } = outboxTableDefinition(tableName).table;
  await client.send(new CreateTableCommand(table));
}

export async function storedIn(client: DynamoDBClient, tableName: string): Promise<StoredRow[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items.toSorted((one, other) => ((one['position']?.S ?? '') < (other['position']?.S ?? '') ? -1 : 1));
}

/** Returns stream records of new items: of real rows, because this emulator has no streams. */
export function streamOf(items: readonly StoredRow[]): DynamoDBStreamEvent {
  return dynamoDBStreamEvent(
    items.map(({ lane, position }) => ({
      keys: { lane: lane?.S, position: position?.S },
      eventName: 'INSERT' as const,
    })),
  );
}

export function isRow(item: StoredRow): boolean {
  return item['outboxId'] !== undefined;
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
