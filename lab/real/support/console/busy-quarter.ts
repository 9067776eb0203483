import type { SQS } from '@aws-sdk/client-sqs';
import { type Claim } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { seededRandom } from '../../../local/demo/seeded-random.ts';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import type { ConsoleOptions } from '../../../../packages/cli/src/console/options.ts';
import { aClaim, put } from './claims.ts';

/** When the pictures are taken. */
export const NOW: number = Date.UTC(2026, 4, 12, 14, 30);

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const CLAIMS = 6_400;

/** The same quarter of an hour each time: a shop whose bank was away for three minutes. */
export async function busyQuarter(): Promise<
  Pick<ConsoleOptions, 'store' | 'clock' | 'queues' | 'sqs' | 'queueMetrics' | 'readEveryMs'>
> {
  const clock: Clock = { ...systemClock, now: () => NOW };
  const store = memoryStore({ clock });
  await put(store, claims());
  return { store, clock, ...QUEUES, readEveryMs: 60_000 };
}

function claims(): Claim[] {
  const random = seededRandom(15);
  const ended = Array.from({ length: CLAIMS }, (_, index) => endedClaim(index, random));
  const functions = ['OrdersFunction 42', 'OrdersFunction 41', 'RefundsFunction 7'];
  const by = (index: number, number: number) => ({
    lockedBy: `${functions[index % functions.length] ?? ''} ${(0x3f2a9c0d + number * 7_919).toString(16)}`,
  });
  const running = Array.from({ length: 23 }, (_, index) =>
    aClaim(`orders#v1:order-${19_000 + index}`, 'in-progress', {
      now: NOW,
      createdAt: NOW - 1_000 - index * 700,
      ...by(index, index % 5),
    }),
  );
  const overdue = [3, 6, 8, 11, 14].map((minutes, index) =>
    aClaim(`orders#v1:order-${18_500 + index * 37}`, 'overdue', {
      now: NOW,
      createdAt: NOW - minutes * MINUTE - 13_000,
      attempt: 1 + (index % 3),
      ...by(0, index % 2),
    }),
  );
  return [...ended, ...running, ...overdue];
}

function endedClaim(index: number, random: ReturnType<typeof seededRandom>): Claim {
  const createdAt = NOW - QUARTER + Math.floor((index / CLAIMS) * (QUARTER - 8_000));
  const isBankAway = Math.abs(createdAt - (NOW - 6 * MINUTE)) < 90_000;
  // Most run for half a second, a few for much longer.
  const runningMs = 220 + random.integer(500) + (random.integer(12) === 0 ? random.integer(4_000) : 0);
  const waits = random.integer(10) < (isBankAway ? 6 : 1);
  const waitingMs = waits ? 1_500 + random.integer(isBankAway ? 28_000 : 2_500) : 0;
  const times = { now: NOW, createdAt, updatedAt: Math.min(createdAt + waitingMs + runningMs, NOW - 500) };
  const key = `orders#v1:order-${12_000 + index}`;
  const chance = random.integer(100);
  if (chance < (isBankAway ? 18 : 1)) {
    const error = { name: 'BankAway', message: 'The bank does not answer', code: 'ETIMEDOUT' };
    return aClaim(key, chance === 0 && index % 4 === 0 ? 'parked' : 'failed', { ...times, error });
  }
  return aClaim(key, 'completed', {
    ...times,
    completedAt: times.updatedAt,
    ...(waitingMs > 0 && { attempt: 2, claimedAt: times.updatedAt - runningMs }),
  });
}

const URL_OF = (name: string): string => `https://sqs.eu-west-1.amazonaws.com/111122223333/${name}`;

const DEPTHS: Readonly<Record<string, readonly [waiting: number, inFlight: number, delayed: number]>> = {
  [URL_OF('orders')]: [184, 30, 0],
  [URL_OF('orders-dlq')]: [6, 0, 0],
  [URL_OF('refunds.fifo')]: [12, 4, 0],
};

const QUEUES = {
  queues: Object.keys(DEPTHS).map((url) => ({
    name: url.slice(url.lastIndexOf('/') + 1),
    url,
    isDeadLetter: url.endsWith('-dlq'),
  })),
  sqs: {
    async getQueueAttributes({ QueueUrl = '' }) {
      const [waiting, inFlight, delayed] = DEPTHS[QueueUrl] ?? [0, 0, 0];
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(waiting),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
          ApproximateNumberOfMessagesDelayed: String(delayed),
        },
      };
    },
  } as Pick<SQS, 'getQueueAttributes'> as SQS,
  queueMetrics: async () =>
    new Map([
      [URL_OF('orders'), { oldestAgeMs: 41_000, noisyGroups: 1 }],
      [URL_OF('orders-dlq'), { oldestAgeMs: 372_000 }],
      [URL_OF('refunds.fifo'), { oldestAgeMs: 3_000 }],
    ]),
};
