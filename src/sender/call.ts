import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import { type Holder, type Item, type ItemCall, outOfTime } from './item.ts';
import type { SendQueue } from './send-queue.ts';

/** How a message of a call ended. */
export type Outcome =
  | { readonly status: 'sent' }
  | { readonly status: 'failed'; readonly error: Error; readonly isRetryable: boolean }
  | { readonly status: 'unknown'; readonly error: Error };

export interface CallSetup {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: StopSignal | undefined;
}

const SENT: Outcome = { status: 'sent' };

/** The messages of one `send()` or `sendAll()`. Each has one outcome, at the latest when the time is over. */
export class Call implements ItemCall {
  readonly #queue: SendQueue;
  readonly #count: number;
  readonly #items: (Item | undefined)[] = [];
  readonly #outcomes: (Outcome | undefined)[] = [];
  readonly #signal: StopSignal | undefined;
  readonly #cancelTimer: () => void;
  readonly #onEnd: (outcomes: readonly Outcome[]) => void;
  #open: number;
  #holders: Map<string, Holder> | undefined;

  /** `onEnd` is called once, with the outcomes in order. */
  constructor(
    queue: SendQueue,
    count: number,
    { clock, deadlineMs, signal }: CallSetup,
    onEnd: (outcomes: readonly Outcome[]) => void,
  ) {
    this.#queue = queue;
    this.#count = count;
    this.#open = count;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#cancelTimer = clock.setTimer(this.#giveUp, deadlineMs);
    signal?.addEventListener('abort', this.#giveUp, { once: true });
    if (count === 0) this.#end();
    else if (signal?.aborted === true) this.#giveUp();
  }

  get isOver(): boolean {
    return this.#open === 0;
  }

  put(
    position: number,
    message: EncodedMessage,
    delayMs: number | undefined,
    lane: string | undefined,
  ): void {
    if (this.isOver) return;
    const item: Item = {
      call: this,
      position,
      message,
      delayMs,
      lane,
      state: 'queued',
      entry: undefined,
      tries: 0,
      firstSentAt: 0,
      isAlone: false,
      unanswered: undefined,
      lastRefusal: undefined,
    };
    this.#items[position] = item;
    this.#queue.put(item);
  }

  sent(position: number): void {
    this.#answer(position, SENT);
  }

  failed(position: number, error: Error, isRetryable: boolean, lane?: string): void {
    this.#hold(position, error, lane);
    this.#answer(position, { status: 'failed', error, isRetryable });
  }

  unknown(position: number, error: Error, lane: string | undefined): void {
    this.#hold(position, error, lane);
    this.#answer(position, { status: 'unknown', error });
  }

  holderOf(lane: string): Holder | undefined {
    return this.#holders?.get(lane);
  }

  #hold(position: number, error: Error, lane: string | undefined): void {
    if (lane === undefined || this.#holders?.has(lane) === true) return;
    this.#holders ??= new Map();
    this.#holders.set(lane, { position, type: this.#items[position]?.message.type ?? '', error });
  }

  #answer(position: number, outcome: Outcome): void {
    if (this.#outcomes[position] !== undefined) return;
    this.#outcomes[position] = outcome;
    this.#open -= 1;
    if (this.#open === 0) this.#end();
  }

  /** Answers what is open: what is in a request may arrive. */
  readonly #giveUp = (): void => {
    for (let position = 0; position < this.#count; position += 1) {
      if (this.#outcomes[position] !== undefined) continue;
      const error = outOfTime(this.#items[position]);
      if (error.isUnknown) this.#answer(position, { status: 'unknown', error });
      else this.#answer(position, { status: 'failed', error, isRetryable: true });
    }
    this.#queue.giveUp(this.#items);
  };

  #end(): void {
    this.#cancelTimer();
    this.#signal?.removeEventListener('abort', this.#giveUp);
    this.#onEnd(this.#outcomes as readonly Outcome[]);
  }
}
