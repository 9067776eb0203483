import { ChildProcess } from 'node:child_process';
import type { WorkerHealth } from 'batchlatch/worker';
import type { ExitStatus } from '../process-io.ts';
import { isProcessMessage, STOP } from './process-messages.ts';

/** The end of a process. */
export interface ProcessEnd {
  readonly status?: number | null;
  readonly signal?: string | null;
  /** The error that it reported before. */
  readonly error?: { readonly line: string; readonly status: ExitStatus };
}

/** A worker process, seen by its supervisor. */
export class SupervisedProcess {
  readonly number: number;
  /** Resolves to whether it receives; false if it ended before. */
  readonly started: Promise<boolean>;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #health: WorkerHealth | undefined;
  #memoryBytes = 0;
  #silentSeconds = 0;
  #error: ProcessEnd['error'];

  /** `onTold`: called for each health report. */
  constructor(number: number, child: ChildProcess, onTold: () => void) {
    this.number = number;
    this.#child = child;
    this.ended = new Promise((resolve) => {
      const end = (status: number | null, signal: string | null): void =>
        resolve({ status, signal, ...(this.#error !== undefined && { error: this.#error }) });
      child.once('exit', end);
      child.once('error', ({ message: line }) => {
        this.#error ??= { line, status: 1 };
        if (child.pid === undefined) end(1, null); // it could not be started
      });
    });
    this.started = new Promise((resolve) => {
      void this.ended.then(() => resolve(false));
      child.on('message', (message) => {
        if (!isProcessMessage(message)) return;
        if (message.batchlatch === 'failed') {
          this.#error = message;
          return;
        }
        this.#health = message.health;
        this.#memoryBytes = message.memoryBytes;
        this.#silentSeconds = 0;
        resolve(true);
        onTold();
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The last report; undefined until it receives. */
  get health(): WorkerHealth | undefined {
    return this.#health;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Seconds without a report in which the supervisor ran: after a freeze, it has time to report. */
  get silentSeconds(): number {
    return this.#silentSeconds;
  }

  /** Counts a second without a report, and returns `silentSeconds`. */
  tick(): number {
    this.#silentSeconds += 1;
    return this.#silentSeconds;
  }

  /** Tells it to stop receiving, and to end when its handlers have ended. */
  stop(): void {
    if (this.#child.connected) this.#child.send(STOP, () => undefined); // it may end meanwhile
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Starts a process. Where the system has no memory for it, Node throws: that is an error of the process. */
export function processOf(start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    const failed = new ChildProcess();
    setImmediate(() => failed.emit('error', error));
    return failed;
  }
}
