import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimStore, createBatchProcessor, decoder, suspectsFirst } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { postgresStore } from 'batchlatch/postgres';
import { redisStore } from 'batchlatch/redis';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { Redis } from 'ioredis';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { emulatorClient } from '../support/claims-table.ts';
import { poolOf } from '../support/postgres-table.ts';

const BUDGET_MS = 1_000;

/** A server that takes connections and says nothing, as one that is paused. */
describe('A server that never answers', () => {
  const sockets = new Set<Socket>();
  const closing: (() => unknown)[] = [];
  let server: Server;
  let place: string;
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.resume();
    });
    place = `127.0.0.1:${await listenLocally(server)}`;
  });
  afterAll(async () => {
    for (const close of closing) close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const stores: readonly (readonly [string, () => ClaimStore])[] = [
    [
      'PostgreSQL',
      () => {
        const pool = poolOf(`postgres://user:secret@${place}/db`);
        closing.push(() => void pool.end());
        return postgresStore({ pool });
      },
    ],
    [
      'Redis',
      () => {
        const client = new Redis(`redis://${place}`, { maxRetriesPerRequest: null });
        client.on('error', () => undefined);
        closing.push(() => client.disconnect());
        return redisStore({ client });
      },
    ],
    [
      'DynamoDB',
      () => {
        const client = emulatorClient(`http://${place}`);
        closing.push(() => client.destroy());
        return dynamoDBStore({ tableName: 'claims', client });
      },
    ],
  ];

  it.each(stores)('%s: keeps neither batches nor functions from their answers', async (_name, open) => {
    const store = open();
    const inTime = async (call: () => Promise<unknown>): Promise<unknown> => {
      const startedAt = Date.now();
      const answer = await call();
      // To the millisecond: test/traps/silence.test.ts. Here the machine may be busy.
      expect(Date.now() - startedAt).toBeLessThan(BUDGET_MS + 1_000);
      return answer;
    };
    const batches = [1, 2].map(async (receiveCount) => {
      const process = createBatchProcessor(() => 'done', {
        store,
        namespace: 'silent',
        observer: { onEvent: () => undefined },
        decode: decoder((data) => data),
        reading: suspectsFirst(),
      });
      const event = sqsEvent(['a', 'b'].map((messageId) => ({ messageId, body: {}, receiveCount })));
      for (let invocation = 1; invocation <= 2; invocation += 1) {
        const answer = await inTime(() => process(event, lambdaContext({ remainingTimeMs: BUDGET_MS })));
        expect(answer).toMatchObject({ batchItemFailures: [{}, {}] });
      }
    });
    const call = withIdempotency(async () => expect(true).toBe(false), {
      store,
      namespace: 'silent',
      key: () => 'k',
      remainingTimeMs: () => BUDGET_MS,
    });
    const silent = expect.objectContaining({ code: 'BATCHLATCH_STORE_SILENT' });
    await inTime(() => expect(call()).rejects.toEqual(silent));
    await Promise.all(batches);
  });
});
