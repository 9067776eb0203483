import type { DemoDisplay } from './demo-display.ts';
import type { Peculiarity } from './order-messages.ts';
import { isAllWell, type Remains, type SentMessage, type Summary } from './summary.ts';

/** The summary as a person reads it. */
export function summaryLines(
  summary: Summary,
  sent: readonly SentMessage[],
  remains: Remains,
  paint: DemoDisplay['paint'],
): string[] {
  const { deadLettered } = remains;
  const row = (label: string, value: number, remark = ''): string =>
    `  ${label.padEnd(20)}${String(value).padStart(6)}   ${paint('dim', remark)}`.trimEnd();
  const mustBeZero = (label: string, value: number, remark: string): string =>
    paint(value === 0 ? 'green' : 'red', row(label, value, value === 0 ? '' : remark));

  return [
    paint('bold', 'Counted from the log of charges, the claims and the queues:'),
    row(
      'charged exactly once',
      summary.chargedOnce,
      `of ${summary.distinct} orders, malformed ones included`,
    ),
    mustBeZero('charged twice', summary.chargedTwice, 'orders'),
    row('duplicates dropped', summary.duplicatesDropped, 'messages whose order another message had brought'),
    row(
      'retried',
      summary.retried,
      `orders, ${summary.takenOver} of them taken over from a process that died`,
    ),
    row('dead-letter queue', summary.deadLettered, deadLetterRemark(sent, deadLettered)),
    mustBeZero('left over', summary.leftOver, 'messages still in the queue'),
    mustBeZero('lost', summary.lost, 'neither charged nor in a queue'),
    ...killedAfterCharge(summary, remains, row),
    ...requests(summary, remains, row),
    '',
    isAllWell(summary)
      ? paint('green', 'Nothing was lost, and nothing was charged twice.')
      : paint('red', 'The run failed: see the counts above.'),
  ];
}

type Row = (label: string, value: number, remark?: string) => string;

/** The case for which a charge and its completion have to be one. */
function killedAfterCharge(
  { killedAfterChargeAndChargedOnce = 0 }: Summary,
  { killedAfterCharge: orders = [] }: Remains,
  row: Row,
): string[] {
  if (orders.length === 0) return [];
  const remark =
    killedAfterChargeAndChargedOnce === orders.length
      ? 'whose charge was rolled back with its process, and made again: one charge'
      : 'of which not all were charged once';
  return [row('killed when charged', orders.length, remark)];
}

const REQUESTS = {
  dynamodb: 'to DynamoDB',
  postgres: 'statements of PostgreSQL',
  redis: 'script calls of Redis',
} as const;

function requests(
  { dynamoDbRequestsPerRecord, requestsPerRecord = dynamoDbRequestsPerRecord }: Summary,
  { store, claimRequests, deliveredRecords }: Remains,
  row: Row,
): string[] {
  if (requestsPerRecord === undefined) return [];
  const remark = `${REQUESTS[store]} for claims: ${claimRequests}, ${deliveredRecords} records delivered`;
  return [row('requests per record', requestsPerRecord, remark)];
}

/** `7 unreadable, 3 with a bad amount, 1 declined` */
function deadLetterRemark(sent: readonly SentMessage[], deadLettered: ReadonlySet<string>): string {
  const counts = new Map<string, number>();
  for (const { messageId, peculiarity } of sent) {
    if (!deadLettered.has(messageId)) continue;
    const reason = reasons[peculiarity] ?? 'others';
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

const reasons: Partial<Record<Peculiarity, string>> = {
  'not-json': 'unreadable',
  'no-order-id': 'unreadable',
  'bad-amount': 'with a bad amount',
  'always-declined': 'declined',
};
