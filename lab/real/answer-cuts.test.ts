import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimStore, createBatchProcessor } from 'batchlatch';
import { postgresStore } from 'batchlatch/postgres';
import { redisStore } from 'batchlatch/redis';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { Redis } from 'ioredis';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import {
  type AnswerCutter,
  type Cut,
  type Protocol,
  PROTOCOLS,
  startAnswerCutter,
} from '../../test/support/answer-cutter.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { storeBy } from '../../test/support/transports.ts';
import { startComponent } from './support/start-component.ts';

/** How to reach the claims on a server by a way with another port. */
interface Way {
  readonly component: string;
  readonly protocol: Protocol;
  open(server: LocalService, port: number): Promise<{ readonly store: ClaimStore; close(): unknown }>;
}

const WAYS: Readonly<Record<string, Way>> = {
  'DynamoDB Local, batched writes': onDynamoDB('batch'),
  'DynamoDB Local, single writes': onDynamoDB('single'),
  PostgreSQL: {
    component: 'postgres',
    protocol: PROTOCOLS.postgres,
    async open({ endpoint }, port) {
      const direct = poolOf(endpoint);
      const table = await createPostgresTable(direct);
      await direct.end();
      const pool = poolOf(by(endpoint, port), { max: 1 });
      return { store: postgresStore({ pool, table }), close: () => pool.end() };
    },
  },
  Redis: {
    component: 'redis',
    protocol: PROTOCOLS.redis,
    async open({ endpoint }, port) {
      const client = new Redis(by(endpoint, port), { maxRetriesPerRequest: 2 });
      client.on('error', () => undefined);
      return { store: redisStore({ client, prefix: `${randomUUID()}:` }), close: () => closeRedis(client) };
    },
  },
};

const CUTS: readonly Cut[] = [
  'before the answer',
  'inside its header',
  'inside its body',
  'before its last byte',
  'after its last byte',
];
const RECORDS = 5;

describe.each(Object.entries(WAYS))('%s', (_name, { component, protocol, open }) => {
  describeWith([componentNamed(component)], 'over a connection that ends in the middle of an answer', () => {
    let server: LocalService;
    let cutter: AnswerCutter;
    let store: ClaimStore;
    let close: () => unknown;
    beforeAll(async () => {
      server = await startComponent(component);
      cutter = await startAnswerCutter(new URL(server.endpoint), protocol);
      ({ store, close } = await open(server, cutter.port));
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      await close();
      cutter.stop();
      await server.stop();
    });

    it.each(CUTS.flatMap((cut) => [[cut, 'claims', 1] as const, [cut, 'ends', 2] as const]))(
      '%s, that to its %s, a batch runs once, and is completed',
      async (cut, _what, nth) => {
        const namespace = randomUUID();
        const runs: string[] = [];
        const handler = createBatchProcessor(
          ({ id }) => {
            runs.push(id);
            return { ranAs: id };
          },
          { store, namespace, observer: { onEvent: () => undefined } },
        );
        const deliver = (ids: readonly string[]): ReturnType<typeof handler> =>
          handler(sqsEvent(ids.map((messageId) => ({ messageId, body: {} }))), lambdaContext());
        const idsOf = (name: string): string[] =>
          Array.from({ length: RECORDS }, (_, index) => `${name}-${index}`);
        // Opens the connection, and has done what a client does but once.
        await deliver(idsOf('before'));

        const cutsBefore = cutter.cuts();
        cutter.cutAnswer(nth, cut);
        const ids = idsOf('cut');
        expect(await deliver(ids)).toEqual({ batchItemFailures: [] });
        expect(cutter.cuts() - cutsBefore).toBe(1);
        expect(await deliver(ids)).toEqual({ batchItemFailures: [] });
        expect(runs.toSorted()).toEqual([...idsOf('before'), ...ids]);
        for (const id of ids) {
          expect(await store.inspect(`${namespace}#v1:${id}`)).toMatchObject({
            status: 'COMPLETED',
            attempt: 1,
            crashes: 0,
            releases: 0,
            result: JSON.stringify({ ranAs: id }),
          });
        }
      },
    );
  });
});

function onDynamoDB(writes: 'batch' | 'single'): Way {
  return {
    component: 'dynamodb-local',
    protocol: PROTOCOLS.http,
    async open({ endpoint }, port) {
      const client = emulatorClient(endpoint);
      const tableName = await createClaimsTable(client);
      client.destroy();
      const store = storeBy('direct', by(endpoint, port), { tableName, writes });
      await store.inspect('to choose its transport');
      return { store, close: () => undefined };
    },
  };
}

function by(endpoint: string, port: number): string {
  return endpoint.replace(/:\d+/, `:${port}`);
}
