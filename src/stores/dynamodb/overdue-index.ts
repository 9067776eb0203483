import type { ClaimStatus } from '../../claims/claim.ts';
import { ConfigurationError } from '../../claims/errors.ts';
import type { Check } from '../../options/check-options.ts';
import type { RowFormat } from './row.ts';

/** Options of the index of claims that are in progress or parked. */
export interface OverdueIndexOptions {
  /** The index's name. Default `overdue`. */
  readonly name?: string;
  /**
   * Over how many partitions of the index the claims are spread, from 1 to 100; a partition takes 1,000 writes per second.
   * More may be set at any time; fewer hides the claims of the last shards. Default 8.
   */
  readonly shards?: number;
}

/** The partition key of the index. Only rows that are in progress or parked have it, so that the index holds no others. */
export const OVERDUE_SHARD = 'overdueShard';

/** The index, with its defaults. */
export interface OverdueIndex {
  readonly name: string;
  readonly shards: number;
}

export function anOverdueIndex(): Check {
  return {
    expected:
      'a boolean, or an object { name?, shards? }: the name of an index, and an integer from 1 to 100',
    accepts(value) {
      if (typeof value === 'boolean') return true;
      if (typeof value !== 'object' || value === null) return false;
      const { name = 'overdue', shards = 8, ...others } = value as OverdueIndexOptions;
      const isName = typeof name === 'string' && /^[\w.-]{3,255}$/.test(name);
      const isCount = Number.isInteger(shards) && shards >= 1 && shards <= 100;
      return isName && isCount && Object.keys(others).length === 0;
    },
  };
}

/**
 * The index that the options name. Where they say nothing, it is the one of `CLAIMS_OVERDUE_INDEX`, for the table of
 * `CLAIMS_TABLE_NAME` alone: another table need not have it.
 */
export function overdueIndexOf(
  given: boolean | OverdueIndexOptions | undefined,
  tableName: string,
): OverdueIndex | undefined {
  if (given === false) return undefined;
  if (given !== undefined) return withDefaults(given);
  const name = process.env['CLAIMS_OVERDUE_INDEX'] ?? '';
  if (name === '' || process.env['CLAIMS_TABLE_NAME'] !== tableName) return undefined;
  const options = { name };
  if (!anOverdueIndex().accepts(options)) {
    throw new ConfigurationError(`Expected CLAIMS_OVERDUE_INDEX to be the name of an index, got \`${name}\``);
  }
  return withDefaults(options);
}

export function withDefaults(given: true | OverdueIndexOptions): OverdueIndex {
  return { name: 'overdue', shards: 8, ...(given !== true && given) };
}

/** The format for a table with the index: what each row has for its partition key there, by the claim's key and status. */
export function indexedFormat(format: RowFormat, { shards }: OverdueIndex): RowFormat {
  if (format.attributes.includes(OVERDUE_SHARD)) {
    throw new ConfigurationError(`\`${OVERDUE_SHARD}\` is the index's own attribute: name yours otherwise`);
  }
  return {
    ...format,
    attributes: [...format.attributes, OVERDUE_SHARD],
    shardOf: (key, status) => (isIndexed(status) ? shardName(status, shardNumber(key, shards)) : undefined),
  };
}

export type IndexedStatus = Extract<ClaimStatus, 'IN_PROGRESS' | 'PARKED'>;

export function shardName(status: IndexedStatus, shard: number): string {
  return `${status}#${shard}`;
}

/** The shard of the same number for another status; undefined where that is not in the index. */
export function movedShard(shard: string, status: ClaimStatus): string | undefined {
  return isIndexed(status) ? shardName(status, Number(shard.split('#')[1] ?? 0)) : undefined;
}

function isIndexed(status: ClaimStatus): status is IndexedStatus {
  return status === 'IN_PROGRESS' || status === 'PARKED';
}

/** FNV-1a: spreads keys evenly for a few nanoseconds each. */
function shardNumber(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
