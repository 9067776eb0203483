import { Buffer } from 'node:buffer';
import type { Claim, ClaimAdmin, ClaimPage } from 'batchlatch/operations';
import { isOfOneRow } from './of-one-row.ts';

/** DynamoDB's longest partition key. */
const LONGEST_KEY_BYTES = 2_048;
/** A search reads one row for each namespace, so only those seen last are kept. */
const MOST_NAMESPACES = 20;
const MOST_RECORDS = 10_000;

/**
 * The namespaces and record ids of the claims that the console has read. An order id or a message id is
 * mostly a whole key without its namespace, or the record id of a claim that was shown, so a few reads by key
 * find it, where a search would read the table.
 */
export class SeenClaims {
  /** Such as `orders#v1:` or `orders#t1:OrderPlaced:`; the one seen last is the last. */
  readonly #prefixes = new Set<string>();
  /** The key of the claim of each record that was seen last. */
  readonly #keys = new Map<string, string>();

  constructor(namespaces: readonly string[] = []) {
    for (const namespace of namespaces) this.#prefixes.add(`${namespace}#v1:`);
  }

  /** Returns the store, with every claim noted that is read from it. */
  noting(store: ClaimAdmin): ClaimAdmin {
    return {
      ...store,
      list: async (query, options) => {
        const page = await store.list(query, options);
        for (const claim of page.claims) this.#note(claim);
        return page;
      },
      read: async (key, options) => {
        const claim = await store.read(key, options);
        if (claim !== undefined) this.#note(claim);
        return claim;
      },
    };
  }

  /**
   * Returns the claims whose key is the text, or a known namespace with the text, or whose record it was when
   * they were seen; undefined if there is none. If no namespace is known, it reads a page of claims first.
   */
  async search(store: ClaimAdmin, text: string, signal: AbortSignal): Promise<ClaimPage | undefined> {
    const whole = await readIfClaim(store, text, signal);
    if (whole !== undefined) return { claims: [whole], readBy: 'index', rowsRead: 1 };
    if (this.#prefixes.size === 0) await this.noting(store).list({ limit: 100 }, { signal });
    const page = await this.ofRecord(store, text, signal);
    return page.claims.length === 0 ? undefined : { ...page, rowsRead: page.rowsRead + 1 };
  }

  /** Reads the claims that may be of a record, by their keys. */
  async ofRecord(store: ClaimAdmin, id: string, signal: AbortSignal): Promise<ClaimPage> {
    const seen = this.#keys.get(id);
    const keys = new Set([...this.#prefixes].map((prefix) => prefix + id));
    if (seen !== undefined) keys.add(seen);
    const possible = [...keys].filter((key) => Buffer.byteLength(key) <= LONGEST_KEY_BYTES);
    const found = await Promise.all(possible.map((key) => readIfClaim(store, key, signal)));
    const claims = found.filter((claim) => claim !== undefined);
    return { claims, readBy: 'index', rowsRead: possible.length };
  }

  #note({ key, recordId }: Claim): void {
    const [prefix] = /^[^#]+#(?:v\d+:|t\d+:[^:]*:)?/.exec(key) ?? [];
    if (prefix !== undefined) {
      this.#prefixes.delete(prefix);
      this.#prefixes.add(prefix);
      dropOldest(this.#prefixes, MOST_NAMESPACES);
    }
    if (recordId === undefined || recordId === '') return;
    this.#keys.delete(recordId);
    this.#keys.set(recordId, key);
    dropOldest(this.#keys, MOST_RECORDS);
  }
}

/** Returns undefined also for a row that is no claim, or is of a newer format: the text may mean others. */
async function readIfClaim(store: ClaimAdmin, key: string, signal: AbortSignal): Promise<Claim | undefined> {
  try {
    return await store.read(key, { signal });
  } catch (error) {
    if (isOfOneRow(error)) return undefined;
    throw error;
  }
}

function dropOldest(kept: Set<string> | Map<string, string>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
