import { dynamoDBAdmin } from 'batchlatch/dynamodb';
import { startDynamoDBProxy } from '../emulators/dynamodb-proxy.ts';
import { borrowTables, dynamoDBAt, knowsPartiQL } from './demo-services.ts';
import type { DemoStore, DemoStoreSetup } from './demo-store.ts';
import { readChargedOrders, readClaims } from './stored-orders.ts';
import { troubledCharges } from './troubled-charges.ts';

/** The function as the template has it, on a DynamoDB; what goes wrong goes wrong on the way there. */
export async function dynamoDBDemo(
  dynamodbEndpoint: string | undefined,
  { orders, places, messages, cleanup, trouble, isOver }: DemoStoreSetup,
): Promise<DemoStore> {
  const { fn, claims, charges } = orders;
  const isOwn = dynamodbEndpoint === undefined;
  const dynamoDB = dynamoDBAt(places, cleanup);
  if (!isOwn) await borrowTables(dynamoDB, places, [claims, charges], cleanup);
  let claimRequests = 0;
  const troubled = troubledCharges({ messages, chargesTable: charges.name, trouble, isOver });
  const proxy = await startDynamoDBProxy(places.dynamodb, (call) => {
    if (call.body.includes(claims.name)) claimRequests += 1;
    return troubled(call);
  });
  cleanup.defer(() => proxy.stop());
  const allClaims = (): ReturnType<typeof readClaims> => readClaims(dynamoDB, claims.name);
  return {
    label: 'DynamoDB',
    async describe(services) {
      const emulator = services.find(({ endpoint }) => endpoint === places.dynamodb);
      const isBatched = await knowsPartiQL(dynamoDB, claims);
      const writes = isBatched ? 'claims written in batches' : 'claims written one by one';
      return `${emulator === undefined ? '' : `${emulator.name}, `}${places.dynamodb}, ${writes}`;
    },
    fn: { ...fn, environment: { ...fn.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint } },
    tables: isOwn ? [claims, charges] : [],
    // Not through the proxy, which counts; written as any emulator takes it. The template's table has the index.
    claims: dynamoDBAdmin({ tableName: claims.name, client: dynamoDB, writes: 'single', overdueIndex: true }),
    place: `table ${claims.name}`,
    indexedStates: ['in-progress', 'overdue', 'parked'],
    readClaims: allClaims,
    readRunningClaims: allClaims,
    readChargedOrders: () => readChargedOrders(dynamoDB, charges.name),
    claimRequests: () => claimRequests,
  };
}
