import type { Worker } from './worker.ts';

/** The exit status for each signal, as shells report it. */
const STATUS_OF = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;

/** The signals that ask a process to end: from a container's platform, Ctrl-C, or a closed terminal. */
export type StopSignalName = keyof typeof STATUS_OF;

export const STOP_SIGNALS = Object.keys(STATUS_OF) as readonly StopSignalName[];

export function isStopSignal(value: unknown): value is StopSignalName {
  return typeof value === 'string' && Object.hasOwn(STATUS_OF, value);
}

/** The used part of `process`, so that tests can pass their own. */
export interface SignalSource {
  on(signal: StopSignalName, listener: (signal: StopSignalName) => void): unknown;
  off(signal: StopSignalName, listener: (signal: StopSignalName) => void): unknown;
  exit(status: number): void;
}

/**
 * Stops the worker at the first of these signals, and ends the process at the next. Restores the default
 * behaviour when the worker has stopped.
 */
export function stopAtSignals(
  worker: Pick<Worker, 'stop' | 'on'>,
  signals: readonly StopSignalName[],
  source: SignalSource,
): void {
  let isStopping = false;
  const onSignal = (signal: StopSignalName): void => {
    if (isStopping) {
      source.exit(STATUS_OF[signal]);
      return;
    }
    isStopping = true;
    void worker.stop();
  };
  const listened = new Set(signals);
  let isListening = false;
  worker.on('state', (state) => {
    const listens = state !== 'stopped';
    if (listens === isListening) return;
    isListening = listens;
    for (const signal of listened) source[listens ? 'on' : 'off'](signal, onSignal);
  });
}
