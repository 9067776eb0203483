import type { AttemptHandle, AttemptTransaction } from '../../claims/attempt-handle.ts';

/**
 * Begins a transaction in each of these attempts. None is settled before `work` has ended. If one cannot
 * begin, `work` does not run, and the call rejects with the reason.
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
        // Once begun, the rejection has no effect.
        ends.push(own.catch((error: unknown) => refuse(error as Error)));
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
    // Stays pending if the handler ended without waiting: nobody could handle the error.
    await Promise.all(ends);
    throw error;
  }
}
