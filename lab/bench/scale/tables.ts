import { number } from '../report/format.ts';
import { PRICES_AS_OF, PRICES_REGION } from '../prices.ts';
import type { Cost } from './measured-worker.ts';
import type { Row, Study } from './study.ts';

/** The study as Markdown, as docs/scaling.md has it. */
export function tablesOf({
  measured,
  byMessages,
  byWorkers,
  spread,
  run,
  options,
  largestDeviation,
}: Study): string {
  const { byRate, duplicate, failed, again, longSecond } = measured;
  return [
    `Measured: one worker of this repository in virtual time, per delivery (${whole(options.sample)} messages a row).`,
    table(
      ['a delivery', 'SQS requests', 'DynamoDB requests', 'write units', 'read units'],
      [
        ...byRate.map((one) => cells(`first, ${rate(one.rate)} a second`, one)),
        cells('duplicate, in a full worker', duplicate),
        cells('whose handler throws, in a full worker', failed),
        cells('the one after that', again),
        cells('each second of a handler beyond 15', longSecond),
      ],
    ),
    `Simulated: ${whole(options.workers)} workers, ${number(options.ratePerWorker)} messages a second for each, as messages grow.`,
    table(COLUMNS, byMessages.map(growing)),
    `Simulated: as workers grow, ${number(options.ratePerWorker)} messages a second for each.`,
    table(
      ['workers', ...COLUMNS],
      byWorkers.map((row) => [whole(row.workers), ...growing(row)]),
    ),
    `Simulated: the write units of the ${whole(options.messages)} keys (\`${options.key}\`) over the partitions of a table.`,
    table(
      ['partitions', 'the fullest, beside the mean'],
      spread.map(({ partitions, fullest }) => [whole(partitions), `${fullest.toFixed(3)}×`]),
    ),
    [
      `The cost of a message differs by ${(largestDeviation * 100).toFixed(1)} % at most between the rows of 10,000 messages and more.`,
      `With ${whole(options.partitions)} partitions of 1,000 write units a second, the busiest was asked for ${whole(run.busiestSecond)} in a second, and ${whole(run.throttled)} writes were throttled.`,
      `At most ${whole(run.mostInFlight)} messages were in flight.`,
      `Prices of ${PRICES_REGION}, looked up on ${PRICES_AS_OF}. Seed ${options.seed}.`,
    ].join('\n'),
  ].join('\n\n');
}

const COLUMNS = [
  'messages',
  'deliveries',
  'virtual time',
  'SQS requests',
  'DynamoDB requests',
  'write units',
  'cost',
  'for a million',
];

function growing(row: Row): string[] {
  return [
    whole(row.messages),
    whole(row.deliveries),
    `${whole(row.seconds)} s`,
    whole(row.queueRequests),
    whole(row.tableRequests),
    whole(row.writeUnits),
    `$${row.usd.toFixed(row.usd < 1 ? 4 : 2)}`,
    `$${((row.usd / row.messages) * 1_000_000).toFixed(2)}`,
  ];
}

function cells(name: string, cost: Cost): string[] {
  const { queueRequests, tableRequests, writeUnits, readUnits } = cost;
  return [name, ...[queueRequests, tableRequests, writeUnits, readUnits].map((one) => short(one))];
}

function short(value: number): string {
  return String(Number(value.toFixed(2)));
}

function rate(value: number): string {
  return value >= 10 ? whole(value) : String(value);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cellsOf: readonly string[]): string => `| ${cellsOf.join(' | ')} |`;
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n');
}
