import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Operation, Transport } from '../../src/stores/dynamodb/transport.ts';

const OPERATIONS: readonly Operation[] = [
  'BatchExecuteStatement',
  'BatchGetItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactWriteItems',
  'UpdateItem',
];

/** A `client` for stores that sends everything over a transport: as `new DynamoDB({})` it has a method for each operation. */
export function clientOver(transport: Transport): Pick<DynamoDBClient, 'send'> {
  const client = {
    send: () => Promise.reject(new Error('It is called by its methods')),
  };
  for (const operation of OPERATIONS) {
    const name = operation.charAt(0).toLowerCase() + operation.slice(1);
    const method = (input: never, options?: { readonly abortSignal: AbortSignal }): Promise<unknown> =>
      transport.send(operation, input, options?.abortSignal);
    Object.assign(client, { [name]: method });
  }
  return client;
}
