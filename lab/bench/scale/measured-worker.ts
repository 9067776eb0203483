import { createBatchProcessor, type RecordHandler } from '../../../src/index.ts';
import { dynamoDBStore } from '../../../src/stores/dynamodb/index.ts';
import { wait } from '../../../src/base/clock.ts';
import { QueueWorker } from '../../../src/worker/queue-worker.ts';
import { Random } from '../../simulation/virtual-world/random.ts';
import { countedQueue } from './counted-queue.ts';
import { countedTable } from './counted-table.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** What one delivery of a message costs. */
export interface Cost {
  readonly queueRequests: number;
  readonly tableRequests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** What one worker did at one rate. */
interface AtRate extends Cost {
  /** Messages a second. */
  readonly rate: number;
}

/** What is measured by running the worker, the processor and the store of this repository in virtual time. */
export interface Measured {
  /** First deliveries that succeed, by how many of them a worker gets a second, in ascending order. */
  readonly byRate: readonly AtRate[];
  /** The same of a full worker, by what becomes of the delivery. */
  readonly first: Cost;
  readonly duplicate: Cost;
  /** A delivery whose handler throws. */
  readonly failed: Cost;
  /** The delivery after that. */
  readonly again: Cost;
  /** More than that, for each second that a handler takes beyond 15. */
  readonly longSecond: Cost;
}

export interface MeasureOptions {
  /** How many messages each of the runs has. */
  readonly messages: number;
  readonly seed: number;
  readonly maxInFlight: number;
  readonly handlerMs: number;
}

const RATES = [0.1, 1, 10, 100];
const QUEUE_MS = 10;
const TABLE_MS = 5;
const LONG_SECONDS = 60;
/** Before that neither a lease nor a visibility timeout is renewed. */
const SHORT_SECONDS = 15;

export async function measureWorker(options: MeasureOptions): Promise<Measured> {
  const byRate: AtRate[] = [];
  for (const rate of RATES) byRate.push(await measureRate(rate, options));
  const full = await worker(options);
  const first = await full.run('work');
  byRate.push({ ...first.cost, rate: options.messages / first.seconds });
  const duplicate = await full.run('work');
  await full.stop();

  const failing = await worker(options);
  const both = await failing.run('fail once');
  await failing.stop();
  const long = await worker({ ...options, handlerMs: LONG_SECONDS * 1_000 });
  const renewed = await long.run('work');
  await long.stop();

  const failed = await failedAlone(options);
  return {
    byRate,
    first: first.cost,
    duplicate: duplicate.cost,
    failed,
    again: minus(both.cost, failed),
    longSecond: scaled(minus(renewed.cost, first.cost), 1 / (LONG_SECONDS - SHORT_SECONDS)),
  };
}

async function measureRate(rate: number, options: MeasureOptions): Promise<AtRate> {
  const one = await worker(options);
  const { cost } = await one.run('work', rate);
  await one.stop();
  return { ...cost, rate };
}

/** The first of two deliveries: the worker is stopped before the second. */
async function failedAlone(options: MeasureOptions): Promise<Cost> {
  const one = await worker(options);
  const { cost } = await one.run('fail');
  await one.stop();
  return cost;
}

type What = 'work' | 'fail' | 'fail once';

interface MeasuredRun {
  readonly cost: Cost;
  readonly seconds: number;
}

interface MeasuredWorker {
  /** Sends the same messages, all at once or so many a second; of later runs each is a duplicate. */
  run(what: What, rate?: number): Promise<MeasuredRun>;
  stop(): Promise<void>;
}

async function worker({ messages, seed, maxInFlight, handlerMs }: MeasureOptions): Promise<MeasuredWorker> {
  const clock = virtualClock();
  const random = new Random(seed);
  const queue = countedQueue(clock, QUEUE_MS);
  const table = countedTable(clock, TABLE_MS);
  let what: What = 'work';
  let handled = 0;
  const handler: RecordHandler = async (_record, { attempt }) => {
    await wait(clock, handlerMs * (0.5 + random.next()));
    if (what !== 'work' && attempt === 1) throw new Error('The handler fails');
  };
  const store = dynamoDBStore({ tableName: 'claims', client: table.client, clock });
  const own = new QueueWorker(
    {
      queueUrl: 'http://127.0.0.1/000000000000/orders',
      client: {} as never,
      maxInFlight,
      clock,
      handler: createBatchProcessor(handler, {
        store,
        clock,
        observer: { onEvent: () => undefined },
      }),
    },
    queue,
  );
  own.on('handled', ({ acknowledged, failed }) => (handled += acknowledged + failed));
  await own.start();
  const used = (): Cost => {
    const { requests, writeUnits, readUnits } = table.use();
    return { queueRequests: queue.requests, tableRequests: requests, writeUnits, readUnits };
  };
  return {
    async run(next, rate) {
      what = next;
      handled = 0;
      const before = used();
      const startedAt = clock.now();
      let afterMs = 1;
      for (let index = 0; index < messages; index += 1) {
        if (rate !== undefined) afterMs += (-Math.log(1 - random.next()) / rate) * 1_000;
        queue.send(uuid(index), afterMs);
      }
      await clock.runUntil(() => (next === 'fail' ? handled >= messages : queue.left === 0));
      const cost = scaled(minus(used(), before), 1 / messages);
      return { cost, seconds: (clock.now() - startedAt) / 1_000 };
    },
    stop: () => stopped(own, clock),
  };
}

async function stopped(own: QueueWorker, clock: VirtualClock): Promise<void> {
  let isStopped = false;
  const stopping = own.stop().then(() => (isStopped = true));
  await clock.runUntil(() => isStopped);
  await stopping;
}

/** As long as SQS's. */
function uuid(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

function minus(a: Cost, b: Cost): Cost {
  return combined(a, b, (one, other) => one - other);
}

function scaled(cost: Cost, by: number): Cost {
  return combined(cost, cost, (one) => one * by);
}

function combined(a: Cost, b: Cost, of: (one: number, other: number) => number): Cost {
  return {
    queueRequests: of(a.queueRequests, b.queueRequests),
    tableRequests: of(a.tableRequests, b.tableRequests),
    writeUnits: of(a.writeUnits, b.writeUnits),
    readUnits: of(a.readUnits, b.readUnits),
  };
}

/** The cost of a first delivery to a worker that gets so many messages a second: between two measured rates, by their logarithm. */
export function costAt({ byRate }: Measured, rate: number): Cost {
  const above = byRate.findIndex((one) => one.rate >= rate);
  if (above === 0) return byRate[0] as AtRate;
  if (above === -1) return byRate.at(-1) as AtRate;
  const [low, high] = [byRate[above - 1] as AtRate, byRate[above] as AtRate];
  const part = Math.log(rate / low.rate) / Math.log(high.rate / low.rate);
  return combined(low, high, (one, other) => one + (other - one) * part);
}
