import type { ClaimStore } from '../../src/claims/claim-store.ts';
import { dynamoDBStore } from '../../src/stores/dynamodb/dynamodb-store.ts';
import { startConsumer } from './consumers.ts';
import { AnswerWatch } from './invariants/answer-watch.ts';
import { AttemptRegistry } from './invariants/attempt-facts.ts';
import { AttemptWatch } from './invariants/attempt-watch.ts';
import { ClaimWatch } from './invariants/claim-watch.ts';
import { DeliveryWatch } from './invariants/delivery-watch.ts';
import { EffectWatch } from './invariants/effect-watch.ts';
import type { Violation } from './invariants/invariant.ts';
import { SimSqs } from './queue/sim-sqs.ts';
import { SimStream } from './queue/sim-stream.ts';
import { type Processor, type WorkerSetup, WorkerSlot } from './queue/worker-slot.ts';
import { drawScenario, type Mode, type Scenario } from './scenario.ts';
import { SimDynamoDBClient } from './stores/sim-dynamodb-client.ts';
import { SimDynamoDBTable } from './stores/sim-dynamodb-table.ts';
import { SimMemoryStore } from './stores/sim-memory-store.ts';
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
const MOST_STEPS = 200_000;

/** Runs one seed: the same seed and mode give the same run, step by step. */
export async function runSeed(seed: number, mode: Mode, writeTrace?: WriteTrace): Promise<SeedRun> {
  const scenario = drawScenario(seed, mode);
  const world = new World(scenario, writeTrace);
  const attempts = new AttemptRegistry();
  const claims = new ClaimWatch(world, attempts);
  const effects = new EffectWatch(world, attempts, claims);
  const queue = scenario.queue.kind === 'stream' ? new SimStream(world) : new SimSqs(world);
  const attemptWatch = new AttemptWatch(world, attempts, claims);
  const deliveryWatch = new DeliveryWatch(world, claims, queue);
  const answerWatch = new AnswerWatch(world, attempts, claims, effects);
  const workload = new Workload(world);
  const storeOf =
    mode === 'memory' ? memoryStores(world, claims, effects) : dynamoDBStores(world, claims, effects);

  function startProcessor(process: SimProcess): Processor {
    const random = world.random.fork(process.name);
    let owners = 0;
    const ports = {
      store: answerWatch.watched(storeOf(process), process),
      clock: process.clock,
      sqs: queue.clientOf(process),
      random: () => random.next(),
      newOwner: () => `${process.name}-${(owners += 1)}`,
      observer: { onEvent: attemptWatch.observed.bind(attemptWatch, process) },
    };
    return startConsumer(
      { world, workload, attempts: attemptWatch, deliveries: deliveryWatch },
      process,
      ports,
    );
  }

  const workerSetup: WorkerSetup = {
    world,
    queue,
    startProcessor,
    onInvoke: (invocation) => attempts.begin(invocation),
    onAnswer(invocation, response) {
      deliveryWatch.responded(invocation, response);
      attemptWatch.responded(invocation);
    },
    onFailure: (invocation, error) => deliveryWatch.failed(invocation, error),
  };

  world.log('scenario', () => JSON.stringify(scenario));
  workload.planSending(queue);
  const slots = Array.from(
    { length: scenario.workers },
    (_, index) => new WorkerSlot(`w${index + 1}`, workerSetup),
  );
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

function memoryStores(
  world: World,
  claims: ClaimWatch,
  effects: EffectWatch,
): (process: SimProcess) => ClaimStore {
  const store = new SimMemoryStore(world, claims, effects);
  return (process) => store.storeOf(process);
}

function dynamoDBStores(
  world: World,
  claims: ClaimWatch,
  effects: EffectWatch,
): (process: SimProcess) => ClaimStore {
  const table = new SimDynamoDBTable(world, claims);
  const client = new SimDynamoDBClient(world, table, new SimTransactions(world, table, effects));
  const { skewMs, writes } = world.scenario;
  return (process) => {
    const random = world.random.fork(`${process.name} store`);
    return dynamoDBStore({
      tableName: 'claims',
      client: client.clientOf(process),
      writes,
      clockToleranceMs: skewMs,
      clock: process.clock,
      random: () => random.next(),
    });
  };
}
