import { type Clock, systemClock } from '../../claims/clock.ts';
import { ConfigurationError } from '../../claims/errors.ts';
import type { OperableStore } from '../../claims/operable-store.ts';
import {
  aFunction,
  anInteger,
  anObject,
  type Check,
  objectWith,
  oneOf,
  required,
} from '../../options/check-options.ts';
import { checkOptionsOf } from '../../options/check-options-of.ts';
import { conditionalStore } from '../conditional/conditional-store.ts';
import { operableStore } from '../conditional/operable-store.ts';
import { batchWriter, type WriterSetup } from './batch-writer.ts';
import { boundedClient } from './bounded-client.ts';
import { claimLister } from './claim-lister.ts';
import { type ClientOfDynamoDB, lowLevelClient } from './client.ts';
import { defaultClient } from './default-client.ts';
import { isUnknownOperation } from './failures.ts';
import { assertAttributeNames } from './attribute-names.ts';
import { type AttributeNames, defaultAttributeNames, type RowFormat, rowFormat } from './row.ts';
import { itemOperator } from './item-operator.ts';
import type { ItemWriter } from './item-writer.ts';
import { anOverdueIndex, indexedFormat, type OverdueIndexOptions, overdueIndexOf } from './overdue-index.ts';
import { rowWriter } from './row-writer.ts';
import { singleWriter } from './single-writer.ts';
import { isTransactEffect } from './transact-effect.ts';
import { whenTableIsNamed } from './table-from-environment.ts';

/** Options of `dynamoDBStore()`. */
export interface DynamoDBStoreOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`. `claimsTableDefinition()` gives it. Default: the one
   * that `CLAIMS_TABLE_NAME` names.
   */
  readonly tableName?: string;
  /**
   * A `DynamoDBClient`, or a `DynamoDBDocumentClient` of `@aws-sdk/lib-dynamodb`. Default: a client of its own for the
   * environment's region, tuned for many small requests.
   */
  readonly client?: ClientOfDynamoDB;
  /**
   * `batch` (default): 25 PartiQL statements per request. `single`: a `PutItem` or `UpdateItem` per record,
   * for policies that refuse PartiQL. If DynamoDB does not support PartiQL, `batch` falls back to
   * `single` by itself and says so once as a process warning.
   */
  readonly writes?: 'batch' | 'single';
  /** Other names for the row's attributes, or another format: `powertoolsAttributes`. */
  readonly attributes?: Partial<AttributeNames> | RowFormat;
  /**
   * The table has an index of the claims that are in progress or parked, by which they are listed and counted without
   * a scan; it costs write units (docs/operations.md). Give it to every function that uses the table. Default: the index that
   * `CLAIMS_OVERDUE_INDEX` names, if the table is that of `CLAIMS_TABLE_NAME`, else none.
   */
  readonly overdueIndex?: boolean | OverdueIndexOptions;
  /** How long past its lease a claim is left alone, for machines whose clocks differ. Default 0 ms. */
  readonly clockToleranceMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** A number from 0 up to, not including, 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

const checks: Readonly<Record<keyof DynamoDBStoreOptions, Check>> = {
  tableName: aTableName(),
  client: objectWith('send'),
  writes: oneOf('batch', 'single'),
  attributes: anObject(),
  overdueIndex: anOverdueIndex(),
  clockToleranceMs: anInteger(0),
  clock: objectWith('now', 'setTimer'),
  random: aFunction(),
};

/**
 * Claims in a DynamoDB table. Throws a `ConfigurationError` for options that cannot work. Without `tableName` and
 * `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @example
 * createBatchProcessor(handler, { store: cached(dynamoDBStore(), { max: 1_000 }) });
 */
export function dynamoDBStore(options: DynamoDBStoreOptions = {}): OperableStore {
  checkOptionsOf('dynamoDBStore', options, checks);
  const { tableName } = options;
  if (tableName !== undefined) return storeIn(tableName, options);
  if ('tableName' in options)
    checkOptionsOf('dynamoDBStore', options, { ...checks, tableName: required(aTableName()) });
  const store = whenTableIsNamed((name) => {
    checkOptionsOf('dynamoDBStore', { tableName: name }, checks);
    return storeIn(name, options) as Required<OperableStore>;
  });
  return {
    maxResultBytes: formatOf(options.attributes).maxResultBytes,
    acquire: async (...call) => store().acquire(...call),
    settle: async (...call) => store().settle(...call),
    extend: async (...call) => store().extend(...call),
    start: async (...call) => store().start(...call),
    commit: async (...call) => store().commit(...call),
    inspect: async (...call) => store().inspect(...call),
    list: async (...call) => store().list(...call),
    count: async (...call) => store().count(...call),
    operate: async (...call) => store().operate(...call),
  };
}

function storeIn(tableName: string, options: DynamoDBStoreOptions): OperableStore {
  const { writes = 'batch', clock = systemClock, clockToleranceMs = 0 } = options;
  const index = overdueIndexOf(options.overdueIndex, tableName);
  const plain = formatOf(options.attributes);
  const format = index === undefined ? plain : indexedFormat(plain, index);
  const writerSetup: WriterSetup = {
    client: boundedClient(
      options.client === undefined ? defaultClient() : lowLevelClient(options.client),
      clock,
    ),
    tableName,
    keyName: format.names.key,
    toKey: format.toKey,
    clock,
    random: options.random ?? Math.random,
  };
  const itemsOf = (setup: WriterSetup): ItemWriter =>
    writes === 'batch' ? withFallback(batchWriter(setup), singleWriter(setup)) : singleWriter(setup);
  const items = itemsOf(writerSetup);
  return {
    place: `dynamodb:${tableName}`,
    maxResultBytes: format.maxResultBytes,
    ...conditionalStore({ writer: rowWriter(items, format), clock, clockToleranceMs }),
    ...operableStore({
      operator: itemOperator(writerSetup, items, format),
      lister: () => claimLister({ ...writerSetup, format, index, readerOf: itemsOf }),
      clock,
      clockToleranceMs,
    }),
    commit: async (completion, effect, { signal } = {}) =>
      isTransactEffect(effect)
        ? effect.write(completion, { ...writerSetup, writer: items, format }, signal)
        : { refused: notTransacted() },
  };
}

function notTransacted(): ConfigurationError {
  return new ConfigurationError(
    'dynamoDBStore can only write effects of `commit` of batchlatch/dynamodb: use the commit function of the store that keeps the claims',
  );
}

/** Batched writes until DynamoDB reports that it does not support PartiQL; single writes from then on. */
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
          "This DynamoDB does not support BatchExecuteStatement: claims are written one by one from now on. Set `writes: 'single'` to avoid this warning.",
          { type: 'BatchlatchWarning', code: 'BATCHLATCH_SINGLE_WRITES' },
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

function aTableName(): Check {
  return {
    expected: "a DynamoDB table's name or ARN",
    // DynamoDB's naming rule, or an ARN; also what keeps a name from ending the quotes of a statement.
    accepts: (value) => typeof value === 'string' && /^[\w.:/-]{3,1024}$/.test(value),
  };
}

function formatOf(attributes: DynamoDBStoreOptions['attributes'] = {}): RowFormat {
  if ('toRow' in attributes) return attributes;
  const names = { ...defaultAttributeNames, ...attributes };
  assertAttributeNames(names, defaultAttributeNames);
  return rowFormat(names);
}
