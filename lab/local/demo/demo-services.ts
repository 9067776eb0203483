import {
  BatchExecuteStatementCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { Places } from '../../../packages/cli/src/dev/places.ts';
import { createTables } from '../../../packages/cli/src/dev/services/create-tables.ts';
import type { DevTable } from '../../../packages/cli/src/dev/stack.ts';

/** A client of the DynamoDB of these places, whether that runs already or not. */
export function dynamoDBAt({ dynamodb }: Places, cleanup: DisposeStack): DynamoDBClient {
  const client = new DynamoDBClient({ ...emulatorClientConfig, endpoint: dynamodb });
  cleanup.defer(() => client.destroy());
  return client;
}

/** Makes tables in an emulator that runs already, and deletes them after the run. */
export async function borrowTables(
  dynamoDB: DynamoDBClient,
  places: Places,
  tables: readonly DevTable[],
  cleanup: DisposeStack,
): Promise<void> {
  await dynamoDB.send(new ListTablesCommand({ Limit: 1 })).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ECONNREFUSED') throw cause;
    throw new Error(`Nothing answers at ${places.dynamodb}; start a DynamoDB emulator there`, { cause });
  });
  for (const table of tables) {
    await createTables(places, [table], new Map());
    cleanup.defer(async () => void (await dynamoDB.send(new DeleteTableCommand({ TableName: table.name }))));
  }
}

/** Whether this DynamoDB knows the statements that claims are written with by default. */
export async function knowsPartiQL(dynamoDB: DynamoDBClient, { name }: DevTable): Promise<boolean> {
  const statement = { Statement: `SELECT id FROM "${name}" WHERE id = ?`, Parameters: [{ S: '-' }] };
  try {
    await dynamoDB.send(new BatchExecuteStatementCommand({ Statements: [statement] }));
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'UnknownOperationException') return false;
    throw thrown;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
