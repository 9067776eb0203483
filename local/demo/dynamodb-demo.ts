import { startDynamoDBProxy } from '../emulators/dynamodb-proxy.ts';
import { emulatorEnvironment } from '../../src/dev/emulators/emulator-environment.ts';
import { prepareDynamoDB } from './demo-services.ts';
import type { DemoStore, DemoStoreSetup } from './demo-store.ts';
import { readChargedOrders, readClaims } from './stored-orders.ts';
import { troubledCharges } from './troubled-charges.ts';

/** The function of examples/orders as the template sets it up, on a DynamoDB; what goes wrong goes wrong on the way there. */
export async function dynamoDBDemo(
  dynamodbEndpoint: string | undefined,
  { messages, logLevel, cleanup, trouble }: DemoStoreSetup,
): Promise<DemoStore> {
  const { dynamoDB, endpoint, name, tables } = await prepareDynamoDB(dynamodbEndpoint, cleanup);
  let claimRequests = 0;
  const troubled = troubledCharges({ messages, chargesTable: tables.charges, trouble });
  const proxy = await startDynamoDBProxy(endpoint, (call) => {
    if (call.body.includes(tables.claims)) claimRequests += 1;
    return troubled(call);
  });
  cleanup.defer(() => proxy.stop());
  const writes = tables.knowsPartiQL ? 'claims written in batches' : 'claims written one by one';
  const claims = (): ReturnType<typeof readClaims> => readClaims(dynamoDB, tables.claims);
  return {
    label: 'DynamoDB',
    description: `${name}${endpoint}, ${writes}`,
    sandbox: {
      handlerModule: new URL('../../examples/orders/orders-queue.ts', import.meta.url),
      env: {
        ...emulatorEnvironment,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
        AWS_LAMBDA_FUNCTION_NAME: 'OrdersFunction',
        CLAIMS_TABLE_NAME: tables.claims,
        CHARGES_TABLE_NAME: tables.charges,
        BATCHLATCH_LOG_LEVEL: logLevel,
      },
      // Printed above already, and not needed once per process.
      silencedWarnings: tables.knowsPartiQL ? [] : ['BATCHLATCH_SINGLE_WRITES'],
    },
    readClaims: claims,
    readRunningClaims: claims,
    readChargedOrders: () => readChargedOrders(dynamoDB, tables.charges),
    claimRequests: () => claimRequests,
  };
}
