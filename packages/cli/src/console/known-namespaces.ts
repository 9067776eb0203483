import { Buffer } from 'node:buffer';
import type { ClaimAdmin, ClaimPage } from 'batchlatch/operations';

/** DynamoDB's longest partition key. */
const LONGEST_KEY_BYTES = 2_048;
/** A search reads one row for each namespace, so only those seen last are kept. */
const MOST = 20;

/**
 * The namespaces of the claims that were read. An order id or a message id is mostly a whole key without its
 * namespace, so one read for each namespace finds it, where a search would read the table.
 */
export class KnownNamespaces {
  /** Such as `orders#v1:`; the one seen last is the last. */
  readonly #prefixes = new Set<string>();
  #hasLooked = false;

  constructor(namespaces: readonly string[] = []) {
    for (const namespace of namespaces) this.note(`${namespace}#v1:`);
  }

  /** Notes the namespace of a key, if it has one. */
  note(key: string): void {
    const [prefix] = /^[^#]+#(?:v\d+:)?/.exec(key) ?? [];
    if (prefix === undefined) return;
    this.#prefixes.delete(prefix);
    this.#prefixes.add(prefix);
    const [oldest] = this.#prefixes;
    if (this.#prefixes.size > MOST && oldest !== undefined) this.#prefixes.delete(oldest);
  }

  /** Returns the store, with the namespaces of all claims noted that it lists. */
  noting(store: ClaimAdmin): ClaimAdmin {
    const list: ClaimAdmin['list'] = async (query, options) => {
      const page = await store.list(query, options);
      for (const { key } of page.claims) this.note(key);
      return page;
    };
    return { ...store, list };
  }

  /**
   * Returns the claims whose key is the text, or a known namespace with the text; undefined if there is none.
   * If no namespace is known, it reads a page of claims first, once.
   */
  async find(store: ClaimAdmin, text: string, signal: AbortSignal): Promise<ClaimPage | undefined> {
    const whole = await store.read(text, { signal });
    if (whole !== undefined) return { claims: [whole], readBy: 'index', rowsRead: 1 };
    if (this.#prefixes.size === 0 && !this.#hasLooked) {
      this.#hasLooked = true;
      await this.noting(store).list({ limit: 100 }, { signal });
    }
    const keys = [...this.#prefixes].map((prefix) => prefix + text);
    const possible = keys.filter((key) => Buffer.byteLength(key) <= LONGEST_KEY_BYTES);
    const found = await Promise.all(possible.map((key) => store.read(key, { signal })));
    const claims = found.filter((claim) => claim !== undefined);
    return claims.length === 0 ? undefined : { claims, readBy: 'index', rowsRead: possible.length + 1 };
  }
}
