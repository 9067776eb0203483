// One process with both builds: an ES module that uses a library which requires the package. Prints what the one makes of
// what comes from the other.
import { createRequire } from 'node:module';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { snsEvent, sqsEvent } from 'batchlatch/testing';

const required = createRequire(import.meta.url)('batchlatch');
const store = memoryStore();
const keys = [];
const observer = {
  onEvent: (event) => {
    if ('key' in event) keys.push(event.key);
  },
};
let runs = 0;

function processorWith(create, key, namespace) {
  return create(
    () => {
      runs += 1;
      throw new required.PermanentError('Never again');
    },
    { store, key, observer, ...(namespace !== undefined && { namespace }) },
  );
}

/** Delivers the message twice. */
async function runsOf(processor, body) {
  runs = 0;
  await processor(sqsEvent([{ messageId: 'm-1', body }]));
  await processor(sqsEvent([{ messageId: 'm-1', body, receiveCount: 2 }]));
  return runs;
}

const imported = processorWith(createBatchProcessor, payloadHash());
const withTheirKey = processorWith(createBatchProcessor, required.payloadHash(), 'theirs');
const permanent = await runsOf(imported, { id: 1 });
const inexact = await runsOf(withTheirKey, '{"id":0.12345678901234567890}');

const bodies = [];
const opening = createBatchProcessor(({ body }) => void bodies.push(body), {
  store,
  namespace: 'opening',
  observer,
  decode: [required.snsEnvelope()],
});
const { Sns } = snsEvent([{ message: { id: 3 } }]).Records[0];
await opening(sqsEvent([{ body: Sns }]));

keys.length = 0;
await processorWith(createBatchProcessor, payloadHash(), 'keys')(sqsEvent([{ body: { id: 2 } }]));
await processorWith(createBatchProcessor, required.payloadHash(), 'keys')(sqsEvent([{ body: { id: 2 } }]));

let refused = '';
try {
  await processorWith(required.createBatchProcessor, required.payloadHash())(sqsEvent([{ body: {} }]));
} catch (error) {
  refused = error.code;
}
process.stdout.write(
  JSON.stringify({
    areTwoCopies: required.payloadHash !== payloadHash,
    runsAfterTheirPermanentError: permanent,
    runsOfAnInexactKey: inexact,
    bodiesBehindTheirStep: bodies,
    distinctKeys: new Set(keys).size,
    refused,
  }),
);
