// Ten records by the direct transport, ten with a given client of AWS's SDK, and ten through the worker. Prints what became
// of them. `load` imports or requires, as the program does that runs this. With spans of our own nothing is sent by the SDK.
const { OWN_SPANS } = require('./own-spans.cjs');
const { WRAPPERS } = require('./wrappers.cjs');

const RECORDS = 10;

exports.run = async function run(load) {
  const { tool, tables, queueUrl, hasOwnSpans } = JSON.parse(process.argv[2]);
  const wrap = (await WRAPPERS[tool]?.(load)) ?? ((handler) => handler);
  const { createBatchProcessor } = await load('batchlatch');
  const { dynamoDBStore } = await load('batchlatch/dynamodb');
  const { lambdaContext, sqsEvent } = await load('batchlatch/testing');

  const spans = hasOwnSpans ? await (OWN_SPANS[tool] ?? OWN_SPANS.opentelemetry)(load) : undefined;
  const { observers } = await load('batchlatch/observe');

  /** A handler, and what it tells. */
  function handlerWith(store, isConcurrent = false) {
    const told = { ran: 0, errors: [] };
    const processor = createBatchProcessor(() => void (told.ran += 1), {
      store,
      key: ({ body }) => body.orderId,
      observer: observers(
        {
          onEvent(event) {
            if ('error' in event) told.errors.push(`${event.type}: ${event.error}`);
          },
        },
        ...(spans ? [spans] : []),
      ),
    });
    return { told, handler: wrap(processor, isConcurrent) };
  }

  async function batch(store) {
    const { told, handler } = handlerWith(store);
    const orders = Array.from({ length: RECORDS }, (_, n) => ({ body: { orderId: `order-${n}` } }));
    const { batchItemFailures } = await handler(sqsEvent(orders), lambdaContext());
    return { ...told, failed: batchItemFailures.length };
  }

  const runs = {
    direct: () => batch(dynamoDBStore({ tableName: tables.direct })),

    // The SDK is loaded after the first batch, so that nothing of it is there when that is sent.
    async client() {
      const { DynamoDB } = await load('@aws-sdk/client-dynamodb');
      const client = new DynamoDB({});
      const told = await batch(dynamoDBStore({ tableName: tables.client, client }));
      client.destroy();
      return told;
    },

    async worker() {
      const { createWorker } = await load('batchlatch/worker');
      const { told, handler } = handlerWith(dynamoDBStore({ tableName: tables.worker }), true);
      const worker = createWorker({ queueUrl, handler, waitTimeSeconds: 1 });
      await worker.start();
      while (worker.counters.deleted < RECORDS && worker.counters.failed === 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await worker.stop();
      return { ...told, failed: worker.counters.failed };
    },
  };

  if (hasOwnSpans) delete runs.client;
  const told = {};
  for (const [name, once] of Object.entries(runs)) {
    told[name] = await once().catch((error) => ({ error: String(error) }));
  }
  process.stdout.write(`\n${JSON.stringify(told)}\n`);
};
