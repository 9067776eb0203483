import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ClaimStore } from '../../claims/claim-store.ts';
import { type Clock, systemClock } from '../../claims/clock.ts';
import { ConfigurationError } from '../../claims/errors.ts';
import { isForgotten } from '../../claims/transitions.ts';
import { acquireClaims } from './acquire.ts';
import { batchWriter, type WriterSetup } from './batch-writer.ts';
import { boundedClient } from './bounded-client.ts';
import { commitWithCompletion } from './commit-with-completion.ts';
import { defaultClient } from './default-client.ts';
import { isUnknownOperation } from './failures.ts';
import { assertAttributeNames } from './attribute-names.ts';
import { type AttributeNames, defaultAttributeNames, type RowFormat, rowFormat } from './row.ts';
import type { RowWriter } from './row-writer.ts';
import { extendLeases, settleClaims, startClaims } from './settle.ts';
import { singleWriter } from './single-writer.ts';

/** Options of `dynamoDBStore()`. */
export interface DynamoDBStoreOptions {
  /** The claims table: partition key `id` (string), TTL on `expiresAt`. `claimsTableDefinition()` gives it. */
  readonly tableName: string;
  /** Default: a client of its own for the environment's region, tuned for many small requests. */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  /**
   * `batch` (default): 25 PartiQL statements per request. `single`: a `PutItem` or `UpdateItem` per record,
   * for policies that refuse PartiQL. Where DynamoDB does not know PartiQL at all, `batch` falls back to
   * `single` by itself and says so once as a process warning.
   */
  readonly writes?: 'batch' | 'single';
  /** Other names for the row's attributes, or another format: `powertoolsAttributes`. */
  readonly attributes?: Partial<AttributeNames> | RowFormat;
  /** How long past its lease a claim is left alone, for machines whose clocks differ. Default 0 ms. */
  readonly clockToleranceMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** A number from 0 up to, not including, 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Claims in a DynamoDB table. Throws a `ConfigurationError` for options that cannot work. */
export function dynamoDBStore(options: DynamoDBStoreOptions): ClaimStore {
  const { tableName, writes = 'batch', clock = systemClock, clockToleranceMs = 0 } = options;
  assertTableName(tableName);
  if (writes !== 'batch' && writes !== 'single') {
    throw new ConfigurationError(`Expected \`writes\` to be 'batch' or 'single', got \`${String(writes)}\``);
  }
  if (!Number.isInteger(clockToleranceMs) || clockToleranceMs < 0) {
    throw new ConfigurationError(
      `Expected \`clockToleranceMs\` to be an integer from 0 up, got \`${String(clockToleranceMs)}\``,
    );
  }
  const format = formatOf(options.attributes);
  const writerSetup: WriterSetup = {
    client: boundedClient(options.client ?? defaultClient(), clock),
    tableName,
    keyName: format.names.key,
    toKey: format.toKey,
    clock,
    random: options.random ?? Math.random,
  };
  const writer =
    writes === 'batch'
      ? withFallback(batchWriter(writerSetup), singleWriter(writerSetup))
      : singleWriter(writerSetup);
  const setup = { ...writerSetup, writer, format, clockToleranceMs };

  return {
    place: `dynamodb:${tableName}`,
    maxResultBytes: format.maxResultBytes,
    acquire: (requests, { signal } = {}) => acquireClaims(requests, setup, signal),
    settle: (settlements, { signal } = {}) => settleClaims(settlements, setup, signal),
    extend: (extensions, { signal } = {}) => extendLeases(extensions, setup, signal),
    start: (claims, { signal } = {}) => startClaims(claims, setup, signal),
    commit: async (completion, items, { signal } = {}) =>
      commitWithCompletion(completion, items, setup, signal),
    async inspect(key) {
      const [read] = await writer.read([key]);
      if (read === undefined || read.status === 'error') throw read?.error;
      const claim = read.row && format.toClaim(read.row);
      return claim === undefined || isForgotten(claim, clock.now()) ? undefined : claim;
    },
  };
}

/** Batched writes until DynamoDB says that it does not know PartiQL; single writes from then on. */
function withFallback(batch: RowWriter, single: RowWriter): RowWriter {
  let current = batch;
  async function call<Answer>(run: (writer: RowWriter) => Promise<Answer>): Promise<Answer> {
    try {
      return await run(current);
    } catch (thrown) {
      if (!isUnknownOperation(thrown)) throw thrown;
      if (current === batch) {
        current = single;
        process.emitWarning(
          "DynamoDB does not know BatchExecuteStatement here: claims are written one by one from now on. Set `writes: 'single'` to say so.",
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

function assertTableName(tableName: unknown): asserts tableName is string {
  // DynamoDB's naming rule, or an ARN; also what keeps a name from ending the quotes of a statement.
  if (typeof tableName !== 'string' || !/^[\w.:/-]{3,1024}$/.test(tableName)) {
    throw new ConfigurationError(
      `Expected \`tableName\` to be a DynamoDB table's name or ARN, got \`${String(tableName)}\``,
    );
  }
}

function formatOf(attributes: DynamoDBStoreOptions['attributes'] = {}): RowFormat {
  if ('toRow' in attributes) return attributes;
  const names = { ...defaultAttributeNames, ...attributes };
  assertAttributeNames(names, defaultAttributeNames);
  return rowFormat(names);
}
