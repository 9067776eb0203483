import type { EventEmitter } from 'node:events';
import type { WorkerEvents } from './worker.ts';

/** Of which events a worker's listeners have thrown: that is told once. */
const told = new WeakMap<object, Set<string>>();

/** Tells listeners something. What one throws must not harm a message, nor end the process. */
export function emitSafely<Name extends keyof WorkerEvents>(
  emitter: EventEmitter<WorkerEvents>,
  name: Name,
  ...args: WorkerEvents[Name]
): void {
  try {
    (emitter as EventEmitter).emit(name, ...args);
  } catch (thrown) {
    warnOfListener(emitter, name, thrown);
  }
}

/** What a listener threw, or its promise rejected with. */
export function warnOfListener(emitter: object, name: string, thrown: unknown): void {
  const names = told.get(emitter) ?? new Set();
  if (names.has(name)) return;
  told.set(emitter, names.add(name));
  const what = thrown instanceof Error ? thrown.name : typeof thrown;
  process.emitWarning(`A listener of a worker's "${name}" threw (${what}); the worker goes on`);
}
