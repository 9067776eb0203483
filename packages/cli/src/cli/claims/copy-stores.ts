import type { ClaimAdmin } from 'batchlatch/operations';
import type { TableOptions } from '../arguments/common-options.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { postgresTableOf, type StoreKind, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';

/** The options of both stores of a copy. */
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

/** A store of the copy. */
export interface CopySide {
  readonly store: ClaimAdmin;
  /** For a person: `table claims of DynamoDB`. */
  readonly place: string;
}

const NAMES = { dynamodb: 'DynamoDB', postgres: 'PostgreSQL', redis: 'Redis' } as const;

/** Opens both stores for `use`, and closes them after it. */
export async function withBoth<Result>(
  context: Context,
  options: CopyStores,
  use: (from: CopySide, to: CopySide) => Promise<Result>,
): Promise<Result> {
  if (placeNamed('from', options, context) === placeNamed('to', options, context)) {
    throw new UsageError(
      'Both stores are the same: name another store, table or prefix with --to, --to-table, --to-prefix.',
    );
  }
  return withSide('from', context, options, (from) =>
    withSide('to', context, options, (to) => use(from, to)),
  );
}

/** Returns a text that is equal for equal stores, as far as the options tell. */
function placeNamed(side: 'from' | 'to', options: CopyStores, { env }: Pick<Context, 'env'>): string {
  const { kind, postgres, redis } = storeNamed(side, options[side]);
  const table = options[`${side}Table`];
  switch (kind) {
    case 'dynamodb':
      return JSON.stringify([kind, dynamoDBTableOf(side, table, env)]);
    case 'postgres':
      return JSON.stringify([
        kind,
        typeof postgres === 'string' ? postgres : env['DATABASE_URL'],
        postgresTableOf({ ...(table !== undefined && { table }) }),
      ]);
    case 'redis':
      return JSON.stringify([
        kind,
        typeof redis === 'string' ? redis : env['REDIS_URL'],
        options[`${side}Prefix`],
        options[`${side}Slots`],
      ]);
  }
}

function dynamoDBTableOf(side: 'from' | 'to', table: string | undefined, env: Context['env']): string {
  const name = table ?? env['CLAIMS_TABLE_NAME'] ?? '';
  if (name !== '') return name;
  throw new UsageError(`No table of DynamoDB is named: add --${side}-table NAME, or set CLAIMS_TABLE_NAME.`);
}

async function withSide<Result>(
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
    ...(kind === 'dynamodb' && index !== undefined && { index }),
    ...(kind === 'dynamodb' && attributes !== undefined && { attributes }),
    indexShards,
    ...(table !== undefined && { table }),
    ...(redisPrefix !== undefined && { redisPrefix }),
    ...(redisSlots !== undefined && { redisSlots }),
    ...(options[`${side}Cluster`] === true && { redisCluster: true }),
  };
  let isOpen = false;
  try {
    return await withClaims(context, tableOptions, ({ store, place }) => {
      isOpen = true;
      return use({ store, place: kind === 'redis' ? place : `${place} of ${NAMES[kind]}` });
    });
  } catch (error) {
    throw isOpen ? error : notOpened(side, error);
  }
}

/** Returns the error of a store that cannot be opened, with the names that its options have in a copy. */
function notOpened(side: 'from' | 'to', cause: unknown): CliError {
  const { line, status } = explainError(cause);
  const message = line
    .replaceAll(/--(?:redis-)?(table|prefix|slots|cluster)\b/g, `--${side}-$1`)
    .replaceAll(/--(?:postgres|redis)\b/g, `--${side}`);
  return status === 2 ? new UsageError(message, { cause }) : new CliError(message, { cause });
}

/** Reads `dynamodb`, `postgres`, `redis` or a URL. Never print it: a URL may hold a password. */
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
    `Say where claims are copied ${side}: --${side} dynamodb, ` +
      'postgres or redis, or the URL of a PostgreSQL or a Redis.',
  );
}
