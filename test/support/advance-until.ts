import type { ManualClock } from 'batchlatch/testing';

/**
 * Lets a clock that stands still go on until the answer is there, at most four times as fast as the time that
 * really passes: what an emulator needs for its work must not look like a call that hangs.
 */
export async function advanceUntil<Answer>(clock: ManualClock, answer: Promise<Answer>): Promise<Answer> {
  let isPending = true;
  const settled = answer.finally(() => {
    isPending = false;
  });
  settled.catch(() => undefined); // whoever awaits the answer gets it
  const startedAt = performance.now();
  for (let advancedMs = 0; isPending;) {
    const isAhead = advancedMs > 4 * (performance.now() - startedAt) + 100;
    if (!isAhead) advancedMs += 1;
    await clock.advance(isAhead ? 0 : 1);
  }
  return settled;
}
