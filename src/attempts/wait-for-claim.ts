import type { AcquireOutcome, ClaimRequest, ClaimStore, StoreCallOptions } from '../claims/claim-store.ts';
import { type Clock, wait } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import { asError, missingOutcome } from '../claims/store-errors.ts';

export interface WaitForClaimOptions {
  /** How long to ask again while another owner holds the key, in milliseconds. 0: ask once. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1; for the jitter between two polls. */
  readonly random: () => number;
  /** Once aborted, nothing is asked any more; the last outcome is given. A call that is under way is waited for. */
  readonly signal?: StopSignal;
  /** What an acquire has just been answered with: the wait then begins at once. */
  readonly known?: AcquireOutcome;
  /** Gives up a call that is under way: whether it got the claim is then not known. */
  readonly callSignal?: StopSignal;
}

const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;
/** A jitter of almost nothing would ask again before anything can have changed. */
const SHORTEST_POLL_MS = 10;

/**
 * Acquires a claim; while another owner holds it, asks again with full-jitter back-off until that attempt has
 * ended or its lease has lapsed. Resolves with the first outcome that is no `conflict`: `duplicate` carries the
 * other's result, `acquired` means that it failed, gave up or died. After `timeoutMs`, or once `signal` is
 * aborted, with the last outcome, as it is. Never rejects.
 *
 * The last poll starts no later than `timeoutMs`. Polls are reads (`isRedelivery`) that write only when the key
 * is free. While waiting, an error that is retryable counts as one more poll. `makeRequest` is called for every
 * poll, so that a lease can follow the time that is left; it has to keep key and owner: a poll whose answer was
 * lost then finds its own claim, and no other.
 */
export async function acquireOrWait(
  store: ClaimStore,
  makeRequest: () => ClaimRequest,
  { timeoutMs, clock, random, signal, known, callSignal }: WaitForClaimOptions,
): Promise<AcquireOutcome> {
  const waitUntil = clock.now() + timeoutMs;
  const callOptions = callSignal && { signal: callSignal };
  let outcome = known ?? (await acquireOne(store, makeRequest(), callOptions));
  if (outcome.status !== 'conflict') return outcome; // an error at the first call is nothing to wait for
  for (let poll = 0; mayChange(outcome); poll += 1) {
    const leftMs = waitUntil - clock.now();
    if (leftMs <= 0 || isAborted(signal)) return outcome;
    const jitterMs = random() * Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 2 ** poll);
    await wait(clock, Math.min(Math.max(SHORTEST_POLL_MS, jitterMs), leftMs), signal);
    if (isAborted(signal)) return outcome; // also ends the wait at once
    const request = { ...makeRequest(), isRedelivery: true };
    outcome = await acquireOne(store, request, { ...callOptions, mayAskAgain: true });
  }
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
    return outcome ?? { status: 'error', error: missingOutcome() };
  } catch (thrown) {
    return { status: 'error', error: asError(thrown) };
  }
}
