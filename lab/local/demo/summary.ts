import type { Claim } from 'batchlatch';
import type { StoreName } from './demo-store.ts';
import type { Peculiarity } from './order-messages.ts';

/** A message that was sent. */
export interface SentMessage {
  readonly messageId: string;
  readonly orderId: string | undefined;
  readonly peculiarity: Peculiarity;
}

/** What is stored when all is over. */
export interface Remains {
  /** Where the claims are. */
  readonly store: StoreName;
  /** The order of every charge in the log. */
  readonly chargedOrders: readonly string[];
  readonly claims: readonly Claim[];
  /** Ids of the messages in the dead-letter queue. */
  readonly deadLettered: ReadonlySet<string>;
  /** Ids of the messages that are still in the queue. */
  readonly leftOver: ReadonlySet<string>;
  /** Requests for claims that reached the store; undefined where they are encrypted. */
  readonly claimRequests: number | undefined;
  /** Where charges are made in transactions: the orders whose process was killed after the charge, before its commit. */
  readonly killedAfterCharge?: readonly string[];
  /** Records that invocations got, those that came again included. */
  readonly deliveredRecords: number;
}

/** The result. Counts orders, unless it says messages. */
export interface Summary {
  /** Messages. */
  readonly sent: number;
  /** Orders, and messages that are none. */
  readonly distinct: number;
  readonly chargedOnce: number;
  readonly chargedTwice: number;
  /** Messages that were acknowledged because their order was charged by another. */
  readonly duplicatesDropped: number;
  /** Ran again after an attempt that failed or died. */
  readonly retried: number;
  /** Taken over from an attempt that died. */
  readonly takenOver: number;
  /** Failed for good and not run again. */
  readonly parked: number;
  /** Messages. */
  readonly deadLettered: number;
  /** Messages. */
  readonly leftOver: number;
  /** A message is in no queue any more, and its order was not charged. */
  readonly lost: number;
  /** Where charges are made in transactions: killed after the charge, and charged once in the end. */
  readonly killedAfterChargeAndChargedOnce?: number;
  /** For claims alone; a record that comes again counts again. */
  readonly dynamoDbRequestsPerRecord?: number;
  /** The same of another store: statements of PostgreSQL, calls of scripts of Redis. */
  readonly requestsPerRecord?: number;
}

/** Counts from what is stored and what the queues hold: nothing here is reported by the workers themselves. */
export function summarize(sent: readonly SentMessage[], remains: Remains): Summary {
  const { claims, deadLettered, leftOver, killedAfterCharge } = remains;
  const charges = countBy(remains.chargedOrders);
  const works = groupByWork(sent);
  let chargedOnce = 0;
  let chargedTwice = 0;
  let duplicatesDropped = 0;
  let lost = 0;
  for (const [work, messages] of works) {
    const count = charges.get(work) ?? 0;
    const gone = messages.filter(({ messageId }) => !deadLettered.has(messageId) && !leftOver.has(messageId));
    if (count === 1) chargedOnce += 1;
    if (count > 1) chargedTwice += 1;
    if (count === 0 && gone.length > 0) lost += 1;
    if (count > 0) duplicatesDropped += Math.max(0, gone.length - count);
  }
  return {
    sent: sent.length,
    distinct: works.size,
    chargedOnce,
    chargedTwice,
    duplicatesDropped,
    retried: claims.filter(({ attempt, releases }) => attempt - releases > 1).length,
    takenOver: claims.filter(({ crashes }) => crashes > 0).length,
    parked: claims.filter(({ status }) => status === 'PARKED').length,
    deadLettered: deadLettered.size,
    leftOver: leftOver.size,
    lost,
    ...(killedAfterCharge !== undefined && {
      killedAfterChargeAndChargedOnce: killedAfterCharge.filter((orderId) => charges.get(orderId) === 1)
        .length,
    }),
    ...requestsPerRecord(remains),
  };
}

function requestsPerRecord({
  store,
  claimRequests,
  deliveredRecords,
}: Remains): Pick<Summary, 'dynamoDbRequestsPerRecord' | 'requestsPerRecord'> {
  if (claimRequests === undefined) return {};
  const share = Number((claimRequests / deliveredRecords).toFixed(2));
  return store === 'dynamodb' ? { dynamoDbRequestsPerRecord: share } : { requestsPerRecord: share };
}

/** Whether every order ended as it should: this decides the exit status. */
export function isAllWell({ chargedTwice, lost, leftOver }: Summary): boolean {
  return chargedTwice === 0 && lost === 0 && leftOver === 0;
}

/** The messages of each order; a message without one is a work of its own. */
function groupByWork(sent: readonly SentMessage[]): Map<string, SentMessage[]> {
  const works = new Map<string, SentMessage[]>();
  for (const message of sent) {
    const work = message.orderId ?? message.messageId;
    const messages = works.get(work);
    if (messages === undefined) works.set(work, [message]);
    else messages.push(message);
  }
  return works;
}

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
