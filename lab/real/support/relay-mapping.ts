import { readFile } from 'node:fs/promises';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { InvocationResult } from '../../../packages/cli/src/dev/invoke-result.ts';
import type { DiscardedBatch } from '../../../packages/cli/src/dev/mappings/stream-attempts.ts';
import { dynamodbSource } from '../../../packages/cli/src/dev/mappings/stream-dynamodb.ts';
import { startStreamMapping } from '../../../packages/cli/src/dev/mappings/stream-mapping.ts';
import type { StreamSource } from '../../../packages/cli/src/dev/mappings/stream-source.ts';
import { type Places } from '../../../packages/cli/src/dev/places.ts';
import type { StreamTrigger } from '../../../packages/cli/src/dev/stack.ts';
import { readStack } from '../../../packages/cli/src/dev/template/read-stack.ts';
import { laterClock } from '../../../test/support/later-clock.ts';

const TEMPLATE = 'examples/outbox/template.yaml';
/** Template: 5. Those would pause for a quarter of a minute. */
const MAXIMUM_RETRIES = 1;
/** How long a stream keeps its records. */
const STREAM_KEEPS_MS = 24 * 3_600_000;

/** The event source mapping of the relay in `examples/outbox`, on the stream that an emulator writes. */
export interface RelayMapping {
  /** The table's name in the template's stack. */
  readonly tableName: string;
  /** Every kind of change that was read from the stream, before the filter. */
  readonly changes: ReadonlySet<string>;
  /** Starts it after the last record that was done, by a clock that is ahead; older records are gone from the stream. */
  start(laterMs?: number): Promise<void>;
  stop(): Promise<void>;
}

interface RelayMappingOptions {
  readonly dynamoDB: string;
  readonly invoke: (event: DynamoDBStreamEvent) => Promise<InvocationResult>;
  readonly onDiscarded: (batch: DiscardedBatch) => void;
}

export async function relayMapping({
  dynamoDB,
  invoke,
  onDiscarded,
}: RelayMappingOptions): Promise<RelayMapping> {
  const places: Places = { dynamodb: dynamoDB, sqs: dynamoDB, eventbridge: dynamoDB, kinesis: dynamoDB };
  const stack = readStack({ file: TEMPLATE, text: await readFile(TEMPLATE, 'utf8') }, places);
  const trigger = stack.functions
    .flatMap(({ triggers }) => triggers)
    .find((one): one is StreamTrigger => one.kind === 'dynamodb');
  const table = stack.tables.find(({ arn }) => trigger?.streamArn.startsWith(`${arn}/`));
  if (trigger === undefined || table === undefined) throw new Error(`${TEMPLATE} has no relay`);
  const stream = dynamodbSource(places, trigger.streamArn);
  const changes = new Set<string>();
  const checkpoints = new Map<string, string>();
  let running: { stop(): Promise<void> } | undefined;
  return {
    tableName: table.name,
    changes,
    async start(laterMs = 0) {
      const before = laterMs === 0 ? new Set<string>() : await writtenSoFar(stream);
      running = startStreamMapping({
        trigger: { ...trigger, maximumRetries: MAXIMUM_RETRIES, maximumRecordAgeMs: STREAM_KEEPS_MS },
        fn: { name: 'relay' },
        source: setAhead(stream, { laterMs, before, changes }),
        clock: laterClock(laterMs),
        invoke: (event) => invoke(event as DynamoDBStreamEvent),
        send: () => Promise.resolve(),
        checkpoints,
        onDiscarded,
      });
    },
    async stop() {
      await running?.stop();
    },
  };
}

/** Returns the sequence numbers of all records of a stream. */
async function writtenSoFar(stream: StreamSource): Promise<Set<string>> {
  const numbers = new Set<string>();
  for (const shard of await stream.shards()) {
    let iterator: string | undefined = await stream.iterator(shard, 'TRIM_HORIZON');
    let isAtEnd = false;
    while (iterator !== undefined && !isAtEnd) {
      const { records, next } = await stream.read(shard, iterator, 1_000);
      for (const { sequenceNumber } of records) numbers.add(sequenceNumber);
      isAtEnd = records.length === 0;
      iterator = next;
    }
  }
  return numbers;
}

interface Ahead {
  readonly laterMs: number;
  /** The records that were written before the clock was set ahead: their times are of whole minutes. */
  readonly before: ReadonlySet<string>;
  /** Gets the kinds of the changes that are read. */
  readonly changes: Set<string>;
}

/** A stream whose clock is ahead. */
function setAhead(stream: StreamSource, { laterMs, before, changes }: Ahead): StreamSource {
  return {
    ...stream,
    async read(...position) {
      const { records, next } = await stream.read(...position);
      for (const { record } of records) changes.add((record as { eventName: string }).eventName);
      const timed = records.map((one) =>
        before.has(one.sequenceNumber) ? one : { ...one, arrivedMs: one.arrivedMs + laterMs },
      );
      return { records: timed, next };
    },
  };
}
