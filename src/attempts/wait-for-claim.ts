import type { AcquireOutcome, ClaimRequest, ClaimStore, StoreCallOptions } from '../claims/claim-store.ts';
import { type Clock, wait } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import { asError } from '../claims/store-errors.ts';

export interface WaitForClaimOptions {
  /** How long to poll while another owner holds the key, in milliseconds. 0: ask once. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Returns a number from 0 up to, not including, 1, for the jitter between polls. */
  readonly random: () => number;
  /** Ends the polling when aborted. A pending call is awaited. */
  readonly signal?: StopSignal;
  /** The answer to an acquire that was just made; polling then starts with a wait. */
  readonly known?: AcquireOutcome;
  /** Gives up a pending call. Whether it got the claim is then unknown. */
  readonly callSignal?: StopSignal;
  /** Is told of a claim that an unanswered poll may still get after the last outcome, a conflict. */
  readonly onLost: (request: ClaimRequest) => void;
}

const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;
/** The minimum: a shorter jitter would poll before anything can have changed. */
const SHORTEST_POLL_MS = 10;

/**
 * Acquires a claim. While another owner holds it, polls with full-jitter backoff until that attempt has ended
 * or its lease has lapsed. Resolves with the first outcome other than `conflict`: `duplicate` with the
 * other's result, or `acquired` if it failed, gave up or died. After `timeoutMs`, or when `signal` is
 * aborted, resolves with the last outcome. Never rejects.
 *
 * The last poll starts no later than `timeoutMs`. Polls are reads (`isRedelivery`) that write only if the key
 * is free. A retryable error while waiting counts as a poll. `makeRequest` is called for every poll, so that
 * the lease can follow the remaining time. It must keep key and owner, so that a poll whose answer was lost
 * finds its own claim.
 */
export async function acquireOrWait(
  store: ClaimStore,
  makeRequest: () => ClaimRequest,
  { timeoutMs, clock, random, signal, known, callSignal, onLost }: WaitForClaimOptions,
): Promise<AcquireOutcome> {
  const waitUntil = clock.now() + timeoutMs;
  const callOptions = callSignal && { signal: callSignal };
  let outcome = known ?? (await acquireOne(store, makeRequest(), callOptions));
  if (outcome.status !== 'conflict') return outcome; // an error at the first call is not waited for
  let unanswered: ClaimRequest | undefined;
  for (let poll = 0; mayChange(outcome); poll += 1) {
    const leftMs = waitUntil - clock.now();
    if (leftMs <= 0 || isAborted(signal)) break;
    const jitterMs = random() * Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 2 ** poll);
    await wait(clock, Math.min(Math.max(SHORTEST_POLL_MS, jitterMs), leftMs), signal);
    if (isAborted(signal)) break; // an abort also ends the wait at once
    const request = { ...makeRequest(), isRedelivery: true };
    outcome = await acquireOne(store, request, { ...callOptions, mayAskAgain: true });
    if (outcome.status === 'error') unanswered = request;
  }
  if (outcome.status === 'conflict' && unanswered !== undefined) onLost(unanswered);
  return outcome;
}

function mayChange(outcome: AcquireOutcome): boolean {
  if (outcome.status === 'error') return 'isRetryable' in outcome.error && outcome.error.isRetryable === true;
  return outcome.status === 'conflict';
}

function isAborted(signal: StopSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function acquireOne(
  store: ClaimStore,
  request: ClaimRequest,
  options: StoreCallOptions | undefined,
): Promise<AcquireOutcome> {
  try {
    const [outcome] = await store.acquire([request], options);
    return outcome as AcquireOutcome;
  } catch (thrown) {
    return { status: 'error', error: asError(thrown) };
  }
}
