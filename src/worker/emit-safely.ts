import type { EventEmitter } from 'node:events';
import type { WorkerEvents } from './worker.ts';

/** Tells listeners something. What one throws must not harm a message, nor end the process. */
export function emitSafely<Name extends keyof WorkerEvents>(
  emitter: EventEmitter<WorkerEvents>,
  name: Name,
  ...args: WorkerEvents[Name]
): void {
  try {
    (emitter as EventEmitter).emit(name, ...args);
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.name : typeof thrown;
    process.emitWarning(`A listener of a worker's "${name}" threw (${what}); the worker goes on`);
  }
}
