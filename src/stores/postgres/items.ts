import { noOutcome } from '../rows/row-writer.ts';
import { isOfItems } from './failures.ts';
import { storedKey } from './storable.ts';

/**
 * Does something with items in one statement. If that fails for what one of them may hold, it is done with the halves, so that
 * the others have their outcomes and each that cannot be stored has its own error. The same for what is too long for
 * one statement. Never rejects.
 */
export async function inStatements<Item, Outcome>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<Outcome[]>,
  failed: (error: Error) => Outcome,
  isTooLong: (items: readonly Item[]) => boolean = () => false,
): Promise<Outcome[]> {
  if (items.length === 0) return [];
  const inHalves = async (): Promise<Outcome[]> => {
    const half = items.length >> 1;
    const first = await inStatements(items.slice(0, half), run, failed, isTooLong);
    return [...first, ...(await inStatements(items.slice(half), run, failed, isTooLong))];
  };
  if (items.length > 1 && isTooLong(items)) return inHalves();
  try {
    return await run(items);
  } catch (thrown) {
    if (items.length === 1 || !isOfItems(thrown)) return items.map(() => failed(thrown as Error));
    return inHalves();
  }
}

/** An item with its key as it is stored. */
export interface Keyed<Item> {
  readonly item: Item;
  readonly stored: string;
}

/** Items whose keys cannot be stored have their errors before anything is sent. */
export async function byKeys<
  Item extends { readonly key: string },
  Outcome extends { readonly status: string },
>(
  items: readonly Item[],
  run: (keyed: readonly Keyed<Item>[]) => Promise<Outcome[]>,
  isTooLong?: (keyed: readonly Keyed<Item>[]) => boolean,
): Promise<(Outcome | { readonly status: 'error'; readonly error: Error })[]> {
  const errors = new Map<number, Error>();
  const keyed = items.flatMap((item, index): Keyed<Item>[] => {
    try {
      return [{ item, stored: storedKey(item.key) }];
    } catch (thrown) {
      errors.set(index, thrown as Error);
      return [];
    }
  });
  type Answer = Outcome | { readonly status: 'error'; readonly error: Error };
  const failed = (error: Error): Answer => ({ status: 'error', error });
  const outcomes = await inStatements<Keyed<Item>, Answer>(keyed, run, failed, isTooLong);
  let next = 0;
  return items.map((_, index): Answer => {
    const error = errors.get(index);
    if (error !== undefined) return { status: 'error', error };
    return outcomes[next++] ?? { status: 'error', error: noOutcome() };
  });
}
