import { assertFunction } from '../options/check-options.ts';
import { defined } from '../base/defined.ts';
import { BatchlatchError } from '../base/errors.ts';
import { defaultPorts } from '../functions/default-ports.ts';
import { type CallPorts, endOfInvocation, runOnce } from '../functions/run-once.ts';
import type { Exchange } from './exchange.ts';
import { checkHttpOptions, type HttpIdempotencyOptions, type HttpSettings, httpSettings } from './options.ts';
import { respond, runAndEnds } from './request-ends.ts';
import { keyHeaderOf, workOf } from './request-key.ts';

/** Checks the options once, and returns a function that answers each exchange. */
export function idempotentHttp<Request, Native>(
  handler: unknown,
  options: HttpIdempotencyOptions<Request>,
): (exchange: Omit<Exchange<Native>, 'scope' | 'mayReplay'>, native: Request) => Promise<Native> {
  assertFunction('handler', handler);
  checkHttpOptions(options);
  const ports = defaultPorts(options);
  const { scope, authorizeReplay, onError = warnOfError } = options;
  const settings = { ...httpSettings(options, ports.store.maxResultBytes), onError: harmless(onError) };
  return (exchange, native) => {
    const scopeOf = (): unknown => (typeof scope === 'function' ? scope(native) : scope);
    const mayReplay = (): unknown => (authorizeReplay === undefined ? true : authorizeReplay(native));
    return answerOnce({ scope: scopeOf, mayReplay, ...exchange }, settings, ports);
  };
}

/** Ignores errors of `onError`. */
function harmless(onError: (error: unknown) => void): (error: unknown) => void {
  return (thrown) => {
    try {
      const returned: unknown = onError(thrown);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // Nobody else could be told.
    }
  };
}

/** Safe methods change nothing, so they need no key. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Runs the handler once for the key of a request, and answers repetitions as the draft says. */
async function answerOnce<Native>(
  exchange: Exchange<Native>,
  settings: HttpSettings,
  ports: CallPorts,
): Promise<Native> {
  if (SAFE.has(exchange.request.method)) return exchange.pass();
  const endsAt = endOfInvocation(exchange.remainingTimeMs, ports.clock); // before the first await
  const header = keyHeaderOf(exchange.request, settings);
  if (header.kind === 'missing' && !settings.isRequired) return exchange.pass();
  const work = await workOf(exchange, header, settings);
  if ('status' in work) return exchange.give(work);
  const call = { lockedBy: exchange.lockedBy, endsAt, ...work, ...runAndEnds(exchange, settings) };
  const outcome = await runOnce(call, settings, ports);
  return respond(outcome, exchange, settings, ports.clock);
}

/** The default `onError`: emits a process warning, which Lambda and servers log. */
function warnOfError(error: unknown): void {
  const code = error instanceof BatchlatchError ? error.code : undefined;
  process.emitWarning(error instanceof Error ? error.message : String(error), {
    type: 'BatchlatchWarning',
    ...defined({ code }),
  });
}
