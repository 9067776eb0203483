import type { Claim } from '../../src/claims/claim.ts';
import type { BatchEvent } from '../../src/observe/observer.ts';

/** A line of the playground's log: an event of the processor, or what the handler logged. */
export interface Line {
  readonly type: string;
  readonly text: string;
}

/** Returns an event as its type and the rest as JSON; errors as their name and message. */
export function lineOf({ type, ...fields }: BatchEvent): Line {
  return { type, text: JSON.stringify(fields, replaced) };
}

function replaced(name: string, value: unknown): unknown {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return name === 'owner' && typeof value === 'string' ? `${value.slice(0, 8)}…` : value;
}

/** Returns a claim's lease as text. */
export function leaseAt({ status, leaseUntil }: Claim, now: number): string {
  if (status !== 'IN_PROGRESS') return '–';
  return leaseUntil > now ? `${((leaseUntil - now) / 1_000).toFixed(1)} s left` : 'over';
}

interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly attributes?: { readonly ApproximateReceiveCount?: string };
  }[];
}

/**
 * Returns the event of the next delivery: of SQS, the messages that were handed back, received once more; of
 * other services, the event as it is. Undefined if nothing comes again.
 */
export function nextDelivery(event: unknown, response: unknown): unknown {
  const { batchItemFailures } = Object(response) as {
    readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[];
  };
  if (batchItemFailures?.length === 0) return undefined;
  if (!isSqs(event)) return event;
  const failed = batchItemFailures && new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const Records = event.Records.filter(({ messageId }) => failed?.has(messageId) !== false).map((record) => ({
    ...record,
    attributes: {
      ...record.attributes,
      ApproximateReceiveCount: String(Number(record.attributes?.ApproximateReceiveCount ?? 1) + 1),
    },
  }));
  return { Records };
}

function isSqs(event: unknown): event is SqsEvent {
  const { Records } = Object(event) as { readonly Records?: unknown };
  return Array.isArray(Records) && Records.every((record) => typeof Object(record).messageId === 'string');
}
