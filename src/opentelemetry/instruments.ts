import type { Attributes, Counter, Histogram, MeterProvider } from '@opentelemetry/api';
import type { BatchEvent } from '../observe/observer.ts';
import type { ObservedInvocation } from '../observe/observed.ts';
import { errorTypeOf, MESSAGE_TYPE, messagingAttributes, PROCESS } from './messaging-attributes.ts';

/** Bucket boundaries in seconds that the semantic conventions for messaging advise. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of all invocations. */
export class Instruments {
  readonly #duration: Histogram;
  readonly #consumed: Counter;
  readonly #outcomes: Counter;

  constructor(provider: MeterProvider) {
    const meter = provider.getMeter('batchlatch');
    this.#duration = meter.createHistogram('messaging.process.duration', {
      unit: 's',
      description: 'Duration of processing operation.',
      advice: { explicitBucketBoundaries: BUCKETS },
    });
    this.#consumed = meter.createCounter('messaging.client.consumed.messages', {
      unit: '{message}',
      description: 'Number of messages that were delivered to the application.',
    });
    this.#outcomes = meter.createCounter('batchlatch.records', {
      unit: '{record}',
      description: 'Number of records by how they ended.',
    });
  }

  noteInvocation(invocation: ObservedInvocation): void {
    this.#consumed.add(invocation.records, attributesOf(invocation));
  }

  note(event: BatchEvent, invocation: ObservedInvocation): void {
    const { type } = event;
    if (type === 'succeeded') {
      this.#duration.record(event.durationMs / 1_000, attributesOf(invocation, event.recordId));
    }
    if (type === 'failed' || type === 'abandoned') {
      const failed = { ...attributesOf(invocation, event.recordId), 'error.type': errorTypeOf(event.error) };
      this.#duration.record(event.durationMs / 1_000, failed);
    }
    if (type !== 'batchFinished') return;
    if (event.types === undefined) this.#addOutcomes(event.outcomes, attributesOf(invocation));
    for (const [messageType, outcomes] of Object.entries(event.types ?? {})) {
      this.#addOutcomes(outcomes, { ...attributesOf(invocation), [MESSAGE_TYPE]: messageType });
    }
  }

  #addOutcomes(outcomes: Readonly<Record<string, number>>, attributes: Attributes): void {
    for (const [outcome, count] of Object.entries(outcomes)) {
      this.#outcomes.add(count, { ...attributes, 'batchlatch.outcome': outcome });
    }
  }
}

function attributesOf(invocation: ObservedInvocation, recordId?: string): Attributes {
  const messageType = recordId === undefined ? undefined : invocation.typeOf(recordId);
  return {
    ...messagingAttributes(invocation),
    'messaging.operation.name': PROCESS['messaging.operation.name'],
    ...(messageType !== undefined && { [MESSAGE_TYPE]: messageType }),
  };
}
