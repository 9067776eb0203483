import QuickLRU from 'quick-lru';
import { boundedCall } from '../base/bounded.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { hasCode } from '../base/errors.ts';
import { DecodeError } from '../sources/decode-step.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** Schemas never change, so only their number limits how long they are kept. */
const MOST_SCHEMAS = 1_000;

/** Long enough for a batch to ask a silent registry once, short enough for its next delivery to ask again. */
const FAILURE_MS = 5_000;

interface Failure {
  readonly error: DecodeError;
  readonly until: number;
}

export interface SchemaCacheOptions<Compiled> {
  readonly registry: SchemaRegistry;
  readonly timeoutMs: number;
  /** Prepares a schema for decoding; throws if it is not one. */
  compile(registered: RegisteredSchema): Compiled;
  readonly clock?: Clock;
}

/**
 * Returns a function that fetches and compiles each schema once. Concurrent calls share a request, which
 * belongs to none of their invocations: it ends by `timeoutMs` alone. A failure is repeated for five seconds.
 */
export function schemaCache<Compiled>(
  options: SchemaCacheOptions<Compiled>,
): (id: string) => Promise<Compiled> {
  const { clock = systemClock } = options;
  const known = new QuickLRU<string, Promise<Compiled>>({ maxSize: MOST_SCHEMAS });
  // Kept apart: ids that a hostile producer made up must not displace schemas.
  const failures = new QuickLRU<string, Failure>({ maxSize: MOST_SCHEMAS });
  const asked = new Map<string, Promise<Compiled>>();

  return (id) => {
    const found = known.get(id) ?? asked.get(id);
    if (found !== undefined) return found;
    const failure = failures.get(id);
    if (failure !== undefined && clock.now() < failure.until) return Promise.reject(failure.error);
    const fetched = fetchSchema(id, options, clock);
    asked.set(id, fetched);
    fetched.then(
      () => {
        asked.delete(id);
        failures.delete(id);
        known.set(id, fetched);
      },
      (error: DecodeError) => {
        asked.delete(id);
        failures.set(id, { error, until: clock.now() + FAILURE_MS });
      },
    );
    return fetched;
  };
}

async function fetchSchema<Compiled>(
  id: string,
  { registry, timeoutMs, compile }: SchemaCacheOptions<Compiled>,
  clock: Clock,
): Promise<Compiled> {
  const call = async (signal: AbortSignal) => registry.schemaOf(id, { signal });
  const errorOf = () => unavailable(id, `did not arrive within ${timeoutMs} ms (timeoutMs)`);
  const answer = await boundedCall(call, { clock, limitMs: timeoutMs, errorOf }).catch((thrown: unknown) => {
    throw hasCode(thrown, 'BATCHLATCH_DECODE') ? thrown : unavailable(id, 'could not be fetched', thrown);
  });
  // Retryable: the schema may not have been replicated to this registry yet.
  if (answer === undefined) throw unavailable(id, 'is not in the registry');
  try {
    return compile(typeof answer === 'string' ? { schema: answer } : answer);
  } catch (cause) {
    if (hasCode(cause, 'BATCHLATCH_DECODE')) throw cause;
    throw new DecodeError(`The schema ${id} of the registry cannot be used`, { cause, isRetryable: false });
  }
}

function unavailable(id: string, problem: string, cause?: unknown): DecodeError {
  return new DecodeError(`The schema ${id} ${problem}`, { cause, isRetryable: true });
}
