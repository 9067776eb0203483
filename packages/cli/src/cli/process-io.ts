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
  /** Who runs it: `user@host`. */
  operator(): string;
}

/** 0: fine. 1: something was refused, failed or found. 2: wrong usage. */
export type ExitStatus = 0 | 1 | 2;
