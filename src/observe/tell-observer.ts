import type { ObservedAttempt, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** Tells an observer something. Neither what it throws nor a rejection may change what happens, or end the process. */
export function harmless(tell: () => unknown): void {
  try {
    const returned = tell();
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // An error of the observer must not harm a record.
  }
}

/** Calls `run` once inside of what the observer puts around it, or without that where the observer does not call it. */
export function callAround(
  observer: Observer,
  attempts: readonly ObservedAttempt[],
  invocation: ObservedInvocation,
  run: () => void,
): void {
  callOnceIn((once) => observer.aroundHandler?.(attempts, invocation, once), run);
}

/** Calls `run` once: inside of `around`, or after it where it does not call what it is given. */
export function callOnceIn(around: (once: () => void) => unknown, run: () => void): void {
  let isCalled = false;
  const once = (): void => {
    if (isCalled) return;
    isCalled = true;
    run();
  };
  harmless(() => around(once));
  once();
}
