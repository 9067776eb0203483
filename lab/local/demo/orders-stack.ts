import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Places } from '../../../packages/cli/src/dev/places.ts';
import type {
  DevFunction,
  DevQueue,
  DevStack,
  DevTable,
  SqsTrigger,
} from '../../../packages/cli/src/dev/stack.ts';
import { readStack } from '../../../packages/cli/src/dev/template/read-stack.ts';

const TEMPLATE = fileURLToPath(new URL('../../../template.yaml', import.meta.url));

/** The part of the project's template that has to do with orders from SQS. */
export interface OrdersStack {
  readonly fn: DevFunction;
  readonly trigger: SqsTrigger;
  readonly queue: DevQueue;
  readonly deadLetterQueue: DevQueue;
  readonly claims: DevTable;
  readonly charges: DevTable;
}

/** Reads `template.yaml` as `batchlatch dev` does. The names of queues and tables begin with `stackName`. */
export function readOrdersStack(places: Places, stackName: string): OrdersStack {
  const text = readFileSync(TEMPLATE, 'utf8');
  const { functions, queues, tables } = readStack({ file: TEMPLATE, text, stackName }, places);
  const fn = named('OrdersFunction', functions);
  const trigger = fn.triggers.find(({ kind }) => kind === 'sqs') as SqsTrigger;
  return {
    fn,
    trigger,
    queue: named('OrdersQueue', queues),
    deadLetterQueue: named('OrdersDeadLetterQueue', queues),
    claims: named('ClaimsTable', tables),
    charges: named('ChargesTable', tables),
  };
}

/** What a run has of its own. */
export interface RunSettings {
  readonly visibilityTimeoutSeconds: number;
  readonly functionTimeoutMs: number;
  /** Batches in flight. */
  readonly concurrency: number;
}

/** The same with shorter times: nothing waits for a batch to fill up. */
export function withSettings(orders: OrdersStack, settings: RunSettings): OrdersStack {
  const { fn, trigger, queue } = orders;
  const attributes = {
    ...queue.attributes,
    VisibilityTimeout: String(settings.visibilityTimeoutSeconds),
  };
  return {
    ...orders,
    fn: { ...fn, timeoutMs: settings.functionTimeoutMs },
    trigger: { ...trigger, windowMs: 0, maximumConcurrency: settings.concurrency },
    queue: { ...queue, attributes },
  };
}

/** What runs of it: the function, the queues, and these tables. */
export function stackOf(orders: OrdersStack, tables: readonly DevTable[]): DevStack {
  const { fn, trigger, queue, deadLetterQueue } = orders;
  return {
    functions: [{ ...fn, triggers: [trigger] }],
    queues: [queue, deadLetterQueue],
    tables,
    streams: [],
    queueTargets: [],
    notes: [],
    invocationNotes: new Map(),
  };
}

/** After how many receives the queue gives a message up. */
export function maxReceiveCount({ queue }: OrdersStack): number {
  const policy = queue.attributes['RedrivePolicy'] ?? '{}';
  return (JSON.parse(policy) as { readonly maxReceiveCount: number }).maxReceiveCount;
}

function named<Resource extends { readonly id: string }>(
  id: string,
  resources: readonly Resource[],
): Resource {
  const found = resources.find((resource) => resource.id === id);
  if (found === undefined) throw new Error(`${TEMPLATE} has no ${id}`);
  return found;
}
