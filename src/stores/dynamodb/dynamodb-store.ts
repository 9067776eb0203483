import { ConfigurationError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimStore, Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import { conditionalStore } from '../rows/conditional-store.ts';
import {
  checkTableOptions,
  type ClaimsTable,
  claimsTable,
  type DynamoDBStoreOptions,
  formatOf,
} from './claims-table.ts';
import type { CommitSetup } from './commit-with-completion.ts';
import { rowWriter } from './item-writer.ts';
import { refusedInTests, whenTableIsNamed } from './table-from-environment.ts';

type TableStore = ClaimStore & Required<Pick<ClaimStore, 'start' | 'commit'>>;

/**
 * Creates the claim store of a DynamoDB table. Throws a `ConfigurationError` for invalid options. Without
 * `tableName` and `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @param options The table, the client and the requests.
 *
 * @example
 * createBatchProcessor(handler, { store: cached(dynamoDBStore(), { max: 1_000 }) });
 */
export function dynamoDBStore(options: DynamoDBStoreOptions = {}): ClaimStore {
  checkTableOptions('dynamoDBStore', options);
  const { tableName } = options;
  if (tableName !== undefined) return claimsIn(claimsTable(tableName, options));
  return forwarded(inNamedTable(options), options);
}

/** Creates the store of processors that are given none. It throws in unit tests. */
export function defaultStore(): ClaimStore {
  return forwarded(refusedInTests(inNamedTable({})), {});
}

function inNamedTable(options: DynamoDBStoreOptions): () => TableStore {
  return whenTableIsNamed((tableName) => {
    checkTableOptions('dynamoDBStore', { tableName });
    return claimsIn(claimsTable(tableName, options));
  });
}

export function claimsIn(table: ClaimsTable): TableStore {
  const { tableName, items, format, clock, clockToleranceMs } = table;
  return {
    place: `dynamodb:${tableName}`,
    maxResultBytes: format.maxResultBytes,
    ...conditionalStore({ writer: rowWriter(items, format), clock, clockToleranceMs }),
    commit: async (completion, effect, options) =>
      isTransactEffect(effect)
        ? effect.write(completion, { ...table, writer: items }, options?.signal)
        : { refused: new ConfigurationError(NO_EFFECT) },
  };
}

function forwarded(store: () => TableStore, { attributes }: DynamoDBStoreOptions): TableStore {
  return {
    maxResultBytes: formatOf(attributes).maxResultBytes,
    acquire: async (...call) => store().acquire(...call),
    settle: async (...call) => store().settle(...call),
    extend: async (...call) => store().extend(...call),
    start: async (...call) => store().start(...call),
    commit: async (...call) => store().commit(...call),
    inspect: async (...call) => store().inspect(...call),
  };
}

const NO_EFFECT = 'dynamoDBStore writes only effects of `commit` of batchlatch/dynamodb: use that function';

/** Passes the default store, in the table of `CLAIMS_TABLE_NAME`, to `make`. Throws in unit tests. */
export function fromEnvironmentStore<Made>(make: (store: ClaimStore) => Made): () => Made {
  return refusedInTests(whenTableIsNamed((tableName) => make(dynamoDBStore({ tableName }))));
}

/**
 * The effect of `commit`: the items, and the function that writes them with a completion. The effect carries
 * that code, so that only functions that commit have it in their bundle.
 */
export interface TransactEffect {
  readonly kind: 'dynamodb';
  /** The items as the handler passed them, not validated yet. */
  readonly content: unknown;
  write(completion: Completion, setup: CommitSetup, signal?: StopSignal): Promise<CommitOutcome>;
}

/** Whether `commit` of `batchlatch/dynamodb` made the effect, in this or another copy of the package. */
function isTransactEffect(effect: unknown): effect is TransactEffect {
  const { kind, write } = (isObject(effect) ? effect : {}) as Partial<TransactEffect>;
  return kind === 'dynamodb' && typeof write === 'function';
}
