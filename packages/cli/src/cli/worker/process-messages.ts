import type { WorkerHealth } from 'batchlatch/worker';
import type { ExitStatus } from '../process-io.ts';
import type { ProcessPlace } from './process-count.ts';

/** Tells a process of `work` its place, such as `2/4`. */
export const PLACE_VARIABLE = 'BATCHLATCH_WORK_PROCESS';

/** How often a process tells how it is. */
export const TELL_EVERY_MS = 1_000;

/** Told by a process to its supervisor. Handlers may send messages of their own, which are ignored. */
export type ProcessMessage =
  | { readonly batchlatch: 'health'; readonly health: WorkerHealth; readonly memoryBytes: number }
  /** It cannot work as it is configured, and ends. */
  | { readonly batchlatch: 'failed'; readonly line: string; readonly status: ExitStatus };

/** Told by the supervisor: receive nothing more, and end when what runs has ended. */
export const STOP = 'batchlatch:stop';

/** Returns the place that the environment names, if this process was started by a supervisor. */
export function placeOf(env: Readonly<Record<string, string | undefined>>): ProcessPlace | undefined {
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(env[PLACE_VARIABLE] ?? '') ?? [];
  if (number === undefined || process.send === undefined) return undefined;
  return { number: Number(number), count: Number(count) };
}

export function isProcessMessage(message: unknown): message is ProcessMessage {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, 'batchlatch');
}
