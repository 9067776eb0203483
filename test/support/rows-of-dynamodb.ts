import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { RowsSubject } from 'batchlatch/testing';

/** The rows of a claims table past the store. `statusName`: the attribute that holds the status and, with it, the format. */
export function rowsOfDynamoDB(
  table: () => { readonly client: DynamoDBClient; readonly tableName: string },
  statusName: 'status' | 'state' = 'status',
): RowsSubject {
  const read: RowsSubject['read'] = async (key) => {
    const { client, tableName: TableName } = table();
    const get = new GetItemCommand({ TableName, Key: { id: { S: key } }, ConsistentRead: true });
    return (await client.send(get)).Item;
  };
  return {
    read,
    async makeNewer(key, format) {
      const { client, tableName: TableName } = table();
      const row = (await read(key)) as NonNullable<PutItemCommand['input']['Item']>;
      const Item = { ...row, [statusName]: { S: `${row[statusName]?.S}${format}` } };
      await client.send(new PutItemCommand({ TableName, Item }));
    },
  };
}
