import type { SQSEvent } from 'aws-lambda';
import { exporter } from './tracing.ts';
import * as orders from './orders.ts';

/** The handler, and after each call of it the spans that it made. */
export async function handler(...[event, context]: Parameters<typeof orders.handler>): Promise<unknown> {
  const answer = await orders.handler(event as SQSEvent, context);
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    id: span.spanContext().spanId,
    parentId: span.parentSpanContext?.spanId,
  }));
  console.log(`spans ${JSON.stringify(spans)}`);
  return answer;
}
