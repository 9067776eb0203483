import type { HandlerRun } from './invariants/attempt-facts.ts';
import type { Random } from './virtual-world/random.ts';
import type { SimProcess } from './virtual-world/sim-process.ts';
import type { World } from './virtual-world/world.ts';

/** What a handler that looks at its signal is in. */
interface At {
  readonly world: World;
  readonly random: Random;
  readonly process: SimProcess;
}

/** Looks at its signal after each step: stops with work left, or goes on to the end and says so. */
export async function workInSteps(run: HandlerRun, { world, random, process }: At): Promise<void> {
  const stepMs = random.magnitude(20, 2_000);
  let isTold = false;
  for (let steps = random.integer(2, 6); steps > 0; steps -= 1) {
    await process.sleep(stepMs);
    if (!run.context.signal.aborted) continue;
    if (!random.chance(world.scenario.handlers.finishes)) {
      world.count('handlers that break off');
      run.isBrokenOff = true;
      return;
    }
    isTold = true;
  }
  if (isTold) sayDone(run, world);
}

/**
 * Does the work of many records one after the other, and looks at one signal before each: that of the first, as if time
 * were up for all at once, or the next one's own. Those it does not get to any more stay undone; of the others it may
 * say that they are done. The leases of some may have been made longer, so that they end one by one.
 */
export async function workInTurn(runs: readonly HandlerRun[], { world, random, process }: At): Promise<void> {
  const looksAtFirst = random.chance(0.5);
  const saysWhatIsDone = random.chance(0.5);
  const stepMs = random.magnitude(10, 500);
  if (random.chance(0.3)) await prolongSome(runs, random);
  for (const [index, run] of runs.entries()) {
    const { signal } = ((looksAtFirst ? runs[0] : run) as HandlerRun).context;
    if (signal.aborted) {
      world.count('batch handlers that break off');
      for (const undone of runs.slice(index)) undone.isBrokenOff = true;
      if (saysWhatIsDone) for (const done of runs.slice(0, index)) sayDone(done, world);
      return;
    }
    await process.sleep(stepMs);
  }
}

async function prolongSome(runs: readonly HandlerRun[], random: Random): Promise<void> {
  for (const { context } of runs) {
    if (random.chance(0.5)) await context.extendLease(random.magnitude(1_000, 5_000)).catch(() => undefined);
  }
}

function sayDone(run: HandlerRun, world: World): void {
  if (run.context.done === undefined) return; // a context without an answer to its signal
  world.count('handlers that finish all the same');
  run.saidDone = true;
  run.context.done();
}
