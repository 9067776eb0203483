import { expect, it } from '@jest/globals';
import { kafkaEvent, kinesisEvent, lambdaContext, s3Event, snsEvent } from 'batchlatch/testing';
import { handler as invoiceFiles } from '../../examples/sources/invoice-files.ts';
import { handler as pageViews } from '../../examples/sources/page-views.ts';
import { handler as shipments } from '../../examples/sources/shipments.ts';
import { handler as stockChanges } from '../../examples/sources/stock-changes.ts';
import { exampleTable } from '../support/example-table.ts';

const log = exampleTable();

it.each([
  [
    'Kinesis',
    pageViews,
    kinesisEvent([{ body: { viewId: 'v-1', page: '/' }, partitionKey: 'visitor' }]),
    { message: 'page view', id: 'v-1', page: '/', visitor: 'visitor' },
  ],
  [
    'SNS',
    shipments,
    snsEvent([{ message: { shipmentId: 's-1', carrier: 'c' } }]),
    { message: 'shipment', id: 's-1', carrier: 'c' },
  ],
  [
    'S3',
    invoiceFiles,
    s3Event([{ key: 'a b.pdf' }]),
    expect.objectContaining({ message: 'invoice file', id: 'a b.pdf' }),
  ],
  [
    'Kafka',
    stockChanges,
    kafkaEvent([{ value: { articleId: 'a-1', change: -2 }, key: 'a-1' }]),
    { message: 'stock change', id: 'a-1', change: -2 },
  ],
])('The example of %s does what an event brings once', async (_source, handler, event, noted) => {
  log.mockClear();
  const invoke = handler as (event: unknown, context: unknown) => Promise<unknown>;
  const first = await invoke(event, lambdaContext());
  expect([undefined, { batchItemFailures: [] }]).toContainEqual(first);
  expect(await invoke(event, lambdaContext())).toEqual(first);
  expect(log.mock.calls.map(([line]) => JSON.parse(line as string) as unknown)).toEqual([noted]);
});
