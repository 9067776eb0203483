import { DynamoDB, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import type { Context } from '../context.ts';
import { awsSettings, dummiesOf } from './aws-settings.ts';

/** A client of DynamoDB for these options, which is closed when `use` has ended. */
export async function withDynamoDB<Result>(
  context: Context,
  options: ConnectionOptions,
  use: (client: DynamoDBClient) => Promise<Result>,
): Promise<Result> {
  const settings = awsSettings('DYNAMODB', options, context);
  const dummies = dummiesOf(settings);
  if (dummies !== undefined) context.screen.detail(dummies);
  // With the methods of all operations: a bare client would need the commands of an SDK beside the command line.
  const client = new DynamoDB({
    ...settings,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}
