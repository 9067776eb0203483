/**
 * An empty DynamoDB on port 8000, or the one that is given, with the two tables of template.yaml, under the names of
 * env.json, for `sam local invoke`. Runs until it is interrupted. Another port has to be entered in env.json, too.
 */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';

const emulator = await startDynamoDBEmulator(undefined, { port: Number(process.argv[2] ?? 8000) });
const client = new DynamoDBClient({
  endpoint: emulator.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

const claims = claimsTableDefinition('claims', {}, { overdueIndex: true });
await client.send(new CreateTableCommand(claims.table));
if (emulator.kind === 'dynoxide') await client.send(new UpdateTimeToLiveCommand(claims.timeToLive));

await client.send(
  new CreateTableCommand({
    TableName: 'charges',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'orderId', AttributeType: 'S' },
      { AttributeName: 'chargeId', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'orderId', KeyType: 'HASH' },
      { AttributeName: 'chargeId', KeyType: 'RANGE' },
    ],
  }),
);
client.destroy();

console.log(`${emulator.name} listens on ${emulator.endpoint} with the tables claims and charges`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void emulator.stop());
