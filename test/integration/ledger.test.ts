import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchResponse } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { lambdaContext, type SqsMessage, sqsEvent } from 'batchlatch/testing';
import { type LedgerEntry, openLedger, readLedger } from '../../examples/ledger/ledger-table.ts';
import type { Transfer } from '../../examples/ledger/transfer.ts';
import { startDynamoDBEmulator } from '../../src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { type Sandbox, startSandbox } from '../../local/emulators/sandbox.ts';
import { type SeededRandom, seededRandom } from '../../local/demo/seeded-random.ts';
import { emulatorClient } from '../support/claims-table.ts';

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
  const sandboxes = new Set<Sandbox>();

  beforeAll(async () => {
    emulator = await startDynamoDBEmulator('dynoxide');
    client = emulatorClient(emulator.endpoint);
    await client.send(new CreateTableCommand(claimsTableDefinition(tables.claims).table));
    await openLedger(client, tables.ledger, ACCOUNTS, OPENING_CENTS);
  });
  afterAll(async () => {
    for (const sandbox of sandboxes) await sandbox.stop();
    client.destroy();
    await emulator.stop();
  });

  async function newSandbox(): Promise<Sandbox> {
    const sandbox = await startSandbox({
      handlerModule: new URL('../../examples/ledger/ledger-queue.ts', import.meta.url),
      env: {
        AWS_ENDPOINT_URL_DYNAMODB: emulator.endpoint,
        CLAIMS_TABLE_NAME: tables.claims,
        LEDGER_TABLE_NAME: tables.ledger,
        AWS_LAMBDA_FUNCTION_NAME: 'ledger',
        BATCHLATCH_LOG_LEVEL: 'silent',
      },
    });
    sandboxes.add(sandbox);
    return sandbox;
  }

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
      let sandbox = await newSandbox();
      while (waiting.length > 0) {
        const batch = waiting.splice(0, 10).map((message) => {
          const id = message.messageId as string;
          const receiveCount = (deliveries.get(id) ?? 0) + 1;
          deliveries.set(id, receiveCount);
          return { ...message, receiveCount };
        });
        const isDoomed = kills < KILLS && random.integer(3) === 0;
        if (isDoomed) {
          kills += 1;
          void delay(random.integer(60)).then(() => sandbox.kill());
        }
        const failed = await invoke(sandbox, batch);
        waiting.push(...batch.filter(({ messageId }) => failed === 'all' || failed.has(messageId as string)));
        if (failed !== 'all' && failed.size > 0) await delay(100);
        if (!sandbox.isAlive) sandbox = await newSandbox();
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
  }, 120_000);
});

/** The ids that come again; all of them when the process did not answer. */
async function invoke(sandbox: Sandbox, batch: readonly SqsMessage[]): Promise<ReadonlySet<string> | 'all'> {
  try {
    const answer = await sandbox.invoke(sqsEvent(batch), lambdaContext({ remainingTimeMs: TIMEOUT_MS }));
    return new Set((answer as BatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  } catch {
    return 'all';
  }
}

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
