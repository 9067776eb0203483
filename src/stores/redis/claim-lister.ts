import { notACursor } from '../../claims/claim-query.ts';
import type { Claim } from '../../claims/claim.ts';
import { hasCode, StoreError } from '../../base/errors.ts';
import { keyHash } from '../../base/key-hash.ts';
import type { ReadOutcome } from '../rows/row-writer.ts';
import type { RowLister, RowPage, RowQuery } from '../rows/row-lister.ts';
import { type Connection, textOf } from './connection.ts';
import { toStoreError } from './failures.ts';
import { readRows } from './row-writer.ts';
import type { Row } from './row.ts';
import type { RedisRows, ScriptCaller } from './script-caller.ts';

/** A page ends after this many keys, whether they are claims or not, so that no page takes too long. */
const MOST_KEYS = 4_000;
const MOST_KEYS_PER_REQUEST = 1_000;
const LEAST_KEYS_PER_REQUEST = 10;

/**
 * Where the next page starts: the node and the cursor of its SCAN. If a page had no room for all keys of an
 * answer, the next one sends the same cursor and `count` again and skips the keys in `given`, which holds
 * their hashes. `nodes` is a hash of the names of all: after a failover, a node that sorts before others has
 * keys that were not listed yet.
 */
type Position = readonly [
  node: string,
  cursor: string,
  count: number,
  given: readonly string[],
  nodes: string,
];

/**
 * Lists claims with SCAN, node by node in the order of their addresses. While Redis resizes its table of
 * keys, SCAN may return a key twice, but it never misses one that exists during the whole scan.
 */
export function claimLister(rows: RedisRows, call: ScriptCaller): RowLister<Row> {
  const { connection, names } = rows;

  async function scan(
    node: Connection,
    cursor: string,
    count: number,
    { keyPrefix }: RowQuery<Row>,
  ): Promise<{ readonly end: string; readonly keys: readonly string[] }> {
    const clientPrefix = connection.keyPrefix;
    const pattern = names.patternOf(keyPrefix, clientPrefix);
    try {
      const answer = await node.send(undefined, ['scan', cursor, 'match', pattern, 'count', String(count)]);
      const [end, found] = Array.isArray(answer) ? (answer as unknown[]) : [];
      const keys = (Array.isArray(found) ? found : []).flatMap((name: unknown) => {
        const key = names.keyOf(textOf(name).slice(clientPrefix.length));
        return key === undefined || !key.startsWith(keyPrefix) ? [] : [key];
      });
      return { end: textOf(end ?? '0'), keys: [...new Set(keys)] };
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  async function claimsOf(keys: readonly string[], { claimOf }: RowQuery<Row>): Promise<Claim[]> {
    const reads = await readRows(keys, call);
    return reads.flatMap((read, index) => {
      const row = rowOf(read, keys[index] as string);
      return (row && claimOf(row)) ?? [];
    });
  }

  return {
    async list(query, from, signal) {
      const primaries = await connection.primaries().catch((thrown: unknown) => {
        throw toStoreError(thrown);
      });
      const nodes = [...primaries].sort((one, other) => (one.name < other.name ? -1 : 1));
      const first = Math.max(LEAST_KEYS_PER_REQUEST, query.limit);
      const all = keyHash(nodes.map((node) => node.name).join(' '));
      let [name, cursor, count, given, listed]: Position =
        from === undefined ? ['', '0', first, [], all] : positionIn(from);
      if (listed !== all) throw clusterChanged();
      const claims: Claim[] = [];
      let rowsRead = 0;
      let keysSeen = 0;
      const pageAt = (position?: Position): RowPage => ({
        claims,
        readBy: 'scan',
        rowsRead,
        ...(position !== undefined && { position }),
      });
      for (const node of nodes.filter((one) => one.name >= name)) {
        if (node.name !== name) [name, cursor, count, given] = [node.name, '0', first, []];
        do {
          if (claims.length >= query.limit || keysSeen >= MOST_KEYS) {
            return pageAt([name, cursor, count, given, all]);
          }
          if (signal?.aborted === true) throw signal.reason;
          const { end, keys } = await scan(node, cursor, count, query);
          const fresh = keys.filter((key) => !given.includes(keyHash(key)));
          const found = await claimsOf(fresh, query);
          rowsRead += fresh.length;
          keysSeen += count;
          const room = query.limit - claims.length;
          claims.push(...found.slice(0, room));
          if (found.length > room) {
            // The next page sends the same cursor again for the rest of this answer.
            const givenNow = found.slice(0, room).map(({ key }) => keyHash(key));
            return pageAt([name, cursor, count, [...given, ...givenNow], all]);
          }
          [cursor, given] = [end, []];
          count = Math.min(MOST_KEYS_PER_REQUEST, found.length === 0 ? count * 4 : count);
        } while (cursor !== '0');
      }
      return pageAt();
    },
  };
}

/** A key that is not a hash gives an empty row, reported as not a claim. A deleted key is skipped. */
function rowOf(read: ReadOutcome<Row>, key: string): Row | undefined {
  if (read.status === 'read') return read.row;
  if (hasCode(read.error, 'BATCHLATCH_NOT_A_CLAIM')) return { key, now: 0, fields: new Map() };
  throw read.error;
}

function clusterChanged(): StoreError {
  return new StoreError(
    'The primaries of Redis are not those with which the list began, so it would leave out claims: ' +
      'begin again, without a cursor',
    { isRetryable: false },
  );
}

function positionIn(position: unknown): Position {
  if (!Array.isArray(position) || position.length !== 5) throw notACursor();
  const [name, cursor, count, given, nodes] = position as unknown[];
  const isPosition =
    typeof name === 'string' &&
    typeof cursor === 'string' &&
    /^\d{1,20}$/.test(cursor) &&
    Number.isInteger(count) &&
    (count as number) >= 1 &&
    (count as number) <= MOST_KEYS_PER_REQUEST &&
    Array.isArray(given) &&
    given.every((hash) => typeof hash === 'string') &&
    typeof nodes === 'string';
  if (!isPosition) throw notACursor();
  return [name, cursor, count as number, given, nodes];
}
