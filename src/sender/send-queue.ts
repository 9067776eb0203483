import { boundedCall } from '../base/bounded.ts';
import { builtIn } from '../base/built-in.ts';
import type { Clock } from '../base/clock.ts';
import { UPLOAD_MS } from '../base/limits.ts';
import { type LargeBodies, offloaded } from '../messages/large-bodies.ts';
import type { Holder, Item } from './item.ts';
import { notSent, type SendError } from './send-error.ts';
import { type Entry, MOST_ENTRIES, type Refusal, type Target } from './target.ts';

/** The real one: fake timers of tests replace the global one. */
const { setImmediate } = builtIn('node:timers');

export interface SendQueueSetup {
  readonly target: Target;
  readonly large: LargeBodies | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How long a message waits for others to share its request, while another request is under way. */
const LINGER_MS = 5;
/** The most requests at a time. */
const MOST_REQUESTS = 24;
/** The longest delay before the second try, in milliseconds. It doubles with each, up to the last number. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 20_000;
/** FIFO queues drop second copies for five minutes. A request may take ten seconds to arrive. */
const RESEND_MS = 290_000;

/**
 * The messages of all calls of a sender. A request goes out when it is full, when no other is under way, or
 * after a few milliseconds. Of a lane, one message is under way at a time, so that the order survives when
 * the target refuses an entry of a request.
 */
export class SendQueue {
  readonly #setup: SendQueueSetup;
  readonly #ready: Item[] = [];
  #readyBytes = 0;
  #requests = 0;
  readonly #lanes = new Map<string, Item[]>();
  #isFlushing = false;
  #cancelLinger: (() => void) | undefined;

  constructor(setup: SendQueueSetup) {
    this.#setup = setup;
  }

  put(item: Item): void {
    const { lane: name } = item;
    const lane = name === undefined ? undefined : this.#lanes.get(name);
    if (name !== undefined && this.#isHeld(item, name)) return;
    if (lane !== undefined) lane.push(item);
    else {
      if (name !== undefined) this.#lanes.set(name, [item]);
      this.#start(item);
      if (item.state === 'over') this.#leaveLane(item);
    }
    this.#pump();
  }

  /** Ends the wait of a call for its messages. Those in a request stay in their lanes until the answer. */
  giveUp(items: readonly (Item | undefined)[]): void {
    const heads: Item[] = [];
    for (const item of items) {
      // rule: under-way-holds-group
      if (item === undefined || item.state === 'sending' || item.state === 'over') continue;
      if (item.state === 'ready') this.#readyBytes -= (item.entry as Entry).bytes;
      if (item.state !== 'queued') heads.push(item);
      item.state = 'over';
    }
    // Only now may others go out: a request must take none of these, whose call says that they were not sent.
    for (const head of heads) this.#leaveLane(head);
    this.#pump();
  }

  /** Prepares a message. One that can never be sent is `over`, and the caller goes on in its lane. */
  #start(item: Item): void {
    const { target, large } = this.#setup;
    try {
      const entry = target.entryOf(item.message, item.delayMs);
      if (entry.bytes <= target.maxBytes) this.#makeReady(item, entry);
      else if (large === undefined) throw tooLarge(entry.bytes, target.maxBytes);
      else void this.#upload(item, large);
    } catch (error) {
      this.#end(item, error as Error, false);
    }
  }

  async #upload(item: Item, large: LargeBodies): Promise<void> {
    item.state = 'preparing';
    const { target, clock } = this.#setup;
    const errorOf = (): Error => new Error(`The storage did not answer in ${UPLOAD_MS / 1_000} seconds`);
    const limit = { clock, limitMs: UPLOAD_MS, errorOf };
    try {
      const message = await boundedCall((signal) => offloaded(item.message, large, signal), limit);
      if (item.state === 'preparing') this.#makeReady(item, target.entryOf(message, item.delayMs));
    } catch (cause) {
      const error = notSent('The body is too large for a message, and could not be stored', true, cause);
      if (item.state === 'preparing') this.#fail(item, error, true);
    }
    this.#pump();
  }

  #makeReady(item: Item, entry: Entry): void {
    item.state = 'ready';
    item.entry = entry;
    this.#ready.push(item);
    this.#readyBytes += entry.bytes;
  }

  /** Sends full requests now, and the rest when nothing is worth waiting for. */
  #pump(): void {
    const { maxBytes } = this.#setup.target;
    while (
      this.#requests < MOST_REQUESTS &&
      (this.#ready.length >= MOST_ENTRIES || this.#readyBytes >= maxBytes)
    ) {
      if (!this.#sendNext()) break;
    }
    if (this.#ready.length === 0 || this.#requests === MOST_REQUESTS) return;
    if (this.#requests === 0) this.#flushSoon();
    else this.#cancelLinger ??= this.#setup.clock.setTimer(() => this.#flush(), LINGER_MS);
  }

  /** Flushes when what runs now has ended: it may bring more messages. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    while (this.#requests < MOST_REQUESTS && this.#sendNext());
  }

  /** Sends a request if there is anything to send. */
  #sendNext(): boolean {
    const batch = this.#take();
    if (batch.length === 0) return false;
    const { target, clock } = this.#setup;
    const now = clock.now();
    for (const item of batch) {
      item.state = 'sending';
      item.tries += 1;
      if (item.tries === 1) item.firstSentAt = now;
    }
    this.#requests += 1;
    void target.send(batch.map(({ entry }) => entry as Entry)).then((refusals) => {
      this.#requests -= 1;
      this.#answered(batch, refusals);
      // Items that waited for this answer need not wait for others.
      if (this.#requests === 0) this.#flush();
      else this.#pump();
    });
    return true;
  }

  #take(): Item[] {
    const { maxBytes } = this.#setup.target;
    const batch: Item[] = [];
    let bytes = 0;
    let taken = 0;
    for (const item of this.#ready) {
      if (batch.length === MOST_ENTRIES) break;
      if (item.state === 'ready' && this.#wouldRunTwice(item)) {
        this.#readyBytes -= (item.entry as Entry).bytes;
        this.#fail(item, item.unanswered as SendError, true);
      } else if (item.state === 'ready') {
        const size = (item.entry as Entry).bytes;
        const isFirst = batch.length === 0;
        if (!isFirst && (bytes + size > maxBytes || item.isAlone || batch[0]?.isAlone === true)) break;
        bytes += size;
        batch.push(item);
      }
      taken += 1;
    }
    this.#ready.splice(0, taken);
    this.#readyBytes -= bytes;
    return batch;
  }

  #answered(batch: readonly Item[], refusals: readonly (Refusal | undefined)[]): void {
    const again: Item[] = [];
    for (let index = 0; index < batch.length; index += 1) {
      const item = batch[index] as Item;
      const refusal = refusals[index];
      if (refusal === undefined) {
        item.state = 'over';
        item.call.sent(item.position);
        this.#leaveLane(item);
      } else if (this.#mayTryAgain(item, refusal)) {
        item.state = 'resting';
        again.push(item);
      } else {
        const { error } = refusal;
        this.#fail(item, error, error.isRetryable);
      }
    }
    if (again.length > 0) this.#rest(again);
  }

  #mayTryAgain(item: Item, refusal: Refusal): boolean {
    const { next } = refusal;
    item.lastRefusal = refusal;
    if (next === 'unknown') item.unanswered ??= refusal.error;
    if (item.call.isOver || next === 'refused') return false;
    if (next === 'alone') {
      if (item.isAlone) return false;
      item.isAlone = true;
    }
    return !this.#wouldRunTwice(item);
  }

  /** Returns whether the message may have arrived, and the queue would not drop a second copy. */
  #wouldRunTwice({ unanswered, firstSentAt }: Item): boolean {
    if (unanswered === undefined) return false;
    // rule: no-second-copies
    return !this.#setup.target.isFifo || this.#setup.clock.now() - firstSentAt >= RESEND_MS;
  }

  /** Full jitter, one delay for all that were refused together: they share the next request too. */
  #rest(items: readonly Item[]): void {
    const { clock, random } = this.#setup;
    const tries = Math.max(...items.map((one) => one.tries));
    const isOnlySplit = items.every((one) => one.isAlone && one.tries === 1);
    const longest = isOnlySplit ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
    clock.setTimer(() => {
      for (const item of items) if (item.state === 'resting') this.#makeReady(item, item.entry as Entry);
      this.#pump();
    }, random() * longest);
  }

  #fail(item: Item, error: Error, isRetryable: boolean): void {
    this.#end(item, error, isRetryable);
    this.#leaveLane(item);
  }

  #end(item: Item, error: Error, isRetryable: boolean): void {
    item.state = 'over';
    if (item.unanswered === undefined) item.call.failed(item.position, error, isRetryable, item.lane);
    else item.call.unknown(item.position, item.unanswered, item.lane);
  }

  /** Starts the next message of a lane whose first one is over. */
  #leaveLane({ lane: name }: Item): void {
    if (name === undefined) return;
    const lane = this.#lanes.get(name) as Item[];
    lane.shift();
    for (let next = lane[0]; next !== undefined; next = lane[0]) {
      if (next.state !== 'over' && !this.#isHeld(next, name)) this.#start(next);
      if (next.state !== 'over') return;
      lane.shift();
    }
    this.#lanes.delete(name);
  }

  /** Fails a message if one before it, of its call and group, was not sent. */
  #isHeld(item: Item, lane: string): boolean {
    const holder = item.call.holderOf(lane);
    // rule: failed-holds-group
    if (holder === undefined) return false;
    item.state = 'over';
    item.call.failed(item.position, heldBack(holder), true);
    return true;
  }
}

function heldBack({ position, type, error }: Holder): SendError {
  const which = `message ${position + 1} of the call (${type})`;
  return notSent(
    `Not sent, to keep the order: ${which} is before it in its group and was not sent`,
    true,
    error,
  );
}

function tooLarge(bytes: number, maxBytes: number): SendError {
  return notSent(
    `The message has ${bytes} bytes, more than the ${maxBytes} that the target takes. ` +
      'With `large: s3Bodies({ bucket })` it goes through S3',
    false,
  );
}
