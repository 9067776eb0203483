import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`, by what only its configuration has. */
interface DocumentClient {
  readonly config: { readonly translateConfig?: unknown };
  send(command: never, options?: never): Promise<unknown>;
}

/** What the store takes for a client. */
export type ClientOfDynamoDB = Pick<DynamoDBClient, 'send'> | DocumentClient;

/**
 * Whether plain values come from and go to its own methods. Its `send` takes the commands of `@aws-sdk/client-dynamodb` all the
 * same, which speak DynamoDB's own JSON (`{ S: … }`): what turns values into that JSON are the commands of `lib-dynamodb`.
 */
export function isDocumentClient(client: ClientOfDynamoDB): boolean {
  return (client as Partial<DocumentClient>).config?.translateConfig !== undefined;
}
