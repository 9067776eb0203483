import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';

/** The table of those that are counted, and one that stays small: it is searched. */
export const TABLE = 'counted';
export const TRACED_TABLE = 'traced';

/** Starts an emulator with its tables, and has the environment name it, so that requests go without AWS's SDK. */
export async function startDynamoDB(): Promise<{ stop(): Promise<void> }> {
  const { endpoint, stop } = await startDynamoDBEmulator('dynoxide');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  });
  const client = new DynamoDBClient({ endpoint });
  for (const name of [TABLE, TRACED_TABLE])
    await client.send(new CreateTableCommand(claimsTableDefinition(name).table));
  client.destroy();
  return { stop };
}
