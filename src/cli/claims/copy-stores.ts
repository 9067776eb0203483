import type { OperableStore } from '../../claims/operable-store.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { type StoreKind, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';

/** The two stores of a copy, and how claims are found in them. */
export interface CopyStores extends Pick<
  TableOptions,
  'region' | 'profile' | 'endpointUrl' | 'index' | 'indexShards' | 'attributes'
> {
  readonly from?: string;
  readonly to?: string;
  readonly fromTable?: string;
  readonly toTable?: string;
  readonly fromPrefix?: string;
  readonly toPrefix?: string;
  readonly fromSlots?: number;
  readonly toSlots?: number;
  readonly fromCluster?: boolean;
  readonly toCluster?: boolean;
}

/** A store of the two. */
export interface CopySide {
  readonly store: OperableStore;
  /** Such as `table claims of DynamoDB`. */
  readonly place: string;
}

const NAMES = { dynamodb: 'DynamoDB', postgres: 'PostgreSQL', redis: 'Redis' } as const;

/** Opens both stores for `use`. */
export function withBoth<Result>(
  context: Context,
  options: CopyStores,
  use: (from: CopySide, to: CopySide) => Promise<Result>,
): Promise<Result> {
  return withSide('from', context, options, (from) =>
    withSide('to', context, options, (to) => use(from, to)),
  );
}

function withSide<Result>(
  side: 'from' | 'to',
  context: Context,
  options: CopyStores,
  use: (side: CopySide) => Promise<Result>,
): Promise<Result> {
  const { region, profile, endpointUrl, index, indexShards, attributes } = options;
  const { kind, ...named } = storeNamed(side, options[side]);
  const table = options[`${side}Table`];
  const redisPrefix = options[`${side}Prefix`];
  const redisSlots = options[`${side}Slots`];
  const tableOptions: TableOptions = {
    ...named,
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(endpointUrl !== undefined && { endpointUrl }),
    ...(index !== undefined && { index }),
    ...(attributes !== undefined && { attributes }),
    indexShards,
    ...(table !== undefined && { table }),
    ...(redisPrefix !== undefined && { redisPrefix }),
    ...(redisSlots !== undefined && { redisSlots }),
    ...(options[`${side}Cluster`] === true && { redisCluster: true }),
  };
  return withClaims(context, tableOptions, ({ store, place }) =>
    use({ store, place: kind === 'redis' ? place : `${place} of ${NAMES[kind]}` }),
  );
}

/** `dynamodb`, `postgres`, `redis`, or the URL of one of the latter; it is not shown, for it may hold a password. */
function storeNamed(
  side: 'from' | 'to',
  text: string = '',
): { readonly kind: StoreKind } & Pick<TableOptions, 'postgres' | 'redis'> {
  if (text === 'dynamodb') return { kind: 'dynamodb' };
  if (text === 'postgres') return { kind: 'postgres', postgres: true };
  if (text === 'redis') return { kind: 'redis', redis: true };
  if (/^postgres(ql)?:\/\//.test(text)) return { kind: 'postgres', postgres: text };
  if (/^rediss?:\/\//.test(text)) return { kind: 'redis', redis: text };
  throw new UsageError(
    `Say where claims are copied ${side}: --${side} dynamodb, postgres or redis, or the URL of a PostgreSQL or a Redis.`,
  );
}
