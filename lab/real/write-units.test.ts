import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { manualClock } from 'batchlatch/testing';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { claimRequest, settlementOf } from '../../test/support/claim-builders.ts';
import { createClaimsTable, emulatorClient, LEASE_ATTRIBUTES } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { startComponent } from './support/start-component.ts';

const ENDS = ['complete', 'fail', 'release', 'park'] as const;

describeWith([componentNamed('dynamodb-local')], 'The write units of an attempt', () => {
  let service: LocalService;
  let client: DynamoDBClient;
  beforeAll(async () => {
    service = await startComponent('dynamodb-local');
    client = emulatorClient(service.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  /**
   * What DynamoDB charges for the claim, an extension of its lease, and the end. By single writes, whose units are those of
   * batched ones: DynamoDB Local does not tell the latter's.
   */
  async function unitsOf(
    tableName: string,
    end: (typeof ENDS)[number],
  ): Promise<{ claim: number; extension: number; settlement: number }> {
    const counting = emulatorClient(service.endpoint);
    let units = 0;
    counting.middlewareStack.add(
      (next) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(args);
        const { ConsumedCapacity = [] } = answer.output as {
          readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
        };
        for (const one of [ConsumedCapacity].flat()) units += one.CapacityUnits ?? 0;
        return answer;
      },
      { step: 'initialize', name: 'countUnits' },
    );
    const store = dynamoDBStore({ client: counting, tableName, writes: 'single', clock: manualClock() });
    const taken = (): number => {
      const before = units;
      units = 0;
      return before;
    };
    const request = claimRequest(`orders#v1:${end}`);
    expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
    const claim = taken();
    expect(await store.extend([{ ...request, leaseMs: request.leaseMs * 2 }])).toEqual(['stored']);
    const extension = taken();
    expect(await store.settle([settlementOf(end, request)])).toEqual(['stored']);
    const settlement = taken();
    counting.destroy();
    return { claim, extension, settlement };
  }

  it('are three without the index: what a row has for it costs none', async () => {
    const tableName = await createClaimsTable(client);
    for (const end of ENDS) {
      expect(await unitsOf(tableName, end)).toEqual({ claim: 1, extension: 1, settlement: 1 });
    }
  });

  it('are more with the index: as docs/stores/overdue-index.md says', async () => {
    const tableName = await createClaimsTable(client, { leaseUntil: LEASE_ATTRIBUTES.own });
    for (const end of ENDS) {
      const settlement = end === 'park' ? 3 : 2;
      expect(await unitsOf(tableName, end)).toEqual({ claim: 2, extension: 3, settlement });
    }
  });
});
