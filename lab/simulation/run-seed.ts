import { loadPackage } from '../../src/aws/sdk/load-package.ts';
import type { ClaimStore } from '../../src/claims/claim-store.ts';
import { engineStore } from '../../src/claims/engine-store.ts';
import { cached } from '../../src/stores/cached.ts';
import { boundedTransport } from '../../src/stores/dynamodb/transport.ts';
import { claimsTable, type DynamoDBStoreOptions } from '../../src/stores/dynamodb/claims-table.ts';
import { dynamoDBStore } from '../../src/stores/dynamodb/dynamodb-store.ts';
import { claimsIn } from '../../src/stores/dynamodb/dynamodb-store.ts';
import { startConsumer } from './consumers.ts';
import { AnswerWatch } from './invariants/answer-watch.ts';
import { AttemptRegistry } from './invariants/attempt-facts.ts';
import { AttemptWatch, isCondemned } from './invariants/attempt-watch.ts';
import { ClaimWatch } from './invariants/claim-watch.ts';
import { DeliveryWatch } from './invariants/delivery-watch.ts';
import { EffectWatch } from './invariants/effect-watch.ts';
import { InvocationWatch } from './invariants/invocation-watch.ts';
import type { Violation } from './invariants/invariant.ts';
import { SimAsyncEvents } from './queue/sim-async-events.ts';
import type { SimQueue } from './queue/sim-queue.ts';
import { SimSqs } from './queue/sim-sqs.ts';
import { SimStream } from './queue/sim-stream.ts';
import { Sandbox } from './queue/sandbox.ts';
import type { Processor, WorkerSetup } from './queue/worker-setup.ts';
import { WorkerSlot } from './queue/worker-slot.ts';
import { drawScenario } from './draw-scenario.ts';
import type { Mode, Scenario } from './scenario.ts';
import { defaultAttributeNames, rowFormat } from '../../src/stores/dynamodb/row.ts';
import type { BatchEvent } from '../../src/observe/observer.ts';
import type { ObservedInvocation } from '../../src/observe/observed.ts';
import type { SqsClient } from '../../src/queues/sqs-client.ts';
import { RESULT_LIMIT } from './stores/row-limits.ts';
import { directTransportOf, directWay } from './stores/sim-direct-transport.ts';
import { SimDynamoDB } from './stores/sim-dynamodb.ts';
import { sdkClientOf, sdkWay } from './stores/sim-dynamodb-client.ts';
import { SimDynamoDBTable } from './stores/sim-dynamodb-table.ts';
import { SimMemoryStore } from './stores/sim-memory-store.ts';
import type { RecordEvent } from './stores/store-history.ts';
import { SimTransactions } from './stores/sim-transactions.ts';
import type { SimProcess } from './virtual-world/sim-process.ts';
import { World, type WriteTrace } from './virtual-world/world.ts';
import { Workload } from './workload.ts';

export interface SeedRun {
  readonly scenario: Scenario;
  /** The first invariant that did not hold. */
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** How much virtual time has passed, in milliseconds. */
  readonly virtualMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** After this much virtual time, or this many steps, whatever has not ended never will. */
const LONGEST_MS = 4 * 3_600_000;
const MOST_STEPS = 1_000_000;

/**
 * Runs one seed: the same seed and mode give the same run, step by step. `record` is told of every request that the store does, in
 * mode `memory`.
 */
export async function runSeed(
  seed: number,
  mode: Mode,
  writeTrace?: WriteTrace,
  record?: RecordEvent,
): Promise<SeedRun> {
  await loadPackage('@aws-sdk/client-dynamodb'); // virtual time would go on while a run waits for it
  const scenario = drawScenario(seed, mode);
  const world = new World(scenario, writeTrace);
  const attempts = new AttemptRegistry();
  const claims = new ClaimWatch(world, attempts);
  const effects = new EffectWatch(world, attempts, claims);
  const queue = queueIn(world);
  const invocationWatch = new InvocationWatch(world);
  const attemptWatch = new AttemptWatch(world, attempts, claims, invocationWatch);
  const deliveryWatch = new DeliveryWatch(world, attempts, claims, queue);
  const answerWatch = new AnswerWatch(world, attempts, claims, effects, invocationWatch);
  const workload = new Workload(world);
  const storeOf =
    mode === 'memory' ? memoryStores(world, claims, effects, record) : dynamoDBStores(world, claims, effects);

  function startProcessors(process: SimProcess): Processor[] {
    const random = world.random.fork(process.name);
    let owners = 0;
    const watched = answerWatch.watched(storeOf(process), process);
    const max = scenario.cachedKeys;
    const portsOfProcess = {
      clock: process.clock,
      sqs: watchedSqs(queue.clientOf(process), () => invocationWatch.underWayIn(process)),
      random: () => random.next(),
      newOwner: () => `${process.name}-${(owners += 1)}`,
      observer: {
        onEvent(event: BatchEvent, invocation?: ObservedInvocation) {
          attemptWatch.observed(process, event, invocation);
          if (event.type === 'mismatch') deliveryWatch.mismatched(event.recordId);
          if (event.type === 'invalid' && isCondemned(event.error)) deliveryWatch.condemned(event.recordId);
        },
      },
    };
    return Array.from({ length: scenario.processorsInProcess }, () => {
      const store = answerWatch.remembering(
        engineStore(max > 0 ? cached(watched, { max, clock: process.clock }) : watched, process.clock),
        process,
      );
      const ports = { ...portsOfProcess, store };
      return startConsumer(
        { world, workload, attempts: attemptWatch, deliveries: deliveryWatch },
        process,
        ports,
      );
    });
  }

  const workerSetup: WorkerSetup = {
    world,
    queue,
    startProcessors,
    onInvoke(invocation) {
      attempts.begin(invocation);
      invocationWatch.began(invocation);
    },
    onAnswer(invocation, response) {
      deliveryWatch.responded(invocation, response);
      attemptWatch.responded(invocation);
    },
    onFailure: (invocation, error) => deliveryWatch.failed(invocation, error),
    onTimeout: (invocation) => invocationWatch.timedOut(invocation),
  };

  world.log('scenario', () => JSON.stringify(scenario));
  workload.planSending(queue);
  const slots = slotsOf(workerSetup);
  for (const slot of slots) world.scheduler.after(0, () => slot.poll());

  const hasEnded = (): boolean =>
    workload.isSent &&
    slots.every((slot) => !slot.isBusy) &&
    queue.messages.every((message) => deliveryWatch.hasEnded(message));
  const isTooLong = (): boolean => world.elapsedMs > LONGEST_MS || world.scheduler.steps > MOST_STEPS;

  const onRejection = (reason: unknown): void => world.report('no-unhandled-rejection', String(reason));
  process.on('unhandledRejection', onRejection);
  try {
    await world.scheduler.run(() => world.violation !== undefined || isTooLong() || hasEnded());
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  deliveryWatch.finished();
  return {
    scenario,
    violation: world.violation,
    steps: world.scheduler.steps,
    virtualMs: world.elapsedMs,
    counts: world.counts,
  };
}

function queueIn(world: World): SimQueue {
  switch (world.scenario.queue.kind) {
    case 'async':
      return new SimAsyncEvents(world);
    case 'stream':
      return new SimStream(world);
    case 'standard':
    case 'fifo':
      return new SimSqs(world);
  }
}

/** One slot for each invocation that a process may have at a time, in each of its processors. */
function slotsOf(setup: WorkerSetup): WorkerSlot[] {
  const { workers, processorsInProcess, invocationsAtATime } = setup.world.scenario;
  const inProcess = processorsInProcess * invocationsAtATime;
  return Array.from({ length: workers }, (_, index) => {
    const name = `w${index + 1}`;
    const sandbox = new Sandbox(name, setup);
    return Array.from(
      { length: inProcess },
      (__, slot) =>
        new WorkerSlot(
          inProcess === 1 ? name : `${name}/${slot}`,
          sandbox,
          slot % processorsInProcess,
          setup,
        ),
    );
  }).flat();
}

function watchedSqs(client: SqsClient, underWay: () => () => void): SqsClient {
  return {
    changeMessageVisibilityBatch: (input, options) =>
      client.changeMessageVisibilityBatch(input, options).finally(underWay()),
    sendMessage: (input, options) => client.sendMessage(input, options).finally(underWay()),
  };
}

function memoryStores(
  world: World,
  claims: ClaimWatch,
  effects: EffectWatch,
  record: RecordEvent | undefined,
): (process: SimProcess) => ClaimStore {
  const store = new SimMemoryStore(world, claims, effects, record);
  return (process) => store.storeOf(process);
}

function dynamoDBStores(
  world: World,
  claims: ClaimWatch,
  effects: EffectWatch,
): (process: SimProcess) => ClaimStore {
  const table = new SimDynamoDBTable(world, claims);
  const { mode, skewMs, writes } = world.scenario;
  const way = mode === 'direct' ? directWay : sdkWay;
  const dynamoDB = new SimDynamoDB(world, table, new SimTransactions(world, table, effects), way);
  return (process) => {
    const random = world.random.fork(`${process.name} store`);
    const options: DynamoDBStoreOptions = {
      tableName: 'claims',
      client: sdkClientOf(dynamoDB, process),
      writes,
      attributes: { ...rowFormat(defaultAttributeNames), maxResultBytes: RESULT_LIMIT },
      clockToleranceMs: skewMs,
      clock: process.clock,
      random: () => random.next(),
    };
    if (mode === 'dynamodb') return dynamoDBStore(options);
    const direct = directTransportOf(dynamoDB, process, world, random.fork('transport'));
    const table = claimsTable('claims', options);
    const setup = { ...table, transport: boundedTransport(direct, process.clock) };
    return claimsIn({ ...setup, items: table.itemsOf(setup) });
  };
}
