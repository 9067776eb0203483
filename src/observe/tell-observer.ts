import type { ObservedAttempt, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** Calls an observer or a log, and ignores errors and rejections. */
export function harmless(tell: () => unknown): void {
  try {
    const returned = tell();
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // Observers must not harm what they observe.
  }
}

/** Calls `run` once, inside the observer's `aroundHandler` if it has one. */
export function callAround(
  observer: Observer,
  attempts: readonly ObservedAttempt[],
  invocation: ObservedInvocation,
  run: () => void,
): void {
  callOnceIn((once) => observer.aroundHandler?.(attempts, invocation, once), run);
}

/** Calls `run` once: inside `around`, or after it if `around` does not call its argument. */
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
