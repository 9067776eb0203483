import {
  CreateTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';

/** The table of `outbox-worker`: each effect is a row of its own, so that a second one of an order is seen. */
export const EFFECTS = 'effects';

export async function createEffectsTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: EFFECTS,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'orderId', AttributeType: 'S' },
        { AttributeName: 'run', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'orderId', KeyType: 'HASH' },
        { AttributeName: 'run', KeyType: 'RANGE' },
      ],
    }),
  );
}

/** Returns the ids of the orders that were placed, and of the messages that were consumed, each sorted. */
export async function effectsIn(client: DynamoDBClient): Promise<{ placed: string[]; consumed: string[] }> {
  const placed: string[] = [];
  const consumed: string[] = [];
  let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(new ScanCommand({ TableName: EFFECTS, ExclusiveStartKey }));
    for (const { orderId, run } of page.Items ?? []) {
      (run?.S === 'placed' ? placed : consumed).push(orderId?.S ?? '');
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return { placed: placed.toSorted(), consumed: consumed.toSorted() };
}
