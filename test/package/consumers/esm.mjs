// An ES module, as Lambda runs one. Prints what each entry exports and how a batch ends.
import { createBatchProcessor, payloadHash, PermanentError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';

const entries = {};
for (const name of JSON.parse(process.argv[2])) entries[name] = Object.keys(await import(name)).sort();

const processor = createBatchProcessor(
  ({ body }) => {
    if (body.amount < 0) throw new PermanentError('A negative amount');
  },
  { store: memoryStore(), key: payloadHash({ include: ['id'] }), observer: { onEvent: () => undefined } },
);
const answer = await processor(
  sqsEvent([
    { messageId: 'good', body: { id: 1, amount: 1 } },
    { messageId: 'bad', body: { id: 2, amount: -1 } },
  ]),
);
process.stdout.write(JSON.stringify({ entries, answer }));
