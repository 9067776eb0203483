import type { ChildProcess } from 'node:child_process';

/** A stream that people may read. */
export interface OutputStream {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
}

/** What a command knows of the process it runs in: tests give their own. */
export interface ProcessIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  now(): number;
  /** Aborted when the command is to stop, as by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds, or when `signal` is aborted. */
  sleep(ms: number): Promise<void>;
  /** Ends the process shortly after the command, whatever code of others, which it has loaded, still keeps open. */
  endSoon(): void;
  /** How a command starts further processes; undefined where commands run inside another program, as in tests. */
  readonly processes?: Processes;
  /** Who runs it: `user@host`. */
  operator(): string;
}

/** Copies of this program, for a command that runs in several processes. */
export interface Processes {
  /** Starts this program again, with the same arguments and these variables more. A second signal kills it. */
  startAgain(env: Readonly<Record<string, string>>): ChildProcess;
  /** Calls this at each SIGHUP, which does not end the process from then on. */
  onHangUp(listener: () => void): void;
}

/** 0: fine. 1: something was refused, failed or found. 2: wrong usage. */
export type ExitStatus = 0 | 1 | 2;
