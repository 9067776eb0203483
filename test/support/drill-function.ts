/**
 * A function that charges orders, for processes of tests. Some orders tell it what goes wrong with them while it has its bugs
 * (`HAS_BUGS`): it takes them for hopeless, or never ends, before or after the charge.
 */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createBatchProcessor, PermanentError } from 'batchlatch';

export interface DrillOrder {
  readonly orderId: string;
  readonly bug?: 'parks' | 'hangs-before-charge' | 'hangs-after-charge';
}

const dynamoDB = new DynamoDBClient();
const { CHARGES_TABLE_NAME: TableName, HAS_BUGS: hasBugs } = process.env;
const never = (): Promise<never> => new Promise(() => undefined);

export const handler = createBatchProcessor<DrillOrder>(
  async ({ body: { orderId, bug } }) => {
    if (hasBugs === 'yes' && bug === 'parks') throw new PermanentError('no such customer');
    if (hasBugs === 'yes' && bug === 'hangs-before-charge') await never();
    // Each charge is a row of its own: a second one would be seen.
    const Item = { orderId: { S: orderId }, chargeId: { S: randomUUID() } };
    await dynamoDB.send(new PutItemCommand({ TableName, Item }));
    if (hasBugs === 'yes' && bug === 'hangs-after-charge') await never();
  },
  {
    namespace: 'orders',
    key: Object.assign(({ body }: { body: DrillOrder }) => body.orderId, { effort: 'none' as const }),
    // The lease of the process that is killed should be over soon.
    leaseMs: hasBugs === 'yes' ? 3_000 : 60_000,
  },
);
