import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import type { Clock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim } from '../claims/claim.ts';
import { jsonIn } from '../claims/row-format.ts';
import type { Row } from '../stores/dynamodb/row.ts';
import { type Connection, textOf } from '../stores/redis/connection.ts';
import { toStoreError } from '../stores/redis/failures.ts';
import type { OwnedChange, RowWriter, WriteOutcome } from '../stores/rows/row-writer.ts';
import { powertoolsAttributesNamed, type PowertoolsTableOptions } from './powertools-attributes.ts';
import { isRounded } from './powertools-data.ts';

export interface CacheRow {
  readonly key: string;
  readonly text: string;
}

/** Replaces a value only if it has not changed since it was read. */
const SWAP = `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** The expiry of a lock, as in Powertools. The value of Powertools' own lock is `true`. */
const LOCK_SECONDS = '10';
const OUR_LOCK = 'batchlatch';

/** The rounds of reading and writing. Each further round means that another process wrote in between. */
const MOST_ROUNDS = 5;

/**
 * Returns a writer that compares and swaps values of Powertools' cache. Errors are outcomes of single keys.
 */
export function cacheWriter(connection: Connection, rows: CacheRows, clock: Clock): RowWriter<CacheRow> {
  const send = (key: string, command: string, ...args: string[]): Promise<unknown> =>
    connection.send(key, [command, ...args]);

  async function get(key: string): Promise<CacheRow | undefined> {
    const text = await send(key, 'get', key);
    return text === null || text === undefined ? undefined : { key, text: textOf(text) };
  }

  async function insert(claim: Claim): Promise<WriteOutcome<CacheRow>> {
    const { key } = claim;
    const answer = await send(key, 'set', key, rows.toText(claim), 'PX', lifeOf(claim), 'NX');
    return answer === null || answer === undefined ? { status: 'refused' } : { status: 'written' };
  }

  async function swap(row: CacheRow, claim: Claim): Promise<WriteOutcome<CacheRow>> {
    const text = rows.toText(claim);
    const answer = await send(row.key, 'eval', SWAP, '1', row.key, row.text, text, lifeOf(claim));
    return Number(answer) === 1 ? { status: 'written' } : { status: 'refused' };
  }

  /**
   * Locks a key whose lease has lapsed. Powertools takes such a key over with an unconditional write under
   * this lock, which could undo a swap. Processes of batchlatch share the lock: the swap decides between
   * them.
   */
  async function lock(key: string): Promise<boolean> {
    const name = `${key}:lock`;
    const answer = await send(name, 'set', name, OUR_LOCK, 'EX', LOCK_SECONDS, 'NX');
    if (answer !== null && answer !== undefined) return true;
    return textOf(await send(name, 'get', name)) === OUR_LOCK;
  }

  async function change(owned: OwnedChange): Promise<WriteOutcome<CacheRow>> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const row = await get(owned.key);
      if (row === undefined) return { status: 'refused' };
      const claim = rows.toClaim(row.key, row.text);
      if (!isOwned(claim, owned)) return { status: 'refused', row };
      // Past the lease, the lock keeps Powertools out. Without it, the late settlement is still tried.
      if (claim.leaseUntil <= clock.now()) await lock(owned.key);
      const write = await swap(row, defined({ ...claim, ...owned.change }) as Claim);
      if (write.status !== 'refused') return write;
    }
    throw new StoreError(`The claim changed ${MOST_ROUNDS} times while it was being written`, {
      isRetryable: true,
      code: 'BATCHLATCH_CONTENDED',
    });
  }

  function lifeOf({ expiresAt }: Claim): string {
    return String(expiresAt === undefined ? FOREVER_MS : Math.max(1, Math.ceil(expiresAt - clock.now())));
  }

  return {
    insert: (claims) => each(claims, insert),
    replace: (replacements) =>
      each(replacements, async ({ row, claim }) =>
        (await lock(row.key)) ? swap(row, claim) : { status: 'refused' },
      ),
    change: (changes) => each(changes, change),
    read: (keys) => each(keys, async (key) => ({ status: 'read', ...defined({ row: await get(key) }) })),
    toClaim: ({ key, text }) => rows.toClaim(key, text),
  };
}

/** Ten years, for a claim without an expiry. */
const FOREVER_MS = 315_360_000_000;

function isOwned(claim: Claim, { owner, leaseUntilAtMost = Infinity }: OwnedChange): boolean {
  return claim.status === 'IN_PROGRESS' && claim.owner === owner && claim.leaseUntil <= leaseUntilAtMost;
}

/** Runs `one` for each item. An error is the outcome of its item only. */
function each<Item, Outcome>(
  items: readonly Item[],
  one: (item: Item) => Promise<Outcome>,
): Promise<(Outcome | { readonly status: 'error'; readonly error: Error })[]> {
  const orError = (thrown: unknown) => ({ status: 'error' as const, error: toStoreError(thrown) });
  return Promise.all(items.map((item) => one(item).catch(orError)));
}

/** The attribute names of Powertools' `CachePersistenceLayer`, by its option names. */
export type PowertoolsCacheNames = Omit<PowertoolsTableOptions, 'keyAttr' | 'sortKeyAttr' | 'staticPkValue'>;

interface CacheRows {
  toText(claim: Claim): string;
  /** Throws a `StoreError` (`BATCHLATCH_NOT_A_CLAIM`) for a value that is not a claim. */
  toClaim(key: string, text: string): Claim;
}

/**
 * Returns the format of Powertools' table (docs/decisions/0011) as JSON, with the result embedded as JSON.
 */
export function cacheRows(names: PowertoolsCacheNames): CacheRows {
  const format = powertoolsAttributesNamed(names);
  const dataAttr = format.names.result;
  return {
    toText({ result, ...claim }) {
      const { [format.names.key]: _key, ...row } = format.toRow(claim);
      const value = Object.fromEntries(
        Object.entries(row).map(([name, attribute]) => [name, convertToNative(attribute)]),
      );
      return JSON.stringify(result === undefined ? value : { ...value, ...resultMember(dataAttr, result) });
    },
    toClaim(key, text) {
      const value = jsonIn(text);
      if (!isObject(value)) {
        throw new StoreError(
          `The value whose key has the hash ${keyHash(key)} is not an idempotency record of Powertools: ` +
            'it is not a JSON object',
          { isRetryable: false, code: 'BATCHLATCH_NOT_A_CLAIM' },
        );
      }
      const row: Row = { [format.names.key]: { S: key } };
      for (const [name, member] of Object.entries(value)) {
        // A result may be any JSON value; the format reads it as JSON text.
        if (name === dataAttr) row[TEXT] = { S: JSON.stringify(member) };
        else if (format.attributes.includes(name) && member !== null) row[name] = convertToAttr(member);
      }
      return format.toClaim(row);
    },
  };
}

/** The member for a result that is not a document. */
const TEXT = 'result';

/** Returns the member for a result. Text that parsing refuses or rounds is kept from Powertools. */
function resultMember(dataAttr: string, result: string): Readonly<Record<string, unknown>> {
  const data = isRounded(result) ? undefined : jsonIn(result);
  return data === undefined ? { [TEXT]: result } : { [dataAttr]: data };
}
