import type { ChildProcess } from 'node:child_process';

/** A stream that may be a terminal. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The process that a command runs in; tests pass their own. */
export interface ProcessIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  now(): number;
  /** Aborted when the command has to stop, as on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves after `ms`, or when `signal` is aborted. */
  sleep(ms: number): Promise<void>;
  /** Ends the process shortly after the command, even if loaded code keeps it alive. */
  endSoon(): void;
  /** From now on, a closed pipe of standard output stops the command, in place of ending the process. */
  stopOnClosedPipe?(): void;
  /** Starts further processes; undefined if commands run inside another program, as in tests. */
  readonly processes?: Processes;
  /** Returns who runs the command: `user@host`. */
  operator(): string;
}

/** Copies of this program, for a command that runs in several processes. */
interface Processes {
  /** Starts this program again, with the same arguments and these variables. A second signal kills it. */
  startAgain(env: Readonly<Record<string, string>>): ChildProcess;
  /** Calls this at each SIGHUP, which does not end the process from then on. */
  onHangUp(listener: () => void): void;
}

/** 0: success. 1: something was refused, failed or was found. 2: wrong usage. */
export type ExitStatus = 0 | 1 | 2;
