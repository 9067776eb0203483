// Runs so many batches with the default log: `hidden-classes-of-batches.ts STORE BATCHES`. See hidden-classes.ts.
import type * as Batchlatch from 'batchlatch';
import { BUILT, dynamoDBStore, memoryStore } from './built.ts';
import { TABLE } from './dynamodb.ts';

const SIZE = 10;
const [store = '', batches = ''] = process.argv.slice(2);
const { createBatchProcessor } = (await import(`${BUILT}index.js`)) as typeof Batchlatch;

// Made here, as Lambda makes them: the makers for tests check their members with each call, and make classes of their own.
const eventOf = (batch: number): string =>
  JSON.stringify({
    Records: Array.from({ length: SIZE }, (_, index) => ({
      messageId: `m${batch}-${index}`,
      receiptHandle: 'r',
      body: '{"a":1}',
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1700000000000' },
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:way',
      awsRegion: 'us-east-1',
    })),
  });

let calls = 0;
const processor = createBatchProcessor(
  async () => {
    calls += 1;
    if (calls % SIZE === 0) throw new Error('The order cannot be shipped');
  },
  {
    store: store === 'DynamoDB' ? dynamoDBStore({ tableName: TABLE }) : memoryStore(),
    namespace: `run-${process.pid}`,
  },
);
const context = {
  functionName: 'way',
  awsRequestId: 'request-1',
  getRemainingTimeInMillis: () => 900_000,
} as Parameters<typeof processor>[1];
for (let batch = 0; batch < Number(batches); batch += 1) await processor(JSON.parse(eventOf(batch)), context);
if (calls !== SIZE * Number(batches)) throw new Error(`${calls} handlers ran`);
process.exit(); // what keeps connections open
