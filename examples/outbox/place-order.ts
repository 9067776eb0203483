import { type BatchProcessor, createBatchProcessor, payloadHash } from 'batchlatch';
import { commit } from 'batchlatch/dynamodb';
import { dynamoDBOutbox } from 'batchlatch/outbox';
import { orders } from './messages.ts';

interface Order {
  readonly orderId: string;
  readonly tenantId: string;
  readonly total: number;
}

const outbox = dynamoDBOutbox({ messages: orders });

/** Stores orders. An order, the completion of its claim and its message are written together, or none is. */
export const handler: BatchProcessor = createBatchProcessor<Order>(
  async ({ body: { orderId, tenantId, total } }, context) => {
    const TableName = process.env['ORDERS_TABLE_NAME'];
    const order = { Put: { TableName, Item: { orderId, tenantId, total } } };
    await commit(context, [order, outbox.message('OrderPlaced', { orderId, tenantId, total })]);
  },
  { key: payloadHash({ include: ['orderId'] }) },
);
