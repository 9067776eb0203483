import type { Clock } from '../../claims/clock.ts';
import type { DevStack, ScheduleTrigger } from '../stack.ts';
import { scheduledEvent } from './event-envelope.ts';
import { type NextRun, readSchedule } from './schedule-expression.ts';

export interface SchedulesOptions {
  readonly stack: DevStack;
  readonly clock: Clock;
  /** Invokes a function asynchronously. */
  readonly deliver: (functionId: string, event: unknown) => void;
}

/** The schedules of a template. */
export interface Schedules {
  /** Every one, also those that are turned off, and when it runs next by itself, in milliseconds since the epoch. */
  readonly all: readonly Scheduled[];
  /** Runs a schedule now, by its id, also one that is turned off. Throws a `RangeError` if there is none. */
  fire(id: string): void;
  stop(): void;
}

interface Scheduled {
  readonly id: string;
  readonly functionId: string;
  readonly expression: string;
  readonly nextMs: number | undefined;
}

/** A timer waits no longer than it can: 2^31 - 1 ms. */
const LONGEST_WAIT_MS = 2_000_000_000;

/** Runs the template's schedules at their own pace. Throws a `ConfigurationError` for an expression that AWS would refuse. */
export function startSchedules({ stack, clock, deliver }: SchedulesOptions): Schedules {
  const entries = stack.functions.flatMap(({ id: functionId, triggers }) =>
    triggers.flatMap((trigger) =>
      trigger.kind === 'schedule' ? [new Entry(functionId, trigger, { clock, deliver })] : [],
    ),
  );
  for (const entry of entries) entry.start();
  return {
    get all() {
      return entries.map(({ trigger, functionId, nextMs }) => {
        const { id, expression } = trigger;
        return { id, functionId, expression, nextMs };
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
  readonly functionId: string;
  readonly trigger: ScheduleTrigger;
  nextMs: number | undefined;
  readonly #clock: Clock;
  readonly #deliver: SchedulesOptions['deliver'];
  readonly #next: NextRun;
  #cancel: () => void = () => undefined;

  constructor(
    functionId: string,
    trigger: ScheduleTrigger,
    { clock, deliver }: Pick<SchedulesOptions, 'clock' | 'deliver'>,
  ) {
    this.functionId = functionId;
    this.trigger = trigger;
    this.#clock = clock;
    this.#deliver = deliver;
    this.#next = readSchedule(trigger.expression, clock.now(), trigger.timeZone);
  }

  start(): void {
    if (!this.trigger.isEnabled) return;
    this.nextMs = this.#next(this.#clock.now());
    this.#wait();
  }

  run(timeMs: number): void {
    this.#deliver(this.functionId, scheduledEvent(this.trigger, timeMs));
  }

  stop(): void {
    this.#cancel();
    this.nextMs = undefined;
  }

  /** A machine that slept runs once for what it missed. */
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
