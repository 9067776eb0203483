import { type Clock, systemClock } from '../../base/clock.ts';
import { isObject } from '../../base/is-object.ts';
import {
  aFunction,
  anInteger,
  anObject,
  type Check,
  checkOptionsOf,
  objectWith,
  oneOf,
} from '../../options/check-options.ts';
import { batchWriter } from './batch-writer.ts';
import { isUnknownOperation } from './failures.ts';
import type { ItemWriter, WriterSetup } from './item-writer.ts';
import {
  anOverdueIndex,
  type OverdueIndex,
  type OverdueIndexOptions,
  overdueIndexOf,
  shardedFormat,
} from './overdue-index.ts';
import {
  assertAttributeNames,
  type AttributeNames,
  defaultAttributeNames,
  type RowFormat,
  rowFormat,
} from './row.ts';
import { type ClientOfDynamoDB, sdkTransport } from './sdk/sdk-transport.ts';
import { singleWriter } from './single-writer.ts';
import { transportFromEnvironment } from './transport-from-environment.ts';
import { boundedTransport } from './transport.ts';
import type { WarningCode } from '../../base/warning-code.ts';

/** Options of `dynamoDBStore()`. */
export interface DynamoDBStoreOptions {
  /**
   * The claims table's name or ARN. Its partition key is `id` (string), its TTL attribute `expiresAt`;
   * `claimsTableDefinition()` defines it. Default: the table that `CLAIMS_TABLE_NAME` names.
   */
  readonly tableName?: string;
  /**
   * A client of the AWS SDK: `new DynamoDB({})`, a `DynamoDBClient`, or a `DynamoDBDocumentClient` of
   * `@aws-sdk/lib-dynamodb`. If the bundle includes the SDK, use `new DynamoDB({})`, which includes its
   * commands. Default: requests with the region, endpoint and credentials of the environment.
   */
  readonly client?: ClientOfDynamoDB;
  /**
   * `batch` (default): 25 PartiQL statements per request. `single`: a `PutItem` or `UpdateItem` per record,
   * for policies that refuse PartiQL. If DynamoDB does not support PartiQL, `batch` falls back to `single`
   * and emits one process warning.
   */
  readonly writes?: 'batch' | 'single';
  /**
   * Other names for the row's attributes, or another format: `powertoolsAttributes`. Default: the field names
   * of `Claim`, and `id` for the key.
   */
  readonly attributes?: Partial<AttributeNames> | RowFormat;
  /**
   * The index that the console, the commands and the monitor use to list claims that are in progress or
   * parked (docs/stores/overdue-index.md). `false`: every row is read instead. If the table lacks the index,
   * every row is read too, unless its name is given here. Rows carry the index's key in any case. Default:
   * the index `overdue`, with 8 shards.
   */
  readonly overdueIndex?: boolean | OverdueIndexOptions;
  /** How long a takeover waits after the lease ends, because clocks differ. Default 0 ms. */
  readonly clockToleranceMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Returns a number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

/** A claims table with its readers and writers of rows. */
export interface ClaimsTable extends WriterSetup {
  readonly items: ItemWriter;
  /** Creates an item writer over another transport. */
  readonly itemsOf: (setup: WriterSetup) => ItemWriter;
  readonly index: OverdueIndex | undefined;
  readonly clockToleranceMs: number;
}

const checks: Readonly<Record<keyof DynamoDBStoreOptions, Check>> = {
  tableName: {
    expected: "a DynamoDB table's name or ARN",
    // DynamoDB's naming rule, or an ARN. It also keeps quotes out of the statements.
    accepts: (value) => typeof value === 'string' && /^[\w.:/-]{3,1024}$/.test(value),
  },
  client: objectWith('send'),
  writes: oneOf('batch', 'single'),
  attributes: anObject(),
  overdueIndex: anOverdueIndex(),
  clockToleranceMs: anInteger(0),
  clock: objectWith('now', 'setTimer'),
  random: aFunction(),
};

/** Throws a `ConfigurationError` for invalid options, an explicit `tableName: undefined` included. */
export function checkTableOptions(factory: string, options: DynamoDBStoreOptions): void {
  const isRequired = isObject(options) && 'tableName' in options;
  checkOptionsOf(factory, options, { ...checks, tableName: { ...checks.tableName, isRequired } });
}

export function claimsTable(tableName: string, options: DynamoDBStoreOptions): ClaimsTable {
  const { writes = 'batch', clock = systemClock, clockToleranceMs = 0, random = Math.random } = options;
  const index = overdueIndexOf(options.overdueIndex);
  const format = shardedFormat(formatOf(options.attributes), index ?? {});
  const { client } = options;
  const transport = client === undefined ? transportFromEnvironment({ clock, random }) : sdkTransport(client);
  const setup = { transport: boundedTransport(transport, clock), tableName, format, clock, random };
  const itemsOf = (of: WriterSetup): ItemWriter =>
    writes === 'batch' ? withFallback(batchWriter(of), singleWriter(of)) : singleWriter(of);
  return { ...setup, items: itemsOf(setup), itemsOf, index, clockToleranceMs };
}

export function formatOf(attributes: DynamoDBStoreOptions['attributes'] = {}): RowFormat {
  if ('toRow' in attributes) return attributes;
  const names = { ...defaultAttributeNames, ...attributes };
  assertAttributeNames(names, defaultAttributeNames);
  return rowFormat(names);
}

/** Writes in batches until DynamoDB reports that it does not support PartiQL, and singly from then on. */
function withFallback(batch: ItemWriter, single: ItemWriter): ItemWriter {
  let current = batch;
  async function call<Answer>(run: (writer: ItemWriter) => Promise<Answer>): Promise<Answer> {
    try {
      return await run(current);
    } catch (thrown) {
      if (!isUnknownOperation(thrown)) throw thrown;
      if (current === batch) {
        current = single;
        process.emitWarning(
          'This DynamoDB has no BatchExecuteStatement, so claims are written one by one: ' +
            "set `writes: 'single'`",
          { type: 'BatchlatchWarning', code: 'BATCHLATCH_SINGLE_WRITES' satisfies WarningCode },
        );
      }
      return run(single);
    }
  }
  return {
    insert: (rows, signal) => call((writer) => writer.insert(rows, signal)),
    update: (updates, signal) => call((writer) => writer.update(updates, signal)),
    read: (keys, signal) => call((writer) => writer.read(keys, signal)),
  };
}
