import type { AttemptHandle, AttemptTransaction } from '../../claims/attempt-handle.ts';

/**
 * Begins a transaction in each of these attempts, none of which is settled before `work` has ended. Where one
 * cannot begin, nothing is done: rejects with why.
 */
export async function together<Result>(
  attempts: readonly AttemptHandle[],
  work: (transactions: readonly AttemptTransaction[]) => Promise<Result>,
): Promise<Result> {
  let resolveAll!: () => void;
  let rejectAll!: (error: unknown) => void;
  const end = new Promise<void>((resolve, reject) => {
    resolveAll = resolve;
    rejectAll = reject;
  });
  end.catch(() => undefined); // where no attempt has begun, nobody waits for it
  const ends: Promise<void>[] = [];
  const begun = attempts.map(
    (attempt) =>
      new Promise<AttemptTransaction>((begin, refuse) => {
        const own = attempt.transact(async (transaction) => {
          begin(transaction);
          await end;
        });
        ends.push(own.catch((error: unknown) => refuse(error as Error))); // after the beginning it changes nothing
      }),
  );
  try {
    const result = await work(await Promise.all(begun));
    resolveAll();
    await Promise.all(ends);
    return result;
  } catch (error) {
    await Promise.allSettled(begun);
    rejectAll(error);
    await Promise.all(ends); // never, where the handler has ended without waiting: nobody is there for the error
    throw error;
  }
}
