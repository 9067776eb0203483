import { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import type { Context } from '../context.ts';
import { awsSettings, dummiesOf } from './aws-settings.ts';

/** Creates a DynamoDB client from these options for `use`, and destroys it after it. */
export async function withDynamoDB<Result>(
  context: Context,
  options: ConnectionOptions,
  use: (client: DynamoDB) => Promise<Result>,
): Promise<Result> {
  const settings = awsSettings('DYNAMODB', options, context);
  const dummies = dummiesOf(settings);
  if (dummies !== undefined) context.screen.detail(dummies);
  // `DynamoDB` has its operations as methods: with `DynamoDBClient`, the store would load the SDK's commands.
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
