import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchResponse } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { type SqsMessage, sqsEvent } from 'batchlatch/testing';
import { type LedgerEntry, openLedger, readLedger } from '../../examples/ledger/ledger-table.ts';
import type { Transfer } from '../../examples/ledger/transfer.ts';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { type SeededRandom, seededRandom } from '../../lab/local/demo/seeded-random.ts';
import { emulatorClient } from '../support/claims-table.ts';
import { startFunction, type StartedFunction } from '../support/started-function.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd'];
const OPENING_CENTS = 2_000;
const TRANSFERS = 120;
const PROCESSES = 3;
const KILLS = 6;
/** Of an invocation; a dead process's claims are free a second after it. */
const TIMEOUT_MS = 1_500;

describe('the ledger of examples/ledger', () => {
  let emulator: LocalService;
  let client: DynamoDBClient;
  const tables = { claims: `claims-${randomUUID()}`, ledger: `ledger-${randomUUID()}` };
  let ledger: StartedFunction;

  beforeAll(async () => {
    emulator = await startDynamoDBEmulator('dynoxide');
    client = emulatorClient(emulator.endpoint);
    await client.send(new CreateTableCommand(claimsTableDefinition(tables.claims).table));
    await openLedger(client, tables.ledger, ACCOUNTS, OPENING_CENTS);
    ledger = await startFunction({
      module: new URL('../../examples/ledger/ledger-queue.ts', import.meta.url),
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: emulator.endpoint,
        CLAIMS_TABLE_NAME: tables.claims,
        LEDGER_TABLE_NAME: tables.ledger,
        BATCHLATCH_LOG_LEVEL: 'silent',
      },
      name: 'ledger',
      timeoutMs: TIMEOUT_MS,
    });
  });
  afterAll(async () => {
    await ledger.stop();
    client.destroy();
    await emulator.stop();
  });

  it('adds up, and has every transfer once, although processes are killed and messages come again', async () => {
    const random = seededRandom(20_260_101);
    const transfers = Array.from({ length: TRANSFERS }, (_, index) => aTransfer(index, random));
    // Every transfer is sent twice, under two message ids, and whatever is not acknowledged comes again.
    const waiting = random.shuffled(
      [...transfers, ...transfers].map((body, index): SqsMessage => ({ messageId: `m${index}`, body })),
    );
    const deliveries = new Map<string, number>();
    let kills = 0;

    async function work(): Promise<void> {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, 10).map((message) => {
          const id = message.messageId as string;
          const receiveCount = (deliveries.get(id) ?? 0) + 1;
          deliveries.set(id, receiveCount);
          return { ...message, receiveCount };
        });
        const isDoomed = kills < KILLS && random.integer(3) === 0;
        if (isDoomed) kills += 1;
        const failed = await invoke(batch, isDoomed ? random.integer(60) : undefined);
        waiting.push(...batch.filter(({ messageId }) => failed === 'all' || failed.has(messageId as string)));
        if (failed !== 'all' && failed.size > 0) await delay(100);
      }
    }
    await Promise.all(Array.from({ length: PROCESSES }, work));

    expect(kills).toBe(KILLS);
    expect([...deliveries.values()].some((count) => count > 1)).toBe(true);
    const entries = await readLedger(client, tables.ledger);
    for (const account of ACCOUNTS) {
      const balance = ofAccount(entries, account, 'balance')[0]?.balanceCents;
      const postings = ofAccount(entries, account, 'posting#').map(({ cents = 0 }) => cents);
      expect(balance).toBe(OPENING_CENTS + sum(postings));
      expect(balance).toBeGreaterThanOrEqual(0);
    }
    for (const { transferId, from, to, amountCents } of transfers) {
      const posted = entries.filter(({ entry }) => entry === `posting#${transferId}`);
      const rejected = entries.filter(({ entry }) => entry === `rejected#${transferId}`);
      expect([posted.length, rejected.length]).toEqual(posted.length > 0 ? [2, 0] : [0, 1]);
      if (posted.length === 0) continue;
      expect(new Map(posted.map(({ account, cents }) => [account, cents]))).toEqual(
        new Map([
          [from, -amountCents],
          [to, amountCents],
        ]),
      );
    }
    expect(entries.some(({ entry }) => entry.startsWith('rejected#'))).toBe(true);
    expect(entries.some(({ entry }) => entry.startsWith('posting#'))).toBe(true);
  });

  /** The ids that come again; all of them when the process did not answer. It is killed after so many milliseconds. */
  async function invoke(
    batch: readonly SqsMessage[],
    killedAfterMs: number | undefined,
  ): Promise<ReadonlySet<string> | 'all'> {
    const event = sqsEvent(batch);
    const running = ledger.invoke(event);
    if (killedAfterMs !== undefined) void ledger.kill(event, killedAfterMs);
    const result = await running;
    if (!result.ok) return 'all';
    const { batchItemFailures } = result.payload as BatchResponse;
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  }
});

function aTransfer(index: number, random: SeededRandom): Transfer {
  const [from = '', to = ''] = random.shuffled(ACCOUNTS);
  return { transferId: `t${index}`, from, to, amountCents: 1 + random.integer(1_000) };
}

function ofAccount(entries: readonly LedgerEntry[], account: string, kind: string): LedgerEntry[] {
  return entries.filter((entry) => entry.account === account && entry.entry.startsWith(kind));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
