import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createOrdersTables, type OrdersTables } from '../../test/support/orders-stack.ts';
import { readChargedOrders, readClaims } from '../local/demo/stored-orders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { builtFunctions, runFolder, samLocal } from './support/sam-cli.ts';

describeWith([samLocal, dynamoDBLocal], '`sam local invoke` on the template', () => {
  let database: LocalService;
  let dynamoDB: DynamoDBClient;
  let tables: OrdersTables;
  beforeAll(async () => {
    await samLocal.install();
    database = await startDynamoDBLocal();
    dynamoDB = emulatorClient(database.endpoint);
    await builtFunctions();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    dynamoDB.destroy();
    await database.stop();
  });
  beforeEach(async () => {
    tables = await createOrdersTables(dynamoDB, randomUUID());
  });

  it('charges each order of an SQS batch once, however often the batch comes', async () => {
    const handedBack = { batchItemFailures: [{ itemIdentifier: '2e1424d4-f796-459a-8184-9c92662be6da' }] };
    expect(await invoke('OrdersFunction', 'sqs-batch.json')).toEqual(handedBack);
    expect(await charged()).toEqual(['order-1001', 'order-1003']);
    const claims = await readClaims(dynamoDB, tables.claims);
    expect(claims.map(({ status }) => status).toSorted()).toEqual(['COMPLETED', 'COMPLETED', 'PARKED']);

    expect(await invoke('OrdersFunction', 'sqs-batch.json')).toEqual(handedBack);
    expect(await charged()).toEqual(['order-1001', 'order-1003']);
    expect(await readClaims(dynamoDB, tables.claims)).toEqual(claims);
  });

  it('acknowledges a batch of one', async () => {
    expect(await invoke('OrdersFunction', 'sqs-one-order.json')).toEqual({ batchItemFailures: [] });
    expect(await charged()).toEqual(['order-1004']);
  });

  it('charges the order of an EventBridge event once, however often the event comes', async () => {
    await invoke('OrderPlacedFunction', 'eventbridge-order-placed.json');
    await invoke('OrderPlacedFunction', 'eventbridge-order-placed.json');
    expect(await charged()).toEqual(['order-2001']);
    expect(await readClaims(dynamoDB, tables.claims)).toMatchObject([{ status: 'COMPLETED', attempt: 1 }]);
  });

  /** What the function answers to an event of `examples/orders/events`. */
  async function invoke(functionName: string, event: string): Promise<unknown> {
    const options = {
      '--template': join(await builtFunctions(), 'template.yaml'),
      '--event': `examples/orders/events/${event}`,
      '--env-vars': await environmentFile(),
      // A container that shares two cores with everything else may be slow; what is tested is no time limit.
      '--parameter-overrides': 'Architecture=x86_64 FunctionTimeout=300',
    };
    const command = ['sam', 'local', 'invoke', functionName, ...Object.entries(options).flat()];
    const printed = await runCommand('scripts/sam-local.sh', ['run', ...command]);
    const answer: unknown = printed.trim() === '' ? undefined : JSON.parse(printed);
    if (typeof answer === 'object' && answer !== null && 'errorType' in answer) throw new Error(printed);
    return answer;
  }

  /** `examples/orders/env.json`, but for the tables and the port of this run. */
  async function environmentFile(): Promise<string> {
    const { Parameters: given } = JSON.parse(await readFile('examples/orders/env.json', 'utf8'));
    const endpoint = new URL(given.AWS_ENDPOINT_URL_DYNAMODB);
    endpoint.port = new URL(database.endpoint).port;
    const Parameters = {
      ...given,
      CLAIMS_TABLE_NAME: tables.claims,
      CHARGES_TABLE_NAME: tables.charges,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint.origin,
    };
    const file = join(runFolder(), 'env.json');
    await writeFile(file, JSON.stringify({ Parameters }));
    return file;
  }

  async function charged(): Promise<string[]> {
    return (await readChargedOrders(dynamoDB, tables.charges)).toSorted();
  }
});
