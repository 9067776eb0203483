import { subscribe } from 'node:diagnostics_channel';
import { REQUEST_CHANNEL, type RequestMessage } from '../aws/request-watch.ts';
import type { PowertoolsTracer, TracerSegment } from './run-segments.ts';

/** Service names, as in X-Ray's capture of the AWS SDK. */
const SERVICES: Readonly<Record<string, string>> = { dynamodb: 'DynamoDB', sqs: 'SQS' };

let isSubscribed = false;

/** Adds a subsegment for each request without the AWS SDK. Subscribes once: tracers share X-Ray's context. */
export function segmentRequests(tracer: PowertoolsTracer): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe(REQUEST_CHANNEL, (message) => {
    try {
      follow(message as RequestMessage, tracer);
    } catch {
      // Node ends the process for a subscriber that throws.
    }
  });
}

function follow(request: RequestMessage, tracer: PowertoolsTracer): void {
  const parent = tracer.isTracingEnabled() ? tracer.getSegment() : undefined;
  if (parent === undefined) return;
  const segment = parent.addNewSubsegment(SERVICES[request.service] ?? request.service);
  segment.addAttribute?.('namespace', 'aws');
  request.follow({
    hasSpan: true,
    headers: headersOf(segment, parent),
    ended({ attempts, status, requestId, error }) {
      segment.addAttribute?.('aws', {
        operation: request.operation,
        region: request.region,
        retries: Math.max(attempts - 1, 0),
        ...(requestId !== undefined && { request_id: requestId }),
        ...targetOf(request.input),
      });
      if (status !== undefined) segment.addAttribute?.('http', { response: { status } });
      if (error !== undefined) segment.addFaultFlag();
      segment.close();
    },
  });
}

/** Returns the trace header, by which X-Ray's HTTP capture skips the request, as for the AWS SDK. */
function headersOf(segment: TracerSegment, parent: TracerSegment): Readonly<Record<string, string>> {
  const root = (segment.segment ?? parent.segment ?? parent).trace_id;
  if (root === undefined || segment.id === undefined) return {};
  const sampled = segment.notTraced === true ? '0' : '1';
  return { 'X-Amzn-Trace-Id': `Root=${root};Parent=${segment.id};Sampled=${sampled}` };
}

function targetOf(input: unknown): Readonly<Record<string, unknown>> {
  const { TableName, RequestItems, QueueUrl } = input as Readonly<Record<string, unknown>>;
  return {
    ...(typeof TableName === 'string' && { table_name: TableName }),
    ...(RequestItems !== undefined && { table_names: Object.keys(RequestItems as object) }),
    ...(typeof QueueUrl === 'string' && { queue_url: QueueUrl }),
  };
}
