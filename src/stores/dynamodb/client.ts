import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`, by what only its configuration has. */
interface DocumentClient {
  readonly config: { readonly translateConfig?: unknown };
  send(command: never, options?: never): Promise<unknown>;
}

/** What the store takes for a client. */
export type ClientOfDynamoDB = Pick<DynamoDBClient, 'send'> | DocumentClient;

/**
 * A client for the commands of `@aws-sdk/client-dynamodb`, which speak DynamoDB's own JSON (`{ S: … }`). A document client is
 * one: what turns plain values into that JSON are the commands of `@aws-sdk/lib-dynamodb` and not their client.
 */
export function lowLevelClient(client: ClientOfDynamoDB): Pick<DynamoDBClient, 'send'> {
  return client as Pick<DynamoDBClient, 'send'>;
}
