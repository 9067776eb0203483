import { stoppableCall } from './bounded-call.ts';
import type { Clock } from './clock.ts';
import type { Stop, StopSignal } from './stop.ts';

/** The limit of one method, and how it is told to stop. */
export interface Limit {
  /** The longest that a call takes, in milliseconds. */
  readonly ms: number;
  /** Which argument, from 0, has the signal. Default: the method takes none. */
  readonly signalAt?: number;
  /** The member of the options that this argument is, which gets an `AbortSignal`. Default: the argument is a `StopSignal`. */
  readonly signalIn?: 'signal' | 'abortSignal';
}

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * An object with the methods of `target` that have a limit. Each call ends: with its answer, or with the error of
 * `errorOf` after its limit, or once its signal is aborted. The method gets a signal that is aborted then.
 */
export function bounded<Target extends object, Name extends keyof Target & string>(
  target: Target,
  limits: Readonly<Record<Name, Limit>>,
  errorOf: (why: 'silent' | 'given-up', limitMs: number) => Error,
  clock: Clock,
): Pick<Target, Name> {
  const entries = Object.entries<Limit>(limits).filter(
    ([name]) => typeof target[name as Name] === 'function',
  );
  return Object.fromEntries(
    entries.map(([name, limit]) => [name, limitedMethod(name as Name, limit)]),
  ) as Pick<Target, Name>;

  function limitedMethod(name: Name, { ms: limitMs, signalAt = -1, signalIn }: Limit): Method {
    const call = (args: unknown[], stop: Stop): Promise<unknown> => {
      const given = args.slice();
      if (signalIn !== undefined)
        given[signalAt] = { ...(args[signalAt] as object), [signalIn]: stop.signal };
      else if (signalAt >= 0) given[signalAt] = stop;
      return (target[name] as Method)(...given);
    };
    return (...args) => {
      const given = args[signalAt] as StopSignal | Partial<Record<string, StopSignal>> | undefined;
      const signal =
        signalIn === undefined ? given : (given as Partial<Record<string, StopSignal>>)?.[signalIn];
      return stoppableCall((stop) => call(args, stop), {
        clock,
        limitMs,
        signal: signal as StopSignal | undefined,
        errorOf: (why) => errorOf(why, limitMs),
      });
    };
  }
}
