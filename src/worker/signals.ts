import type { Worker } from './worker.ts';

/** The exit status of a process that a signal has ended, as shells tell it. */
const STATUS_OF = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;

/** What asks a process to end: `SIGTERM` of a container's platform, `SIGINT` of Ctrl-C, `SIGHUP` of a terminal that is closed. */
export type StopSignalName = keyof typeof STATUS_OF;

export const STOP_SIGNALS = Object.keys(STATUS_OF) as readonly StopSignalName[];

export function isStopSignal(value: unknown): value is StopSignalName {
  return typeof value === 'string' && Object.hasOwn(STATUS_OF, value);
}

/** The part of `process` that is used; tests have one of their own. */
export interface SignalSource {
  on(signal: StopSignalName, listener: (signal: StopSignalName) => void): unknown;
  off(signal: StopSignalName, listener: (signal: StopSignalName) => void): unknown;
  exit(status: number): void;
}

/**
 * From the start of the worker until it has stopped: the first of these signals stops it, and the next ends the process. Afterwards
 * signals do again what they do by themselves.
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
