import { randomUUID } from 'node:crypto';
import type { Clock } from '../../tool-base/clock.ts';
import type { InvocationFailure, Invoke } from '../invoke-result.ts';
import type { SendToQueue } from '../services/send-message.ts';
import type { DevFunction, DevStack } from '../stack.ts';
import {
  type AsynchronousCondition,
  deadLetterAttributes,
  failureRecord,
  type GivenUpEvent,
} from './failure-records.ts';

export interface AsynchronousOptions {
  /** Returns the current template. */
  readonly stack: () => DevStack;
  readonly invoke: Invoke;
  readonly clock: Clock;
  readonly send: SendToQueue;
  /** The delays before the second, third … attempt. Default: 2 and 4 seconds; on AWS, 1 and 2 minutes. */
  readonly retryDelaysMs?: readonly number[];
  /** Called for each event that was given up, with the ARNs of the queues that it was sent to. */
  readonly onGivenUp?: (given: GivenUpEvent, functionId: string, sentTo: readonly string[]) => void;
  /** Called if an event that was given up could not be sent. */
  readonly onTrouble?: (error: unknown, functionId: string) => void;
}

/** Lambda's queue of asynchronous invocations. */
export interface AsynchronousInvocations {
  /** Queues an event, and returns at once. */
  enqueue(functionId: string, event: unknown): void;
  /** The number of events that wait or run. */
  readonly pending: number;
  /** Stops attempts; events that wait are lost. */
  stop(): void;
}

const DELAYS_MS: readonly number[] = [2_000, 4_000];
const FIRST_THROTTLED_DELAY_MS = 1_000;
const LONGEST_THROTTLED_DELAY_MS = 300_000;

/** The note that retries come sooner than on AWS. */
export const RETRIES_ARE_SOONER =
  'Asynchronous invocations that fail are tried again after 2 and 4 seconds; on AWS it is 1 and 2 minutes.';

interface Queued {
  readonly functionId: string;
  readonly event: unknown;
  readonly requestId: string;
  readonly sinceMs: number;
  attempts: number;
  throttledInARow: number;
  failure: InvocationFailure | undefined;
}

/**
 * Invokes functions asynchronously, as Lambda does: retries a failure up to `maximumRetries` times; retries a
 * throttled attempt, which does not count, after 1 second, then 2, up to 5 minutes; sends an event that was
 * given up or is too old to the function's destination and dead-letter queue.
 */
export function asynchronousInvocations(options: AsynchronousOptions): AsynchronousInvocations {
  const queue = new Queue(options);
  return {
    enqueue: (functionId, event) => queue.enqueue(functionId, event),
    get pending() {
      return queue.pending.size;
    },
    stop: () => queue.stop(),
  };
}

class Queue {
  readonly pending = new Set<Queued>();
  readonly #options: AsynchronousOptions;
  readonly #timers = new Map<Queued, () => void>();
  #isStopped = false;

  constructor(options: AsynchronousOptions) {
    this.#options = options;
  }

  enqueue(functionId: string, event: unknown): void {
    if (this.#isStopped) return;
    const queued: Queued = {
      functionId,
      event,
      requestId: randomUUID(),
      sinceMs: this.#options.clock.now(),
      attempts: 0,
      throttledInARow: 0,
      failure: undefined,
    };
    this.pending.add(queued);
    void this.#attempt(queued);
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.pending.clear();
  }

  async #attempt(queued: Queued): Promise<void> {
    const { clock, invoke } = this.#options;
    this.#timers.delete(queued);
    const fn = this.#functionOf(queued);
    // The function may be gone after a change of the template.
    if (fn === undefined) return void this.pending.delete(queued);
    if (clock.now() - queued.sinceMs > fn.asynchronous.maximumAgeMs) {
      return this.#giveUp(queued, fn, 'EventAgeExceeded');
    }
    const result = await invoke(queued.functionId, queued.event, queued.requestId).catch(failureOf);
    if (this.#isStopped) return;
    if (result.ok) return void this.pending.delete(queued);
    queued.failure = result;
    if (result.isThrottled === true) return this.#later(queued, throttledDelay(queued.throttledInARow++));
    queued.attempts += 1;
    queued.throttledInARow = 0;
    if (queued.attempts > fn.asynchronous.maximumRetries) return this.#giveUp(queued, fn, 'RetriesExhausted');
    const delays = this.#options.retryDelaysMs ?? DELAYS_MS;
    this.#later(queued, delays[queued.attempts - 1] ?? delays.at(-1) ?? 0);
  }

  #functionOf({ functionId }: Queued): DevFunction | undefined {
    return this.#options.stack().functions.find(({ id }) => id === functionId);
  }

  #later(queued: Queued, delayMs: number): void {
    this.#timers.set(
      queued,
      this.#options.clock.setTimer(() => void this.#attempt(queued), delayMs),
    );
  }

  async #giveUp(queued: Queued, fn: DevFunction, condition: AsynchronousCondition): Promise<void> {
    const { clock, send, onGivenUp, onTrouble } = this.#options;
    const { event, requestId, attempts, failure, functionId } = queued;
    const given = { fn, event, requestId, attempts, failure, condition, timeMs: clock.now() };
    const { onFailure, deadLetterQueue } = fn.asynchronous;
    const sentTo: string[] = [];
    const sending = async (arn: string, ...message: DropFirst<Parameters<SendToQueue>>): Promise<void> => {
      try {
        await send(arn, ...message);
        sentTo.push(arn);
      } catch (error) {
        onTrouble?.(error, functionId);
      }
    };
    if (onFailure !== undefined) await sending(onFailure, JSON.stringify(failureRecord(given)));
    if (deadLetterQueue !== undefined) {
      await sending(deadLetterQueue, JSON.stringify(event), deadLetterAttributes(given));
    }
    this.pending.delete(queued);
    onGivenUp?.(given, functionId, sentTo);
  }
}

type DropFirst<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

/** Turns a rejection of `invoke` into a failure, so that the event is not lost. */
function failureOf(error: unknown): InvocationFailure {
  return {
    ok: false,
    errorType: 'Error',
    errorMessage: error instanceof Error ? error.message : String(error),
  };
}

function throttledDelay(before: number): number {
  return Math.min(FIRST_THROTTLED_DELAY_MS * 2 ** before, LONGEST_THROTTLED_DELAY_MS);
}
