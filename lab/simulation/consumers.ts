import type { Context, SQSEvent } from 'aws-lambda';
import { suspectsFirst, type WaitForOwner } from 'batchlatch';
import type { Handler } from '../../src/batch/run.ts';
import { settingsOf } from '../../src/batch/settings-of.ts';
import type { Ports } from '../../src/batch/ports.ts';
import { allSources } from '../../src/sources/all-sources.ts';
import { createProcessor } from '../../src/batch/create-processor.ts';
import { unstartedClaims } from '../../src/attempts/unstarted-claims.ts';
import type { IdempotencyOptions } from '../../src/functions/options.ts';
import { gathered } from '../../src/around/gathering.ts';
import { createIdempotent } from '../../src/functions/with-idempotency.ts';
import type { SqsClient } from '../../src/queues/sqs-client.ts';
import type { AttemptWatch } from './invariants/attempt-watch.ts';
import type { DeliveryWatch } from './invariants/delivery-watch.ts';
import type { Processor } from './queue/worker-setup.ts';
import type { Scenario } from './scenario.ts';
import type { SimProcess } from './virtual-world/sim-process.ts';
import type { World } from './virtual-world/world.ts';
import type { Workload } from './workload.ts';

interface ProcessIo {
  readonly world: World;
  readonly workload: Workload;
  readonly attempts: AttemptWatch;
  readonly deliveries: DeliveryWatch;
}

interface CalledWith {
  readonly id: string;
  readonly body: { readonly work: string };
}

/** The options ask for a client; each process gets one of its own, as a port. */
const NO_SQS: SqsClient = {
  changeMessageVisibilityBatch: async () => ({}),
  sendMessage: async () => undefined,
};

/** The code under test in a process, by what the scenario has its batches given to. */
export function startConsumer(surroundings: ProcessIo, process: SimProcess, ports: Ports): Processor {
  const { world, workload, attempts, deliveries } = surroundings;
  const { consumer, settings } = world.scenario;
  if (consumer === 'calls') return startCalls(surroundings, process, ports);
  const handler: Handler =
    consumer === 'batches'
      ? gathered(workload.batchHandlerIn(process, attempts, deliveries))
      : workload.handlerIn(process, attempts, deliveries);
  return createProcessor(
    handler,
    settingsOf({ ...settings, sqs: NO_SQS, reading: suspectsFirst() }, { source: allSources() }),
    ports,
    undefined,
  ) as Processor;
}

/** An idempotent function that is called for each message, all at once; a message whose call rejects comes again. */
function startCalls(
  { world, workload, attempts, deliveries }: ProcessIo,
  process: SimProcess,
  ports: Ports,
): Processor {
  const handle = workload.handlerIn(process, attempts, deliveries);
  const call = createIdempotent(
    (context) => (record: CalledWith, _lambda: Context | undefined) => handle(record, context),
    callOptions(world.scenario),
    { ...ports, unstarted: unstartedClaims(ports.store) },
  );
  return async (event, lambda) => {
    const { Records } = event as SQSEvent;
    const failed = new Set<string>();
    await Promise.all(
      Records.map(async ({ messageId: id, body: text }) => {
        const body = JSON.parse(text) as CalledWith['body'];
        try {
          attempts.answered(process, id, await call({ id, body }, lambda));
        } catch (error) {
          attempts.refused(process, id, error);
          failed.add(id);
        }
      }),
    );
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

function callOptions({
  settings: { key, leaseMs, heartbeat, retentionMs, onConflict, maxAttempts, onLapsedLease },
  replaysFailures,
}: Scenario): IdempotencyOptions<[CalledWith, Context | undefined]> {
  return {
    namespace: 'sim',
    key: ({ id, body }) => (key === undefined ? id : body.work),
    remainingTimeMs: (_record, lambda) => lambda?.getRemainingTimeInMillis(),
    replayFailures: replaysFailures,
    heartbeat: heartbeat !== undefined,
    ...(leaseMs !== undefined && { leaseMs }),
    ...(retentionMs !== undefined && { retentionMs }),
    ...(onConflict !== undefined && { onConflict: onConflict as WaitForOwner }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(onLapsedLease !== undefined && { onLapsedLease }),
  };
}
