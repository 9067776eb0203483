import { assertFunction } from '../options/check-options.ts';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
import { BatchlatchError } from '../base/errors.ts';
import { defaultPorts } from '../functions/default-ports.ts';
import { leaseClock } from '../functions/lease-clock.ts';
import { type Call, runOnce, type RunPorts } from '../functions/run-once.ts';
import type { Answered, Exchange } from './exchange.ts';
import {
  checkHttpOptions,
  type HttpIdempotencyOptions,
  type HttpSettings,
  resolveHttpOptions,
} from './options.ts';
import { respond } from './outcome-response.ts';
import { fingerprint, keyHeaderOf, keyOf, ownerOf } from './request-key.ts';
import { calleeOf } from './request-call.ts';

/** What both kinds of handlers have in common: the options, once, and then an answer for each exchange. */
export function idempotentHttp<Request, Native>(
  handler: unknown,
  options: HttpIdempotencyOptions<Request>,
): (exchange: Omit<Exchange<Native>, 'scope' | 'mayReplay'>, native: Request) => Promise<Native> {
  assertFunction('handler', handler);
  checkHttpOptions(options);
  const given = defaultPorts(options);
  const ports = { ...given, unstarted: unstartedClaims(given.store) };
  const settings = resolveHttpOptions(options, ports.store.maxResultBytes);
  const onError = harmless(options.onError ?? warnOfError);
  const { scope, authorizeReplay } = options;
  return (exchange, native) => {
    const scopeOf = (): unknown => (typeof scope === 'function' ? scope(native) : scope);
    const mayReplay = async (): Promise<unknown> =>
      authorizeReplay === undefined ? true : authorizeReplay(native);
    return answerOnce({ ...exchange, scope: scopeOf, mayReplay }, settings, ports, onError);
  };
}

/** An error of `onError` changes nothing. */
function harmless(onError: (error: unknown) => void): (error: unknown) => void {
  return (thrown) => {
    try {
      const returned: unknown = onError(thrown);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // There is no one else to report it to.
    }
  };
}

/** Safe methods change nothing, so there is nothing to protect. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Runs the handler of one request once for its key, and answers every repetition as the draft says. */
async function answerOnce<Native>(
  exchange: Exchange<Native>,
  settings: HttpSettings,
  ports: RunPorts,
  onError: (error: unknown) => void,
): Promise<Native> {
  const { request, give } = exchange;
  const { problem } = settings;
  if (SAFE.has(request.method)) return exchange.pass();

  const leases = leaseClock(settings.leaseMs, exchange.remainingTimeMs, ports.clock); // before anything is waited for
  const header = keyHeaderOf(request, settings, onError);
  if (header.kind === 'missing') {
    if (!settings.isRequired) return exchange.pass();
    return give(problem('key-missing', `This operation needs the header \`${settings.header}\`.`));
  }
  if (header.kind === 'malformed') {
    return give(
      problem('key-malformed', `The header \`${settings.header}\` cannot be used: ${header.reason}.`),
    );
  }

  const owner = await ownerOf(exchange, onError);
  if (owner === undefined) {
    return give(problem('caller-unknown', 'The request does not say whose idempotency key it carries.'));
  }
  const key = keyOf(owner, header.key, settings, onError);
  if (key === undefined) {
    return give(
      problem(
        'key-malformed',
        `The header \`${settings.header}\` cannot be used: it is too long for this caller.`,
      ),
    );
  }
  const body = await request.body(settings.maxBodyBytes);
  if (body === 'too large') {
    return give(problem('body-too-large', `The body is larger than ${settings.maxBodyBytes} bytes.`));
  }
  const call: Call<Answered<Native>> = {
    ...calleeOf(exchange, settings),
    key,
    payloadHash: fingerprint(request, body),
    lockedBy: exchange.lockedBy,
    leases,
  };
  const outcome = await runOnce(call, settings, ports);
  return respond(outcome, exchange, settings, ports, onError);
}

/** The default `onError`: a process warning, which Lambda and servers write to their log. */
function warnOfError(error: unknown): void {
  const code = error instanceof BatchlatchError ? error.code : undefined;
  process.emitWarning(error instanceof Error ? error.message : String(error), {
    type: 'BatchlatchWarning',
    ...(code !== undefined && { code }),
  });
}
