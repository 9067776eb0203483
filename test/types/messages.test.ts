import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Editor, linesWithErrors, numbered, openMistakes, saidOf } from './editor.ts';

const PRELUDE = `
import { createBatchProcessor, kinesis, payloadHash, sqs } from 'batchlatch';
import type { BatchProcessorOptions, KinesisBatchRecord, ProcessorOptions, RecordHandler } from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { createWorker } from 'batchlatch/worker';
interface Order { readonly orderId: string; readonly customer: { readonly id: string } }
declare function charge(order: Order): Promise<{ chargeId: string }>;
declare function onKinesis(record: KinesisBatchRecord<Order>): Promise<void>;
`;

/** A mistake in one line, and all that TypeScript says of it. */
const MISTAKES: readonly [line: string, text: string][] = [
  [
    `createBatchProcessor<Order>(({ body }) => charge(body), { concurency: 3 });`,
    `Object literal may only specify known properties, but 'concurency' does not exist in type 'ProcessorOptions<Order, Order, BatchRecord, WithBody<BatchRecord, Order>>'. Did you mean to write 'concurrency'?`,
  ],
  [
    `createBatchProcessor<Order>(({ body }) => charge(body), { retentionMs: '4 days' });`,
    `Type 'string' is not assignable to type 'RetentionMs | undefined'.`,
  ],
  [
    `createBatchProcessor<Order>(({ body }) => charge(body), { visibility: 30 });`,
    `Type 'number' is not assignable to type 'VisibilityPolicy'.`,
  ],
  [
    `createBatchProcessor<Order>(({ body }) => charge(body), { key: payloadHash({ include: ['ordrId'] }) });`,
    `Type '"ordrId"' is not assignable to type '"orderId" | Below<"customer", { readonly id: string; }, never, [1, 1, 1]>'. Did you mean '"orderId"'?`,
  ],
  [
    `createBatchProcessor<Order>(({ body }) => charge(body.order));`,
    `Property 'order' does not exist on type 'Order'. Did you mean 'orderId'?`,
  ],
  [
    `createBatchProcessor(async ({ body }) => charge(body), { source: kinesis<Order>(), concurrency: '3' });`,
    `No overload matches this call.
  Overload 1 of 2, '(routes: Routes<"records">, options?: RoutedOptions | undefined): BatchProcessor', gave the following error.
    Argument of type '({ body }: { body: any; }) => Promise<{ chargeId: string; }>' is not assignable to parameter of type 'Routes<"records">'.
  Overload 2 of 2, '(recordHandler: RecordHandler<Order, KinesisBatchRecord<Order>>, options?: ProcessorOptions<unknown, unknown, KinesisBatchRecord<Order>, KinesisBatchRecord<...>> | undefined): BatchProcessor', gave the following error.
    Type 'string' is not assignable to type 'number'.
Binding element 'body' implicitly has an 'any' type.`,
  ],
  [
    `createBatchProcessor(onKinesis, { source: sqs<Order>() });`,
    `No overload matches this call.
  Overload 1 of 2, '(routes: Routes<"records">, options?: RoutedOptions | undefined): BatchProcessor', gave the following error.
    Argument of type '(record: KinesisBatchRecord<Order>) => Promise<void>' is not assignable to parameter of type 'Routes<"records">'.
  Overload 2 of 2, '(recordHandler: RecordHandler<Order, KinesisBatchRecord<Order>>, options?: ProcessorOptions<unknown, unknown, SqsBatchRecord<Order>, KinesisBatchRecord<...>> | undefined): BatchProcessor', gave the following error.
    Type 'Source<SqsBatchRecord<Order>>' is not assignable to type 'Source<SqsBatchRecord<Order>> & Source<KinesisBatchRecord<unknown>>'.
      Type 'Source<SqsBatchRecord<Order>>' is not assignable to type 'Source<KinesisBatchRecord<unknown>>'.
        Type 'RecordOf<"sqs", Order, SQSRecord>' is missing the following properties from type 'KinesisBatchRecord<unknown>': partitionKey, sequenceNumber`,
  ],
  [
    `createBatchProcessor.forBatches<Order>(() => [], { batchSize: 10 });`,
    `Object literal may only specify known properties, and 'batchSize' does not exist in type 'ProcessorOptions<Order, Order, BatchRecord, WithBody<BatchRecord, Order>>'.`,
  ],
  [
    `withIdempotency(charge, { key: (order) => order.orderId });`,
    `Argument of type '{ key: (order: Order) => string; }' is not assignable to parameter of type 'AnyCallOptions<[order: Order]>'.
  Property 'namespace' is missing in type '{ key: (order: Order) => string; }' but required in type 'IdempotencyOptions<[order: Order]>'.`,
  ],
  [
    `withIdempotency(charge, { namespace: 'n', key: (order) => order.orderId, leaseMS: 3 });`,
    `Object literal may only specify known properties, but 'leaseMS' does not exist in type 'IdempotencyOptions<[order: Order]>'. Did you mean to write 'leaseMs'?`,
  ],
  [
    `createWorker({ queueUrl: 'https://sqs', handler: async () => undefined, concurency: 3 });`,
    `Object literal may only specify known properties, and 'concurency' does not exist in type 'WorkerOptions'.`,
  ],
];

/** What is shown over the first name of a piece of code that is right. */
const HOVERS: readonly [code: string, text: string][] = [
  [
    'createBatchProcessor<Order>(({ body: first',
    '(alias) createBatchProcessor<Order, Order, BatchRecord, WithBody<BatchRecord, Order>>(recordHandler: RecordHandler<Order, WithBody<BatchRecord, Order>>, options?: ProcessorOptions<Order, Order, BatchRecord, WithBody<BatchRecord, Order>> | undefined): BatchProcessor (+1 overload)',
  ],
  ['concurrency: 7', '(property) concurrency?: number | undefined'],
  ['key: payloadHash({ include: ["orderId"', '(property) key?: KeySelector<Order> | undefined'],
  [
    'payloadHash({ include: ["orderId"',
    '(alias) payloadHash<Order>(options?: PayloadHashOptions<Order>): KeySelector<Order>',
  ],
  [
    'key: (order) => order.orderId + "right"',
    '(property) IdempotencyOptions<[order: Order]>.key: (order: Order) => string | readonly string[]',
  ],
  [
    'body: second',
    '(property) RecordOf<"kinesis", Order, KinesisStreamRecord | PipesKinesisRecord>.body: Order',
  ],
];

const RIGHT = `
createBatchProcessor<Order>(({ body: first }) => charge(first), { concurrency: 7, key: payloadHash({ include: ["orderId", "customer.id"] }) });
withIdempotency(charge, { namespace: "n", key: (order) => order.orderId + "right" });
createBatchProcessor(({ body: second, partitionKey }) => charge(second), { source: kinesis<Order>() });
function shopProcessor<Body>(handler: RecordHandler<Body>, options: ProcessorOptions<Body> = {}) {
  return createBatchProcessor<Body>(handler, { key: payloadHash(), ...options });
}
function shopQueue<Body>(handler: (body: Body) => Promise<void>, options: BatchProcessorOptions<Body>) {
  return createBatchProcessor<Body>(({ body }) => handler(body), { ...options, source: sqs<Body>() });
}
`;

const FILE = { prelude: PRELUDE, mistakes: MISTAKES, right: RIGHT };

describe('TypeScript', () => {
  let editor: Editor;
  beforeAll(() => {
    editor = openMistakes(FILE);
  });

  it.each(numbered(FILE))('says of $line what is wrong', ({ number, text }) => {
    expect(saidOf(number, editor).join('\n')).toBe(text);
  });

  it('says nothing of code that is right', () => {
    expect(linesWithErrors(editor)).toEqual(numbered(FILE).map(({ number }) => number));
  });

  it.each(HOVERS)('shows over %s: %s', (name, text) => {
    expect(editor.hover(name)).toBe(text);
  });
});
