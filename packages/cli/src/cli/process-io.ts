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
  /** Returns who runs the command: `user@host`. */
  operator(): string;
}

/** 0: success. 1: something was refused, failed or was found. 2: wrong usage. */
export type ExitStatus = 0 | 1 | 2;
