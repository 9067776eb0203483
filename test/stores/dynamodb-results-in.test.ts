import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { resultsIn } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { withResultTexts } from '../../src/claims/result-texts.ts';
import { claimRequest, completion } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';

describe.each([
  ['the default attributes', {}],
  ["Powertools' attributes", { attributes: powertoolsAttributes }],
])('a result storage beside DynamoDB with %s', (_what, attributes) => {
  const table = emulatedTable('dynoxide');

  it('keeps results that no item could hold', async () => {
    const { storage } = memoryResultStorage();
    const { tableName } = table;
    const inner = dynamoDBStore({ tableName, client: table.newClient(), ...attributes });
    const store = withResultTexts(resultsIn(storage, inner));
    const json = JSON.stringify('x'.repeat(600 * 1_024));
    const request = claimRequest(randomUUID());
    expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
    expect(await store.settle([completion(request, json)])).toEqual(['stored']);
    const [outcome] = await store.acquire([claimRequest(request.key)]);
    expect(outcome?.status === 'duplicate' && outcome.result === json).toBe(true);
  });
});
