import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';

/** Deletes expired rows, as DynamoDB's TTL does; the emulators keep them. */
export async function deleteExpired(client: DynamoDBClient, TableName: string, now: number): Promise<number> {
  const rule = {
    ExpressionAttributeNames: { '#expiresAt': 'expiresAt' },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1_000)) } },
  };
  let deleted = 0;
  const scan = {
    ...rule,
    TableName,
    FilterExpression: '#expiresAt < :now',
    ProjectionExpression: 'id',
  };
  for await (const { Items = [] } of paginateScan({ client }, scan)) {
    const rows = Items.map(({ id }) => remove(id));
    deleted += (await Promise.all(rows)).filter(Boolean).length;
  }
  return deleted;

  /** Deletes a row unless it was claimed again in the meantime. */
  async function remove(id: AttributeValue | undefined): Promise<boolean> {
    if (id === undefined) return false;
    const condition = { ...rule, ConditionExpression: '#expiresAt < :now' };
    try {
      await client.send(new DeleteItemCommand({ ...condition, TableName, Key: { id } }));
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }
}
