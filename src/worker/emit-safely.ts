import type { EventEmitter } from 'node:events';
import type { WorkerEvents } from './worker.ts';

/** Of which events a worker's listeners have thrown: that is told once. */
const told = new WeakMap<object, Set<string>>();

/**
 * Tells listeners something. What one throws, or its promise rejects with, must not harm a message, nor keep it from the other
 * listeners, nor end the process.
 */
export function emitSafely<Name extends keyof WorkerEvents>(
  emitter: EventEmitter<WorkerEvents>,
  name: Name,
  ...args: WorkerEvents[Name]
): void {
  const all = (emitter as EventEmitter).rawListeners(name) as ((...args: unknown[]) => unknown)[];
  for (const listener of all) {
    try {
      const answer = listener.apply(emitter, args);
      if (answer instanceof Promise) answer.catch((reason: unknown) => warn(emitter, name, reason));
    } catch (thrown) {
      warn(emitter, name, thrown);
    }
  }
}

function warn(emitter: object, name: string, thrown: unknown): void {
  const names = told.get(emitter) ?? new Set();
  if (names.has(name)) return;
  told.set(emitter, names.add(name));
  const what = thrown instanceof Error ? thrown.name : typeof thrown;
  process.emitWarning(`A listener of a worker's "${name}" threw (${what}); the worker goes on`);
}
