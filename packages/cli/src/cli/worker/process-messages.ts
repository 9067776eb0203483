import type { WorkerHealth } from 'batchlatch/worker';
import type { ExitStatus } from '../process-io.ts';
import type { ProcessPlace } from './process-count.ts';

/** The variable with the place of a process, such as `2/4`. */
export const PLACE_VARIABLE = 'BATCHLATCH_WORK_PROCESS';

/** The interval of health reports. */
export const TELL_EVERY_MS = 1_000;

/** A message from a process to its supervisor. Other messages, from handlers, are ignored. */
export type ProcessMessage =
  | { readonly batchlatch: 'health'; readonly health: WorkerHealth; readonly memoryBytes: number }
  /** Its configuration is invalid, and it ends. */
  | { readonly batchlatch: 'failed'; readonly line: string; readonly status: ExitStatus };

/** The supervisor's message to stop receiving, and to end when the handlers have ended. */
export const STOP = 'batchlatch:stop';

/** Returns the place in the environment, if a supervisor started this process. */
export function placeOf(env: Readonly<Record<string, string | undefined>>): ProcessPlace | undefined {
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(env[PLACE_VARIABLE] ?? '') ?? [];
  if (number === undefined || process.send === undefined) return undefined;
  return { number: Number(number), count: Number(count) };
}

export function isProcessMessage(message: unknown): message is ProcessMessage {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, 'batchlatch');
}
