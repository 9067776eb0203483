import { gzip, base64, createBatchProcessor, payloadHash } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';

/**
 * A function with little memory that gets a batch: the message `bomb`, whose body is the first argument, and those of
 * GOOD_BODIES. Prints the answer and what was told of the bomb.
 */
const [bomb = '', decoder = ''] = process.argv.slice(2);
const decode = { gzip: gzip(), 'gzip-10': gzip({ maxBytes: 10_485_760 }), base64: base64() }[decoder];
if (decode === undefined) throw new Error(`no such decoder: ${decoder}`);

let message = '';
const processor = createBatchProcessor(({ body }) => body, {
  store: memoryStore(),
  decode,
  key: payloadHash(),
  observer: {
    onEvent: (event) => {
      if (event.type === 'invalid') ({ message } = event.error as Error);
    },
  },
});
const good = (process.env['GOOD_BODIES'] ?? '')
  .split(' ')
  .map((body, n) => ({ messageId: `good-${n}`, body }));
const response = await processor(sqsEvent([{ messageId: 'bomb', body: bomb }, ...good]));
process.stdout.write(JSON.stringify({ ...response, message }));
