import type { Invocation } from '../queue/invocation.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';

/** Longer than any back-off between two calls: who has nothing under way for as long waits for nobody. */
const IDLE_MS = 5_000;
/** Longer than any handler, and than what a call may take in all. */
const STUCK_MS = 15 * 60_000;

interface Activity {
  /** Handlers that run and calls to the store or to SQS that are not answered. */
  underWay: number;
  /** When one of those began or ended, in true time. */
  changedAt: number;
}

/** Sees that invocations end: in their time where they have one, and nowhere by waiting for nothing. */
export class InvocationWatch {
  readonly #world: World;
  readonly #activities = new Map<Invocation, Activity>();

  constructor(world: World) {
    this.#world = world;
  }

  began(invocation: Invocation): void {
    const others = [...this.#activities.keys()].filter(({ isOver }) => !isOver);
    if (others.some(({ process }) => process === invocation.process)) {
      this.#world.count('invocations that overlap in a process');
    }
    this.#activities.set(invocation, { underWay: 0, changedAt: this.#world.now });
    this.#lookAgain(invocation, this.#world.now + IDLE_MS);
  }

  /** A handler or a call of this invocation has begun; the returned function says that it has ended. */
  underWay(invocation: Invocation | undefined): () => void {
    const activity = invocation && this.#activities.get(invocation);
    if (activity === undefined) return () => undefined;
    const change = (by: number): void => {
      activity.underWay += by;
      activity.changedAt = this.#world.now;
    };
    change(1);
    let hasEnded = false;
    return () => {
      if (!hasEnded) change(-1);
      hasEnded = true;
    };
  }

  /** The same for a call of which nobody knows whose it is. */
  underWayIn(process: SimProcess): () => void {
    const ends = [...this.#activities.keys()]
      .filter((invocation) => invocation.process === process)
      .map((invocation) => this.underWay(invocation));
    return () => ends.forEach((end) => end());
  }

  /** What the process waits for as long as it takes ends by the deadline, and the answer leaves before Lambda's own. */
  timedOut({ id, marginMs, startedAt, process }: Invocation): void {
    const { consumer } = this.#world.scenario;
    if (consumer === 'calls' || process.hasStoodStillSince(startedAt) || marginMs < LEAST_MARGIN_MS) return;
    this.#world.report('invocations-end', `${id} did not answer within its ${marginMs} ms of margin`);
  }

  #look(invocation: Invocation): void {
    const { now } = this.#world;
    const { id, isOver, process, stopsAt } = invocation;
    const activity = this.#activities.get(invocation);
    if (isOver || activity === undefined || now >= stopsAt) {
      this.#activities.delete(invocation);
      return;
    }
    const mostMs = activity.underWay === 0 ? IDLE_MS : STUCK_MS;
    const isQuiet =
      now - activity.changedAt >= mostMs && !process.isFrozen && !process.hasStoodStillSince(now - mostMs);
    if (!isQuiet) {
      this.#lookAgain(invocation, Math.max(activity.changedAt, now - IDLE_MS / 2) + IDLE_MS);
    } else if (activity.underWay === 0) {
      this.#world.report('invocations-go-on', `${id} has waited for ${mostMs} ms, and nothing is under way`);
    } else {
      this.#world.report('invocations-end', `${id} has waited for an answer for ${mostMs / 60_000} minutes`);
    }
  }

  #lookAgain(invocation: Invocation, at: number): void {
    const { now, scheduler } = this.#world;
    // In order: a look draws nothing, so that it changes nothing of the run.
    scheduler.after(at - now, () => this.#look(invocation), { inOrder: true });
  }
}

/** With less there is no time to answer in. */
const LEAST_MARGIN_MS = 200;
