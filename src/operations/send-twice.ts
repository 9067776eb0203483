import { asError, missingOutcome } from '../claims/store-errors.ts';

/** A request to a store for many items, and what its outcomes are where it fails. */
export interface StoreRequest<Item, Outcome> {
  send(items: readonly Item[], isAgain: boolean): Promise<readonly Outcome[]>;
  failed(error: Error): Outcome;
  /** Whether it failed in passing. */
  isPassing(outcome: Outcome): boolean;
}

/** An outcome for each item, in order. What fails in passing is sent once more: what was done all the same meets itself. */
export async function sendTwice<Item, Outcome>(
  items: readonly Item[],
  { send, failed, isPassing }: StoreRequest<Item, Outcome>,
): Promise<Outcome[]> {
  const sendOnce = async (some: readonly Item[], isAgain: boolean): Promise<Outcome[]> => {
    try {
      const outcomes = await send(some, isAgain);
      return some.map((_, index) => outcomes[index] ?? failed(missingOutcome()));
    } catch (thrown) {
      return some.map(() => failed(asError(thrown)));
    }
  };
  const outcomes = await sendOnce(items, false);
  const failing = [...outcomes.keys()].filter((index) => isPassing(outcomes[index] as Outcome));
  if (failing.length === 0) return outcomes;
  const again = failing.map((index) => items[index] as Item);
  for (const outcome of await sendOnce(again, true)) outcomes[failing.shift() as number] = outcome;
  return outcomes;
}
