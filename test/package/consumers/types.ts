import { createBatchProcessor, payloadHash, type RecordHandler } from 'batchlatch';
import { ClaimsTable } from 'batchlatch-cdk';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { withHttpIdempotency } from 'batchlatch/http';
import { jmesPath } from 'batchlatch/jmespath';
import { memoryStore } from 'batchlatch/memory';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { s3Pointer } from 'batchlatch/s3';
import { sqsEvent } from 'batchlatch/testing';

const chargeOrder: RecordHandler = async ({ body }) => body;

export const handler = createBatchProcessor(chargeOrder, {
  store: dynamoDBStore({ tableName: 'claims', attributes: powertoolsAttributes }),
  key: payloadHash({ include: ['orderId'] }),
});
export const answer: Promise<{ batchItemFailures: readonly { itemIdentifier: string }[] }> = handler(
  sqsEvent([{ body: { orderId: 1 } }]),
);
export const others = [withIdempotency, withHttpIdempotency, jmesPath, memoryStore, s3Pointer, ClaimsTable];

// @ts-expect-error: were the package's types not found, everything would be allowed
createBatchProcessor(chargeOrder, { concurrency: 'three' });
