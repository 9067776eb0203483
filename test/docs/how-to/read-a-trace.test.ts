import { context, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, it } from '@jest/globals';
import type { BatchProcessor } from 'batchlatch';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { exampleTable } from '../../support/example-table.ts';
import { codeBlocks } from '../markdown.ts';
import { pageFiles } from '../page-files.ts';
import { PAGES } from '../pages.ts';

const PAGE = 'docs/how-to/read-a-trace.md';
const page = pageFiles(PAGE);
exampleTable();

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

it('docs/how-to/read-a-trace.md shows the trace that its handler makes', async () => {
  const { handler } = await page.load<{ handler: BatchProcessor }>('charge-orders.ts');
  const order = (messageId: string, orderId: string, amountCents: number) => ({
    messageId,
    body: { orderId, amountCents },
  });
  const event = sqsEvent([order('m-1', '1', 500), order('m-2', '2', 0), order('m-3', '1', 500)]);

  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });

  const tree = treeOf(exporter.getFinishedSpans());
  const shown = codeBlocks(PAGES.get(PAGE) ?? '').find(({ language }) => language === 'text');
  expect(shown?.code.split('\n')).toEqual(tree);
});

/** One line for each span, indented below its parent. The requests to the store come after the records. */
function treeOf(spans: readonly ReadableSpan[], parent?: string, indent = ''): string[] {
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .toSorted((a, b) => placeOf(a).localeCompare(placeOf(b)))
    .flatMap((span) => {
      const notes = NOTED.filter((name) => name in span.attributes).map(
        (name) => `${name.replace(/^\w+\./, '')}=${String(span.attributes[name])}`,
      );
      const line = [`${indent}${span.name.replace(/claims-.*/, 'claims')}`, ...notes].join('  ');
      return [line, ...treeOf(spans, span.spanContext().spanId, `${indent}  `)];
    });
}

const NOTED = ['messaging.message.id', 'batchlatch.outcome', 'batchlatch.attempt', 'batchlatch.end'];

/** Spans below a record have finished in their order. */
function placeOf({ kind, attributes }: ReadableSpan): string {
  return kind === SpanKind.CLIENT ? 'requests' : String(attributes['messaging.message.id'] ?? '');
}
