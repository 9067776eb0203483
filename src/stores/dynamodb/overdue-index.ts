import { ConfigurationError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { ClaimStatus } from '../../claims/claim.ts';
import type { Check } from '../../options/check-options.ts';
import type { Row, RowFormat } from './row.ts';

/** Options of the index of claims that are in progress or parked. */
export interface OverdueIndexOptions {
  /** The index's name. Default `overdue`. */
  readonly name?: string;
  /**
   * The number of index partitions that claims are spread over, from 1 to 100; each takes 1,000 writes per
   * second. Writers and readers of claims must use the same number. To raise it, change the readers first;
   * lowering it hides the claims of the last shards. Default 8.
   */
  readonly shards?: number;
}

/** The partition key of the index. Only rows that are in progress or parked have it. */
export const OVERDUE_SHARD = 'overdueShard';

export interface OverdueIndex extends Required<OverdueIndexOptions> {
  /** Whether its name was given. A missing index is then an error. */
  readonly isNamed: boolean;
}

const DEFAULT_NAME = 'overdue';
const DEFAULT_SHARDS = 8;

export function anOverdueIndex(): Check {
  return {
    expected: 'a boolean, or { name?, shards? } with 1 to 100 shards',
    accepts(value) {
      if (typeof value === 'boolean') return true;
      if (!isObject(value)) return false;
      const { name = DEFAULT_NAME, shards = DEFAULT_SHARDS, ...others } = value as OverdueIndexOptions;
      const isName = typeof name === 'string' && /^[\w.-]{3,255}$/.test(name);
      const isCount = Number.isInteger(shards) && shards >= 1 && shards <= 100;
      return isName && isCount && Object.keys(others).length === 0;
    },
  };
}

/** Returns the index of the options; undefined for `false`. */
export function overdueIndexOf(given: boolean | OverdueIndexOptions = true): OverdueIndex | undefined {
  if (given === false) return undefined;
  const { name = DEFAULT_NAME, shards = DEFAULT_SHARDS }: OverdueIndexOptions = given === true ? {} : given;
  return { name, shards, isNamed: given !== true && given.name !== undefined };
}

/** A format that adds the index's key to rows that are in progress or parked. */
export interface ShardedFormat extends RowFormat {
  /** The partition key of a claim in the index; undefined for a status that the index does not hold. */
  shardOf(key: string, status: ClaimStatus): Row[string] | undefined;
}

/** Adds the index's key even if there is no index, so that one created later holds the earlier claims. */
export function shardedFormat(
  format: RowFormat,
  { shards = DEFAULT_SHARDS }: OverdueIndexOptions,
): ShardedFormat {
  if (format.attributes.includes(OVERDUE_SHARD)) {
    throw new ConfigurationError(`\`${OVERDUE_SHARD}\` is the index's own: choose another name`);
  }
  const shardsOf = (status: IndexedStatus): Row[string][] =>
    Array.from({ length: shards }, (_, shard) => ({ S: shardName(status, shard) }));
  const all: Partial<Record<ClaimStatus, Row[string][]>> = {
    IN_PROGRESS: shardsOf('IN_PROGRESS'),
    PARKED: shardsOf('PARKED'),
  };
  const shardOf: ShardedFormat['shardOf'] = (key, status) => all[status]?.[shardNumber(key, shards)];
  return {
    ...format,
    attributes: [...format.attributes, OVERDUE_SHARD],
    toRow(claim) {
      const row = format.toRow(claim);
      const shard = shardOf(claim.key, claim.status);
      if (shard !== undefined) row[OVERDUE_SHARD] = shard;
      return row;
    },
    shardOf,
  };
}

type IndexedStatus = 'IN_PROGRESS' | 'PARKED';

export function shardName(status: IndexedStatus, shard: number): string {
  return `${status}#${shard}`;
}

/** FNV-1a: spreads keys evenly, in less than a microsecond each. */
function shardNumber(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
