import type { EventEmitter } from 'node:events';

/** The state of a worker. */
export type WorkerState = 'new' | 'running' | 'paused' | 'stopping' | 'stopped';

/** The events of a worker, with their arguments. */
export interface WorkerEvents {
  /** The state has changed. */
  readonly state: [state: WorkerState];
  /** Messages were received. */
  readonly received: [count: number];
  /** A call of the handler has ended. */
  readonly handled: [
    result: {
      /** How many messages are acknowledged. */
      readonly acknowledged: number;
      /** How many will be delivered again. */
      readonly failed: number;
    },
  ];
  /** The handler threw or rejected. None of its messages is acknowledged. */
  readonly handlerFailed: [error: unknown];
  /** A receive failed. */
  readonly receiveFailed: [
    failure: {
      /** The error. */
      readonly error: Error;
      /** The delay before the next receive, in milliseconds. */
      readonly nextInMs: number;
    },
  ];
  /** The claim store stopped answering (true), so that nothing is received, or answers again (false). */
  readonly storeDown: [isDown: boolean];
  /** A dependency went down or came up. */
  readonly dependencyDown: [
    change: {
      /** The name of the dependency. */
      readonly name: string;
      /** Whether it is down now. */
      readonly isDown: boolean;
    },
  ];
  /** A processed message could not be deleted. It is delivered again, and its claim makes it a duplicate. */
  readonly deleteFailed: [
    failure: {
      /** The id of the message. */
      readonly messageId: string;
      /** The error. */
      readonly error: Error;
    },
  ];
  /** A running message became visible. It is delivered again, and its claim makes it a conflict. */
  readonly visibilityLost: [
    failure: {
      /** The id of the message. */
      readonly messageId: string;
      /** The error. */
      readonly error: Error;
    },
  ];
}

/** Counts since the worker was created. */
export interface WorkerCounters {
  /** Messages received from SQS. */
  readonly received: number;
  /** Messages that the handler's answers acknowledged. */
  readonly acknowledged: number;
  /** Messages that will be delivered again, because an answer named them or their call failed. */
  readonly failed: number;
  /** Messages that SQS has deleted. */
  readonly deleted: number;
  /** Messages of `received` that the worker still held. They do not run a second time beside the first. */
  readonly receivedAgain: number;
  /** Messages that were received and made visible again before they started. */
  readonly handedBack: number;
  /** Receives that failed. */
  readonly receiveErrors: number;
}

export type MutableCounters = { -readonly [Name in keyof WorkerCounters]: WorkerCounters[Name] };

/** The health of a worker: plain data, which one process can send to another. */
export interface WorkerHealth extends Pick<
  Worker,
  'state' | 'counters' | 'running' | 'waiting' | 'setAside' | 'limit' | 'down' | 'pauseReason'
> {
  /** The names that `down` can contain: `claim-store`, and those of `dependencies`. */
  readonly dependencies: readonly string[];
  /** Failed receives since the last successful one. */
  readonly failuresInARow: number;
  /** Whether the queue has answered at least once. */
  readonly isReached: boolean;
  /** The age of the oldest unanswered request to the claim store, in milliseconds; 0 if there is none. */
  readonly storeSilentForMs: number;
  /** The processes that this health sums up, if it is the health of several. */
  readonly processes?: readonly ProcessHealth[];
  /** How many processes were started to replace another. */
  readonly restarts?: number;
}

/** A process that works on a queue together with others. */
export interface ProcessHealth {
  /** The number of its place, from 1. A replacement keeps the number. */
  readonly number: number;
  /** Its process id. */
  readonly pid: number;
  /** The state of its worker. */
  readonly state: WorkerState;
  /** Its resident memory, in bytes. */
  readonly memoryBytes: number;
}

/** The worker of one queue. */
export interface Worker extends Pick<EventEmitter<WorkerEvents>, 'on' | 'once' | 'off'> {
  /** The current state. */
  readonly state: WorkerState;
  /** Counts since the worker was created. */
  readonly counters: WorkerCounters;
  /** Messages in handlers now; after a stop, those whose handlers have not ended. */
  readonly running: number;
  /** Messages that wait for a slot or to run alone. */
  readonly waiting: number;
  /** Messages of `waiting` that wait for their group, their key's rate, or the end of a lease. */
  readonly setAside: number;
  /** The most handlers at once: `maxInFlight`, or the limit that `adaptive` has found. */
  readonly limit: number;
  /** The dependencies that are down, and `claim-store`. While any is, nothing is received or started. */
  readonly down: readonly string[];
  /** The reason given to `pause()`. */
  readonly pauseReason: string | undefined;
  /** Returns the health, for a health endpoint of your own. */
  health(): WorkerHealth;
  /** Starts to receive. Rejects if the queue does not exist or does not answer. */
  start(): Promise<void>;
  /**
   * Stops receiving and starting messages until `resume()`. Running handlers go on.
   *
   * @param reason The reason, for `pauseReason` and the health endpoint.
   */
  pause(reason?: string): void;
  /** Continues after `pause()`. */
  resume(): void;
  /**
   * Stops the worker: it receives nothing more and hands back the messages that have not started. Resolves
   * when running handlers have ended and processed messages are deleted, or after `shutdownTimeoutMs`.
   * Handlers are told to stop before that.
   */
  stop(): Promise<void>;
}

/** The events whose listeners have thrown, for each worker. Each is reported once. */
const told = new WeakMap<object, Set<string>>();

/** Calls the listeners. One that throws or rejects affects no message, other listener or process. */
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
