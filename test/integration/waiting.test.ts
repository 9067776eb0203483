import { waitForOwner } from 'batchlatch';
import { expect, it } from '@jest/globals';
import type { RecordHandler } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { systemClock } from '../../src/base/clock.ts';
import { bench, deferred } from '../batch/bench.ts';
import { emulatedTable } from '../support/emulated-table.ts';

const table = emulatedTable('dynoxide');

it("waitForConflict takes the other owner's end, on DynamoDB and by the machine's clock", async () => {
  const store = dynamoDBStore({ tableName: table.tableName, client: table.newClient() });
  const b = bench();
  const options = { store, clock: systemClock, onConflict: waitForOwner({ timeoutMs: 20_000 }) };
  const gate = deferred();
  let runs = 0;
  const handler: RecordHandler = () => {
    runs += 1;
    return gate.promise;
  };
  const first = b.run(handler, ['a'], options);
  await b.told('started', 'a');
  const second = b.run(handler, ['a'], options);
  const timer = setTimeout(() => gate.resolve(), 150);
  expect(await Promise.all([first, second])).toEqual([[], []]);
  clearTimeout(timer);
  expect(runs).toBe(1);
});
