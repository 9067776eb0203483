import { leaseClock } from '../functions/lease-clock.ts';
import { type Call, type RunPorts, runOnce } from '../functions/run-once.ts';
import type { Exchange } from './exchange.ts';
import { fingerprint } from './fingerprint.ts';
import type { HttpSettings } from './options.ts';
import { respond } from './outcome-response.ts';
import { keyHeaderOf, keyOf, ownerOf } from './request-key.ts';
import { workOf } from './request-work.ts';

/** Safe methods change nothing, so there is nothing to protect. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Runs the handler of one request once for its key, and answers every repetition as the draft says. */
export async function answerOnce<Native>(
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
  const call: Call = {
    key,
    payloadHash: fingerprint(request, body),
    lockedBy: exchange.lockedBy,
    leases,
  };
  const outcome = await runOnce(call, workOf(exchange, settings), settings, ports);
  return respond(outcome, exchange, settings, ports, onError);
}
