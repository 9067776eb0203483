import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClaimRequest } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import type { Completion } from '../../../src/claims/claim-store.ts';
import { claimRequests, completion } from '../../support/claim-builders.ts';
import { effectCounters } from '../../support/effect-counters.ts';
import { emulatedTable } from '../../support/emulated-table.ts';
import { type Fault, faultyServer } from '../../support/faulty-server.ts';

describe.each(['batch', 'single'] as const)(
  'Answers that the direct transport loses, %s writes',
  (writes) => {
    const table = emulatedTable('dynoxide');
    const server = faultyServer();
    const effects = effectCounters();
    const before = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
    beforeAll(async () => {
      await effects.create(table.newClient());
      process.env['AWS_ENDPOINT_URL_DYNAMODB'] = server.endpoint;
    });
    afterAll(() => {
      if (before === undefined) delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
      else process.env['AWS_ENDPOINT_URL_DYNAMODB'] = before;
    });

    /** DynamoDB does what it is asked for, and says so in an answer that may not arrive. */
    const passesOn =
      (isLost: boolean): Fault =>
      (response, socket, echo) => {
        const { headers, body } = JSON.parse(echo) as { headers: Record<string, string>; body: string };
        const names = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'];
        const kept = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
        void fetch(table.endpoint, { method: 'POST', headers: kept, body }).then(async (answer) => {
          const text = await answer.text();
          if (isLost) socket.destroy();
          else response.writeHead(answer.status).end(text);
        });
      };
    const open = (): ReturnType<typeof dynamoDBStore> =>
      dynamoDBStore({ tableName: table.tableName, writes });

    it('keep neither claims nor completions from being known for what they are', async () => {
      const store = open();
      const requests = claimRequests(3);
      server.answers(...requests.map(() => passesOn(true)), passesOn(false));
      const acquired = await store.acquire(requests);
      expect(acquired).toMatchObject(requests.map(() => ({ status: 'acquired', attempt: 1 })));
      server.answers(...server.arrivals.map(() => passesOn(true)), passesOn(true), passesOn(false));
      expect(await store.settle(requests.map((request) => completion(request)))).toEqual([
        'stored',
        'stored',
        'stored',
      ]);
    });

    it('keep no transaction from being done once, and known to be', async () => {
      const store = open();
      const [request] = claimRequests(1) as [ClaimRequest];
      const name = randomUUID();
      server.answers(passesOn(false));
      await store.acquire([request]);
      server.answers(passesOn(false), passesOn(true), passesOn(true), passesOn(false));
      expect(await store.commit?.(completion(request) as Completion, effects.effect([name]))).toBe('stored');
      expect(await effects.read(name)).toBe(1);
    });
  },
);
