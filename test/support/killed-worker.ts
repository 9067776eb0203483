/** A program: a worker that is killed, and notes in a file what its handler does. */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClaimStore, createBatchProcessor, deadLetterQueue, PermanentError } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker } from 'batchlatch/worker';

/** The program's only argument, as JSON. */
export interface KilledWorkerSetup {
  readonly name: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly tableName: string;
  readonly logFile: string;
  readonly leaseMs: number;
  readonly fault?: Fault;
}

/** What a worker of another make could do wrong; the drill has to see it. */
export type Fault = 'acknowledges before it stores' | 'runs what is completed';

export interface DrillMessage {
  readonly id: string;
  readonly ms: number;
  /** Its handler says that it can never be done. */
  readonly isHopeless: boolean;
}

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as KilledWorkerSetup;
const log = openSync(setup.logFile, 'a');
const note = (what: string, id: string): void => void writeSync(log, `${what} ${id} ${setup.name}\n`);

const handler = createBatchProcessor<DrillMessage>(
  async ({ body: { id, ms, isHopeless } }) => {
    note('start', id);
    await delay(ms);
    if (isHopeless) throw new PermanentError('no such customer');
    note('effect', id);
  },
  {
    store: withFault(dynamoDBStore({ tableName: setup.tableName })),
    key: ({ body }) => body.id,
    namespace: 'drill',
    leaseMs: setup.leaseMs,
    sqs: {
      sendMessage: (input) => post('SendMessage', input),
      changeMessageVisibilityBatch: () => Promise.resolve({}),
    },
    deadLetter: deadLetterQueue({ url: setup.deadLetterQueueUrl }),
    observer: { onEvent: () => undefined },
  },
);

// A start ends with an error where the queue is silent for ten seconds, as it may be on a busy machine.
while (!(await hasStarted()));

async function hasStarted(): Promise<boolean> {
  try {
    await createWorker({ queueUrl: setup.queueUrl, handler, maxInFlight: 10 }).start();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return false;
    throw error;
  }
}

function withFault(store: ClaimStore): ClaimStore {
  switch (setup.fault) {
    case 'acknowledges before it stores':
      return {
        ...store,
        settle(settlements) {
          // A claim that was given back is asked for again at once.
          if (settlements.some(({ end }) => end !== 'complete')) return store.settle(settlements);
          setTimeout(() => void store.settle(settlements), 100);
          return Promise.resolve(settlements.map(() => 'stored' as const));
        },
      };
    case 'runs what is completed':
      return {
        ...store,
        settle: async (settlements) => {
          await store.settle(settlements);
          return settlements.map(() => 'stored' as const);
        },
        acquire: async (requests, options) =>
          (await store.acquire(requests, options)).map((outcome) =>
            outcome.status === 'duplicate'
              ? {
                  status: 'acquired',
                  attempt: 9,
                  releases: 0,
                  crashes: 0,
                  tookOver: false,
                  leaseUntil: Date.now() + setup.leaseMs,
                }
              : outcome,
          ),
      };
    case undefined:
      return store;
    default:
      throw new Error(`Nobody knows the fault ${String(setup.fault satisfies never)}`);
  }
}

/** Without AWS's SDK, so that the program starts quickly. */
async function post(operation: string, input: object): Promise<object> {
  const response = await fetch(setup.queueUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${operation}` },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${operation} was answered with ${response.status}`);
  return (await response.json()) as object;
}
