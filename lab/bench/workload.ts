import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context, SQSEvent } from 'aws-lambda';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';

/** What arrives: only new records, one in ten delivered and completed before, or one in ten whose handler throws. */
export type Mix = 'first' | 'duplicates' | 'failures';

/** One cell of the comparison. */
export interface Workload {
  /** Records in a batch. */
  readonly size: number;
  /** How long the handler waits for something; 0: it does nothing. */
  readonly handlerMs: number;
  readonly mix: Mix;
  /** Message groups of a FIFO queue; undefined: a standard queue. */
  readonly groups?: number | undefined;
  /** Whether each message has its type in an attribute. Default false. */
  readonly hasTypes?: boolean;
}

/** The body of every record, as a shop might send it: about 300 bytes of JSON. */
export interface Order {
  readonly orderId: string;
  readonly customer: { readonly id: string; readonly email: string };
  readonly items: readonly { readonly sku: string; readonly quantity: number; readonly cents: number }[];
  readonly isBroken: boolean;
}

/** One record in ten is a duplicate or fails, where the mix says so. */
const ONE_IN = 10;

/** The work that every contender runs for each record. It takes as long as `pace` says then. */
export function handlerOf(pace: Pick<Workload, 'handlerMs'>): (order: Order) => Promise<void> {
  return async ({ isBroken }) => {
    if (pace.handlerMs > 0) await delay(pace.handlerMs);
    if (isBroken) throw new Error('The order cannot be shipped');
  };
}

/** A batch, and what has to be delivered before it so that its duplicates are duplicates. */
export interface Batch {
  readonly event: SQSEvent;
  readonly deliveredBefore: SQSEvent | undefined;
  /** How many records must be reported as failed; anything else is a wrong answer. */
  readonly failures: number;
}

/** Makes the same batches for the same seed, whoever asks: all contenders get the same events. */
export function makeBatch({ size, mix, groups, hasTypes = false }: Workload, seed: string): Batch {
  const isTenth = (index: number): boolean => index % ONE_IN === 0;
  const messages = Array.from({ length: size }, (_, index) => {
    const messageId = uuidFrom(`${seed}:${index}`);
    return {
      messageId,
      body: orderOf(messageId, mix === 'failures' && isTenth(index)),
      // What was delivered before comes with a receive count that says so.
      receiveCount: mix === 'duplicates' && isTenth(index) ? 2 : 1,
      ...(hasTypes && { messageAttributes: { type: { dataType: 'String', stringValue: 'OrderPlaced' } } }),
      ...(groups !== undefined && { messageGroupId: `group-${index % groups}` }),
    };
  });
  const fifo = groups !== undefined;
  const before = mix === 'duplicates' ? messages.filter((_, index) => isTenth(index)) : [];
  return {
    event: asDelivered(sqsEvent(messages, { fifo })),
    deliveredBefore: before.length === 0 ? undefined : asDelivered(sqsEvent(before, { fifo })),
    failures: mix === 'failures' ? Math.ceil(size / ONE_IN) : 0,
  };
}

/** As Lambda gives it: parsed from JSON. */
function asDelivered(event: SQSEvent): SQSEvent {
  return JSON.parse(JSON.stringify(event)) as SQSEvent;
}

/** Made once: the maker for tests checks its members with each call. */
const CONTEXT = lambdaContext({ functionName: 'orders' });
/** More than any batch here takes. */
const TIME_OF_BATCH_MS = 900_000;

/** Lambda's context. */
export function contextOfBatch(): Context {
  const endsAt = Date.now() + TIME_OF_BATCH_MS;
  return { ...CONTEXT, awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAt - Date.now() };
}

function orderOf(id: string, isBroken: boolean): Order {
  return {
    orderId: id,
    customer: { id: `customer-${id.slice(0, 8)}`, email: `${id.slice(0, 8)}@example.com` },
    items: [
      { sku: `sku-${id.slice(0, 4)}`, quantity: 2, cents: 1_999 },
      { sku: `sku-${id.slice(4, 8)}`, quantity: 1, cents: 12_900 },
    ],
    isBroken,
  };
}

function uuidFrom(text: string): string {
  const hex = createHash('sha1').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function nameOf({ size, handlerMs, mix, groups }: Workload): string {
  const queue = groups === undefined ? '' : `, ${groups} groups`;
  return `${size} records, ${handlerMs} ms, ${mix}${queue}`;
}
