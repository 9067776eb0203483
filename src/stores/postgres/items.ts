import { isOfItems } from './failures.ts';

/**
 * Does something with items in one statement. If that fails for what one of them may hold, it is done with the halves, so that
 * the others have their outcomes and each that cannot be stored has its own error. Never rejects.
 */
export async function inStatements<Item, Outcome>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<Outcome[]>,
  failed: (error: Error) => Outcome,
): Promise<Outcome[]> {
  if (items.length === 0) return [];
  try {
    return await run(items);
  } catch (thrown) {
    if (items.length === 1 || !isOfItems(thrown)) return items.map(() => failed(thrown as Error));
    const half = items.length >> 1;
    const first = await inStatements(items.slice(0, half), run, failed);
    return [...first, ...(await inStatements(items.slice(half), run, failed))];
  }
}
