import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';

/** Processes a message, and with STREAM set a change with a number that a double cannot hold. Prints what was seen. */
async function main() {
  const seen = [];
  const handler = createBatchProcessor(
    (record) => void seen.push(record.source === 'sqs' ? record.body : String(record.newImage.amount)),
    { store: memoryStore(), observer: { onEvent: () => undefined } },
  );
  await handler({ Records: [{ messageId: 'a', eventSource: 'aws:sqs', body: '"message"', attributes: {} }] });
  if (process.env.STREAM) await handler({ Records: [change] });
  process.stdout.write(JSON.stringify({ seen }));
}

const change = {
  eventSource: 'aws:dynamodb',
  eventSourceARN: 'arn:aws:dynamodb:us-east-1:123456789012:table/orders/stream/1',
  eventID: 'b',
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: '1',
    Keys: { id: { S: 'A' } },
    NewImage: { id: { S: 'A' }, amount: { N: '0.12345678901234567890123' } },
  },
};

void main();
