// CommonJS, as a bundle or a test of ts-jest. Prints what each entry exports and how a batch ends.
const { createBatchProcessor, payloadHash, PermanentError } = require('batchlatch');
const { memoryStore } = require('batchlatch/memory');
const { sqsEvent } = require('batchlatch/testing');

const entries = {};
for (const name of JSON.parse(process.argv[2])) entries[name] = Object.keys(require(name)).sort();

const processor = createBatchProcessor(
  ({ body }) => {
    if (body.amount < 0) throw new PermanentError('A negative amount');
  },
  { store: memoryStore(), key: payloadHash({ include: ['id'] }), observer: { onEvent: () => undefined } },
);
const event = sqsEvent([
  { messageId: 'good', body: { id: 1, amount: 1 } },
  { messageId: 'bad', body: { id: 2, amount: -1 } },
]);
void processor(event).then((answer) => process.stdout.write(JSON.stringify({ entries, answer })));
