import type { Clock } from './clock.ts';
import { Stop, type StopSignal } from './stop.ts';

export interface Limit {
  /** The longest time of a call, in milliseconds. */
  readonly ms: number;
  /** The index of the argument with the signal. Default: the method takes none. */
  readonly signalAt?: number;
  /** The member of that argument for an `AbortSignal`. Default: the argument itself is a `StopSignal`. */
  readonly signalIn?: 'signal' | 'abortSignal';
}

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * Returns an object with the limited methods of `target`. Each call ends with its answer, or with the error
 * of `errorOf` after its limit or when its signal is aborted. The method gets a signal that is aborted then.
 */
export function bounded<Target extends object, Name extends keyof Target & string>(
  target: Target,
  limits: Readonly<Record<Name, Limit>>,
  errorOf: (why: 'silent' | 'given-up', limitMs: number) => Error,
  clock: Clock,
): Pick<Target, Name> {
  const limited = Object.entries<Limit>(limits)
    .filter(([name]) => typeof target[name as Name] === 'function')
    .map(([name, limit]) => [name, limitedMethod(name as Name, limit)]);
  return Object.fromEntries(limited) as Pick<Target, Name>;

  function limitedMethod(name: Name, { ms: limitMs, signalAt = -1, signalIn }: Limit): Method {
    return (...args) => {
      const given = args[signalAt];
      const call = (stop: Stop): Promise<unknown> => {
        const handed = args.slice();
        if (signalIn !== undefined) handed[signalAt] = { ...(given as object), [signalIn]: stop.signal };
        else if (signalAt >= 0) handed[signalAt] = stop;
        return (target[name] as Method)(...handed);
      };
      const signal =
        signalIn === undefined ? given : (given as Partial<Record<string, unknown>> | undefined)?.[signalIn];
      return stoppableCall(call, {
        clock,
        limitMs,
        signal: signal as StopSignal | undefined,
        errorOf: (why) => errorOf(why, limitMs),
      });
    };
  }
}

export interface CallBound {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Ends the wait early, at once if it is already aborted, and is passed to the call. */
  readonly signal?: StopSignal | undefined;
  /** Creates the error of a call that did not answer in time or before its caller gave up. */
  readonly errorOf: (why: 'silent' | 'given-up') => Error;
}

/** Waits for an external call at most `limitMs`, whatever the client. Then aborts its signal. */
export function boundedCall<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  bound: CallBound,
): Promise<Answer> {
  return stoppableCall((stop) => call(stop.signal), bound);
}

/** Like `boundedCall`, for calls that rarely need the signal. `onLate` gets an answer that comes too late. */
export function stoppableCall<Answer>(
  call: (stop: Stop) => Promise<Answer>,
  { clock, limitMs, signal, errorOf }: CallBound,
  onLate?: (answer: Answer) => void,
): Promise<Answer> {
  const stop = new Stop();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      cancel();
      signal?.removeEventListener('abort', giveUp);
      return true;
    };
    const giveUp = (): void => {
      const error = errorOf(signal?.aborted === true ? 'given-up' : 'silent');
      if (end()) reject(error);
      stop.abort(error);
    };
    const cancel = clock.setTimer(giveUp, limitMs);
    if (signal?.aborted === true) giveUp(); // an aborted signal calls no new listeners
    else signal?.addEventListener('abort', giveUp, { once: true });
    started(call, stop).then(
      (answer) => (end() ? resolve(answer) : onLate?.(answer)),
      (error: unknown) => end() && reject(error as Error),
    );
  });
}

/** Turns a synchronous throw into a rejection. */
async function started<Answer>(call: (stop: Stop) => Promise<Answer>, stop: Stop): Promise<Answer> {
  return call(stop);
}
