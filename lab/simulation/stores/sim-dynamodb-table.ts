import { isDeepStrictEqual } from 'node:util';
import { rowOfItem } from '../invariants/claim-row.ts';
import type { ClaimWatch } from '../invariants/claim-watch.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { ROW_LIMIT } from './row-limits.ts';
import type { Item, Statement, UpdateStatement } from './partiql.ts';

export type Written =
  | { readonly status: 'done' }
  | { readonly status: 'too-large' }
  | { readonly status: 'exists' | 'condition-failed'; readonly item: Item | undefined };

/** A read that does not ask for consistency may see what was true this long ago. */
const STALEST_MS = 1_000;
/**
 * DynamoDB deletes within days; here sooner, so that runs see rows that are gone and rows that should be. But
 * not before every process's clock says that the retention is over.
 */
const LONGEST_TTL_LAG_MS = 60_000;

/** One table: atomic conditional writes, consistent reads, stale reads for those who do not ask, and TTL. */
export class SimDynamoDBTable {
  readonly #world: World;
  readonly #claims: ClaimWatch;
  readonly #random: Random;
  readonly #items = new Map<string, Item>();
  readonly #former = new Map<string, { readonly until: number; readonly item: Item | undefined }[]>();

  constructor(world: World, claims: ClaimWatch) {
    this.#world = world;
    this.#claims = claims;
    this.#random = world.random.fork('table');
  }

  write(statement: Statement, by: SimProcess): Written {
    const { key } = statement;
    const item = this.#items.get(key);
    if (statement.kind === 'insert') {
      if (item !== undefined) return { status: 'exists', item };
      this.#put(key, statement.item, by);
      return { status: 'done' };
    }
    if (item === undefined || !this.isMet(statement)) return { status: 'condition-failed', item };
    const changed = { ...item, ...statement.set };
    for (const name of statement.remove) delete changed[name];
    if (sizeOf(changed) > ROW_LIMIT) return { status: 'too-large' };
    this.#put(key, changed, by);
    return { status: 'done' };
  }

  /** Whether an update would be done now. */
  isMet({ key, where, whereAtMost }: UpdateStatement): boolean {
    const item = this.#items.get(key);
    return (
      item !== undefined &&
      Object.entries(where).every(([name, value]) => isDeepStrictEqual(item[name], value)) &&
      Object.entries(whereAtMost).every(([name, { N }]) => Number(item[name]?.N) <= Number(N))
    );
  }

  read(key: string, isConsistent: boolean): Item | undefined {
    if (isConsistent) return this.#items.get(key);
    const asOf = this.#world.now - this.#random.integer(0, STALEST_MS);
    const former = this.#former.get(key)?.find(({ until }) => until > asOf);
    return former === undefined ? this.#items.get(key) : former.item;
  }

  #put(key: string, item: Item, by: SimProcess): void {
    this.#replace(key, item);
    this.#claims.rowIs(key, rowOfItem(item), by);
    const expiresAt = rowOfItem(item).expiresAt;
    if (expiresAt === undefined) return;
    const lagMs = this.#world.scenario.skewMs + this.#random.integer(0, LONGEST_TTL_LAG_MS);
    this.#world.scheduler.after(expiresAt - this.#world.now + lagMs, () => this.#expire(key, item));
  }

  #expire(key: string, item: Item): void {
    if (this.#items.get(key) !== item) return;
    this.#replace(key, undefined);
    this.#claims.rowExpired(key);
  }

  #replace(key: string, item: Item | undefined): void {
    const former = this.#former.get(key) ?? [];
    former.push({ until: this.#world.now, item: this.#items.get(key) });
    this.#former.set(key, former);
    if (item === undefined) this.#items.delete(key);
    else this.#items.set(key, item);
  }
}

/** About as DynamoDB counts an item: its names and its values. The attributes of claims are ASCII here. */
function sizeOf(item: Item): number {
  let size = 0;
  for (const [name, { S, N, M }] of Object.entries(item)) {
    size += name.length + (S ?? N ?? '').length + (M === undefined ? 0 : sizeOf(M));
  }
  return size;
}
