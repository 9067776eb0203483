import type { EventEmitter } from 'node:events';

/** What a worker does. */
export type WorkerState = 'new' | 'running' | 'paused' | 'stopping' | 'stopped';

/** What a worker tells, by name. Nothing has to listen. */
export interface WorkerEvents {
  /** The state has changed. */
  readonly state: [state: WorkerState];
  /** Messages were received. */
  readonly received: [count: number];
  /** A call of the handler has ended: how many of its messages are acknowledged, and how many come again. */
  readonly handled: [
    result: {
      /** How many messages are acknowledged. */
      readonly acknowledged: number;
      /** How many come again. */
      readonly failed: number;
    },
  ];
  /** The handler itself failed: none of its messages is acknowledged. */
  readonly handlerFailed: [error: unknown];
  /** A receive failed; the next is tried in so many milliseconds. */
  readonly receiveFailed: [
    failure: {
      /** Why. */
      readonly error: Error;
      /** When the next is tried, in milliseconds from now. */
      readonly nextInMs: number;
    },
  ];
  /** The claim store does not answer, so that nothing is received and nothing starts for a while; false: it answers again. */
  readonly storeDown: [isDown: boolean];
  /** The same for one of `dependencies`. */
  readonly dependencyDown: [
    change: {
      /** Which dependency. */
      readonly name: string;
      /** Whether it is down now. */
      readonly isDown: boolean;
    },
  ];
  /** A message that is done could not be deleted: it comes again, and its claim says that it is done. */
  readonly deleteFailed: [
    failure: {
      /** Which message. */
      readonly messageId: string;
      /** Why. */
      readonly error: Error;
    },
  ];
  /** A message that runs could not be kept invisible: it comes again, and its claim says that it runs. */
  readonly visibilityLost: [
    failure: {
      /** Which message. */
      readonly messageId: string;
      /** Why. */
      readonly error: Error;
    },
  ];
}

/** What a worker has done since it was made. */
export interface WorkerCounters {
  /** Messages that SQS gave. */
  readonly received: number;
  /** Messages that the handler's answers acknowledged. */
  readonly acknowledged: number;
  /** Messages that come again, because an answer named them, or their call failed. */
  readonly failed: number;
  /** Messages that SQS has deleted. */
  readonly deleted: number;
  /** Of `received`: messages that were still here when they came again. They do not run a second time beside the first. */
  readonly receivedAgain: number;
  /** Messages that were received, and shown again before they had started. */
  readonly handedBack: number;
  /** Receives that failed. */
  readonly receiveErrors: number;
}

/** Counters that the parts of a worker write. */
export type MutableCounters = { -readonly [Name in keyof WorkerCounters]: WorkerCounters[Name] };

/** How a worker is: plain data, so that it can be sent from one process to another. */
export interface WorkerHealth extends Pick<
  Worker,
  'state' | 'counters' | 'running' | 'waiting' | 'setAside' | 'limit' | 'down' | 'pauseReason'
> {
  /** What can be down: `claim-store`, and the names of `dependencies`. */
  readonly dependencies: readonly string[];
  /** Receives that failed since the last one that did not. */
  readonly failuresInARow: number;
  /** Whether the queue has answered at least once. */
  readonly isReached: boolean;
  /** For how long the claim store has left a request unanswered, in milliseconds; 0: it has answered all. */
  readonly storeSilentForMs: number;
  /** The processes whose health this is, if it is the health of several. */
  readonly processes?: readonly ProcessHealth[];
  /** How many processes were started in place of one that had ended or was replaced. */
  readonly restarts?: number;
}

/** One of several processes that work a queue. */
export interface ProcessHealth {
  /** The number of its place, from 1. A process that replaces another has the same. */
  readonly number: number;
  /** Its process id. */
  readonly pid: number;
  /** What its worker does. */
  readonly state: WorkerState;
  /** Its resident memory, in bytes. */
  readonly memoryBytes: number;
}

/** A process's work on one queue. */
export interface Worker extends Pick<EventEmitter<WorkerEvents>, 'on' | 'once' | 'off'> {
  /** What it does now. */
  readonly state: WorkerState;
  /** What it has done so far. */
  readonly counters: WorkerCounters;
  /** Messages in handlers now; after a stop, those whose handlers have not ended. */
  readonly running: number;
  /** Messages that wait, for a slot or to run alone. */
  readonly waiting: number;
  /** Of them, those that wait for others of their group, for their key's rate, or for the end of a lease. */
  readonly setAside: number;
  /** How many handlers may run at once: `maxInFlight`, or what `adaptive` has found out. */
  readonly limit: number;
  /** What is down, so that nothing is received and nothing starts: names of `dependencies`, and `claim-store`. */
  readonly down: readonly string[];
  /** Why it is paused, as `pause()` was told. */
  readonly pauseReason: string | undefined;
  /** Returns how it is, which the health endpoint tells. For an endpoint of your own. */
  health(): WorkerHealth;
  /** Begins to receive. Rejects where the queue does not exist or does not answer. */
  start(): Promise<void>;
  /**
   * Receives nothing and starts nothing for a while; what runs goes on. The health endpoint tells the reason.
   *
   * @param reason Why, in words; `pauseReason` and the health endpoint tell it.
   */
  pause(reason?: string): void;
  /** Receives and starts again. */
  resume(): void;
  /**
   * Receives nothing more, hands back what has not started, and resolves when what runs has ended and what is done is deleted, or
   * when `shutdownTimeoutMs` is over: handlers are told to stop before that.
   */
  stop(): Promise<void>;
}

/** Of which events a worker's listeners have thrown: that is told once. */
const told = new WeakMap<object, Set<string>>();

/** Calls listeners. What one throws, or rejects with, harms no message, no other listener and not the process. */
export function emitSafely<Name extends keyof WorkerEvents>(
  emitter: EventEmitter<WorkerEvents>,
  name: Name,
  ...args: WorkerEvents[Name]
): void {
  const all = (emitter as EventEmitter).rawListeners(name) as ((...args: unknown[]) => unknown)[];
  for (const listener of all) {
    try {
      const answer = listener.apply(emitter, args);
      if (answer instanceof Promise) answer.catch((reason: unknown) => warn(emitter, name, reason));
    } catch (thrown) {
      warn(emitter, name, thrown);
    }
  }
}

function warn(emitter: object, name: string, thrown: unknown): void {
  const names = told.get(emitter) ?? new Set();
  if (names.has(name)) return;
  told.set(emitter, names.add(name));
  const what = thrown instanceof Error ? thrown.name : typeof thrown;
  process.emitWarning(`A listener of a worker's "${name}" threw (${what}); the worker goes on`);
}
