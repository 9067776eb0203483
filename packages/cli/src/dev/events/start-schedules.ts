import type { Clock } from '../../tool-base/clock.ts';
import type { DevStack, QueueTarget, ScheduleTrigger } from '../stack.ts';
import { scheduledEvent } from './event-envelope.ts';
import { type NextRun, readSchedule } from './schedule-expression.ts';

export interface SchedulesOptions {
  readonly stack: DevStack;
  readonly clock: Clock;
  /** Invokes a function asynchronously. */
  readonly deliver: (functionId: string, event: unknown) => void;
  /** Sends an event to a queue. */
  readonly sendTo: (target: QueueTarget, event: unknown) => void;
}

/** The schedules of a template. */
export interface Schedules {
  /** All schedules, also disabled ones. `nextMs`: the next scheduled run, in epoch milliseconds. */
  readonly all: readonly Scheduled[];
  /** Runs a schedule now, also a disabled one. Throws a `RangeError` for an unknown id. */
  fire(id: string): void;
  stop(): void;
}

interface Scheduled {
  readonly id: string;
  /** The id of a function, or the ARN of a queue. */
  readonly target: string;
  readonly expression: string;
  readonly nextMs: number | undefined;
}

/** Below the longest delay of a timer: 2^31 - 1 ms. */
const LONGEST_WAIT_MS = 2_000_000_000;

/** Runs the template's schedules. Throws a `ConfigurationError` for an expression that AWS would refuse. */
export function startSchedules({ stack, clock, deliver, sendTo }: SchedulesOptions): Schedules {
  const entries = [
    ...stack.functions.flatMap(({ id, triggers }) =>
      triggers.flatMap((trigger) =>
        trigger.kind === 'schedule' ? [new Entry(id, trigger, clock, (event) => deliver(id, event))] : [],
      ),
    ),
    ...stack.queueTargets.flatMap((target) => {
      const { trigger, queueArn } = target;
      if (trigger.kind !== 'schedule') return [];
      return [new Entry(queueArn, trigger, clock, (event) => sendTo(target, event))];
    }),
  ];
  for (const entry of entries) entry.start();
  return {
    get all() {
      return entries.map(({ trigger, target, nextMs }) => {
        const { id, expression } = trigger;
        return { id, target, expression, nextMs };
      });
    },
    fire(id) {
      const entry = entries.find(({ trigger }) => trigger.id === id);
      if (entry === undefined) throw new RangeError(`There is no schedule ${id}`);
      entry.run(clock.now());
    },
    stop() {
      for (const entry of entries) entry.stop();
    },
  };
}

class Entry {
  readonly target: string;
  readonly trigger: ScheduleTrigger;
  nextMs: number | undefined;
  readonly #clock: Clock;
  readonly #hand: (event: unknown) => void;
  readonly #next: NextRun;
  #cancel: () => void = () => undefined;

  constructor(target: string, trigger: ScheduleTrigger, clock: Clock, hand: (event: unknown) => void) {
    this.target = target;
    this.trigger = trigger;
    this.#clock = clock;
    this.#hand = hand;
    this.#next = readSchedule(trigger, clock.now());
  }

  start(): void {
    if (!this.trigger.isEnabled) return;
    this.nextMs = this.#next(this.#clock.now());
    this.#wait();
  }

  run(timeMs: number): void {
    this.#hand(scheduledEvent(this.trigger, timeMs));
  }

  stop(): void {
    this.#cancel();
    this.nextMs = undefined;
  }

  /** Waits for the next run. After the machine slept, it runs once for all missed times. */
  #wait(): void {
    const { nextMs } = this;
    if (nextMs === undefined) return;
    this.#cancel = this.#clock.setTimer(
      () => {
        const now = this.#clock.now();
        if (now >= nextMs) {
          this.nextMs = this.#next(now);
          this.run(nextMs);
        }
        this.#wait();
      },
      Math.min(nextMs - this.#clock.now(), LONGEST_WAIT_MS),
    );
  }
}
