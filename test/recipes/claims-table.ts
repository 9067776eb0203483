import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { createClaimsTable, emulatorClient } from '../support/claims-table.ts';

/** A claims table on this machine. */
export interface ClaimsOnThisMachine {
  /** What Lambda's environment tells a function about it, and about its region and credentials. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts DynamoDB's emulator with a claims table, so that a handler runs as it is deployed. */
export async function startClaims(): Promise<ClaimsOnThisMachine> {
  const service = await startDynamoDBEmulator();
  const client = emulatorClient(service.endpoint);
  const tableName = await createClaimsTable(client);
  client.destroy();
  return {
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_ENDPOINT_URL_DYNAMODB: service.endpoint,
      CLAIMS_TABLE_NAME: tableName,
    },
    stop: () => service.stop(),
  };
}
