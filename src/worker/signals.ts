import type { Worker } from './worker.ts';

/** What asks a process to end: a container's platform, and Ctrl-C. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The exit status of a process that a signal has ended, as shells tell it. */
const STATUS_OF = { SIGTERM: 143, SIGINT: 130 } as const;

/** The part of `process` that is used; tests have one of their own. */
export interface SignalSource {
  on(signal: (typeof SIGNALS)[number], listener: (signal: (typeof SIGNALS)[number]) => void): unknown;
  off(signal: (typeof SIGNALS)[number], listener: (signal: (typeof SIGNALS)[number]) => void): unknown;
  exit(status: number): void;
}

/** Stops the worker at the first signal, and ends the process at the second. Gives what takes the listeners away again. */
export function stopAtSignals(worker: Pick<Worker, 'stop'>, source: SignalSource): () => void {
  let isStopping = false;
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (isStopping) {
      source.exit(STATUS_OF[signal]);
      return;
    }
    isStopping = true;
    void worker.stop();
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
  };
}
