import type { Attempt, InvocationScope } from './attempt.ts';
import { DeadlineError } from './errors.ts';
import type { HandlerEnd } from './handler-end.ts';
import { HandlerRun, type RunsTogether } from './handler-run.ts';
import type { RecordHandler } from './record-handler.ts';

/** The handlers that run now, to be told when it is time to stop. */
export type RunningHandlers = Set<HandlerRun>;

/** What an attempt runs. */
export interface Run {
  readonly handler: RecordHandler;
  /** The runs of the same call of a batch handler. */
  readonly together?: RunsTogether;
}

/** Runs the handler of one attempt, and tells the observer when it starts and how it ends. */
export async function runAttempt(
  attempt: Attempt,
  { handler, together }: Run,
  scope: InvocationScope,
  runningHandlers: RunningHandlers,
): Promise<HandlerEnd> {
  const { clock, observer } = scope.ports;
  const { recordId, key, owner, attempt: number } = attempt.facts; // spread, for thousands of records, it is dear
  const startedAt = clock.now();
  observer.onEvent({ type: 'started', recordId, key, owner, attempt: number });

  const run = new HandlerRun(attempt, scope, together);
  runningHandlers.add(run);
  const end = await run.run(handler);
  runningHandlers.delete(run);

  const durationMs = clock.now() - startedAt;
  if (end.kind === 'returned') {
    observer.onEvent({ type: 'succeeded', recordId, key, owner, attempt: number, durationMs });
  } else {
    const type = end.kind === 'threw' ? 'failed' : 'abandoned';
    observer.onEvent({ type, ...attempt.facts, durationMs, error: end.error });
  }
  return end;
}

/** Why handlers are stopped at the end of the invocation. */
export function deadlineReached(cause?: unknown): Error {
  return new DeadlineError({ cause });
}
