import { noOutcome } from '../rows/row-writer.ts';
import { isOfItems } from './failures.ts';
import { storedKey } from './storable.ts';

interface Failed {
  readonly status: 'error';
  readonly error: Error;
}

/**
 * Sends items in one statement. If it fails because of the content of an item, or is too long, each half
 * is sent by itself, until each item that cannot be stored has its own error and the others their
 * outcomes. Never rejects.
 */
export async function inStatements<Item, Outcome>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<Outcome[]>,
  isTooLong: (items: readonly Item[]) => boolean = () => false,
): Promise<(Outcome | Failed)[]> {
  if (items.length === 0) return [];
  if (items.length === 1 || !isTooLong(items)) {
    try {
      return await run(items);
    } catch (thrown) {
      if (items.length === 1 || !isOfItems(thrown)) return items.map(() => failed(thrown as Error));
    }
  }
  const half = items.length >> 1;
  const first = await inStatements(items.slice(0, half), run, isTooLong);
  return [...first, ...(await inStatements(items.slice(half), run, isTooLong))];
}

export interface Keyed<Item> {
  readonly item: Item;
  readonly stored: string;
}

/** Gives items whose keys cannot be stored their errors before anything is sent. */
export async function byKeys<Item extends { readonly key: string }, Outcome>(
  items: readonly Item[],
  run: (keyed: readonly Keyed<Item>[]) => Promise<Outcome[]>,
  isTooLong?: (keyed: readonly Keyed<Item>[]) => boolean,
): Promise<(Outcome | Failed)[]> {
  const keyed: Keyed<Item>[] = [];
  const errors = new Map<Item, Error>();
  for (const item of items) {
    try {
      keyed.push({ item, stored: storedKey(item.key) });
    } catch (thrown) {
      errors.set(item, thrown as Error);
    }
  }
  const outcomes = await inStatements(keyed, run, isTooLong);
  if (errors.size === 0 && outcomes.length === items.length) return outcomes;
  let next = 0;
  return items.map((item) => {
    const error = errors.get(item);
    return error === undefined ? (outcomes[next++] ?? failed(noOutcome())) : failed(error);
  });
}

function failed(error: Error): Failed {
  return { status: 'error', error };
}
