import { type Clock, wait } from '../../tool-base/clock.ts';
import { TokenBucket } from './token-bucket.ts';
import { type BadLine, isBad, type Line } from '../../sending/line-body.ts';
import type { LineSource } from '../lines/open-lines.ts';
import { readLines } from '../lines/read-lines.ts';
import { untilStopped } from '../lines/until-stopped.ts';
import { Lanes } from './lanes.ts';
import { MOST_BYTES, type Sendable } from '../../sending/outgoing.ts';
import type { SentBatch } from '../../sending/send-batch.ts';

/** The options of `sendLines`. */
export interface SendLinesOptions<Message extends Sendable> {
  /** Returns the message of a line, or the problem with the line. */
  readonly messageOf: (line: Line) => Message | BadLine;
  /** Returns the lane of a message; messages of one lane are sent in order. Absent: order does not matter. */
  readonly laneOf?: (message: Message) => string;
  /** The most bytes of one request. A larger message is sent alone. Default: 1 MiB. */
  readonly mostBytes?: number;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Messages per second. */
  readonly rate?: number;
  readonly clock: Clock;
  /** Aborted to stop reading; lines already read are still sent. */
  readonly signal: AbortSignal;
  /** Sends a batch. Never rejects. */
  readonly send: (messages: readonly Message[]) => Promise<SentBatch>;
  readonly onProgress: (tally: Tally) => void;
}

/** A line that was not sent, and why. */
interface Unsent {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The counts so far. */
export interface Tally {
  /** Lines that are not empty. */
  read: number;
  sent: number;
  /** Lines that were not sent. */
  failed: number;
  /** Messages that a standard queue may have twice. */
  repeated: number;
  /** Requests, without retries. */
  requests: number;
  /** Bytes of the file. */
  bytesRead: number;
  /** The number of the last line that was read. */
  lastLine: number;
  /** The first failures to occur; sorted by line at the end. */
  readonly failures: Unsent[];
  /** The error that ended the run early. */
  fatal?: unknown;
}

/** The most failures that are kept. */
const MOST_FAILURES = 1_000;

/** How long a batch waits for more messages. */
const LINGER_MS = 200;

/** Sends the lines of a source as messages; memory holds only what is being sent. */
export async function sendLines<Message extends Sendable>(
  source: LineSource,
  options: SendLinesOptions<Message>,
): Promise<Tally> {
  const run = new SendingRun(options);
  for await (const { lines, bytesRead } of readLines(untilStopped(source.chunks, run.over), MOST_BYTES)) {
    run.tally.bytesRead = bytesRead;
    for (const line of lines) {
      if (run.isOver) break;
      await run.add(line);
    }
    if (run.isOver) break;
  }
  return run.end();
}

interface Batch<Message> {
  readonly messages: Message[];
  bytes: number;
  readonly lane: number | undefined;
  readonly timer: NodeJS.Timeout;
}

class SendingRun<Message extends Sendable> {
  readonly #options: SendLinesOptions<Message>;
  readonly #lanes: Lanes;
  readonly #rate: TokenBucket | undefined;
  readonly #mostMessages: number;
  /** Batches that are being filled, by lane. */
  readonly #open = new Map<number | undefined, Batch<Message>>();
  /** Batches that wait for a lane. */
  readonly #waiting = new Set<Promise<void>>();
  readonly #failing = new AbortController();
  readonly #over: AbortSignal;
  readonly tally: Tally = {
    read: 0,
    sent: 0,
    failed: 0,
    repeated: 0,
    requests: 0,
    bytesRead: 0,
    lastLine: 0,
    failures: [],
  };

  constructor(options: SendLinesOptions<Message>) {
    const { concurrency, rate, clock } = options;
    this.#options = options;
    this.#over = AbortSignal.any([options.signal, this.#failing.signal]);
    this.#lanes = new Lanes(concurrency);
    // A bucket of a tenth of a second; at rates below ten, of one message.
    const most = Math.max(1, Math.ceil((rate ?? 0) / 10));
    this.#rate =
      rate === undefined ? undefined : new TokenBucket({ most, perMs: (most * 1_000) / rate }, clock.now());
    this.#mostMessages = Math.min(10, rate ?? 10);
  }

  get over(): AbortSignal {
    return this.#over;
  }

  get isOver(): boolean {
    return this.over.aborted;
  }

  /** Adds a line; resolves when there is room for the next. */
  async add(line: Line): Promise<void> {
    const { messageOf, laneOf, mostBytes = MOST_BYTES } = this.#options;
    this.tally.read += 1;
    this.tally.lastLine = line.number;
    const message = messageOf(line);
    if (isBad(message)) {
      this.#fail({ line: line.number, code: 'invalid', message: message.problem });
      return;
    }
    const lane = laneOf === undefined ? undefined : this.#lanes.laneOf(laneOf(message));
    let batch = this.#open.get(lane);
    if (batch !== undefined && batch.bytes + message.bytes > mostBytes) {
      await this.#dispatch(batch);
      batch = undefined;
    }
    batch ??= this.#newBatch(lane);
    batch.messages.push(message);
    batch.bytes += message.bytes;
    if (batch.messages.length >= this.#mostMessages) await this.#dispatch(batch);
  }

  /** Sends the rest, and waits for everything. */
  async end(): Promise<Tally> {
    for (const batch of this.#open.values()) await this.#dispatch(batch);
    await Promise.all(this.#waiting);
    await this.#lanes.idle();
    this.tally.failures.sort((one, other) => one.line - other.line);
    return this.tally;
  }

  #newBatch(lane: number | undefined): Batch<Message> {
    const batch: Batch<Message> = {
      messages: [],
      bytes: 0,
      lane,
      timer: setTimeout(() => void this.#dispatch(batch), LINGER_MS),
    };
    this.#open.set(lane, batch);
    return batch;
  }

  /** Resolves when the batch is being sent. */
  async #dispatch(batch: Batch<Message>): Promise<void> {
    clearTimeout(batch.timer);
    if (this.#open.get(batch.lane) === batch) this.#open.delete(batch.lane);
    const started = this.#start(batch);
    this.#waiting.add(started);
    await started;
    this.#waiting.delete(started);
  }

  async #start({ messages, lane }: Batch<Message>): Promise<void> {
    await this.#lanes.start(lane, async () => {
      await this.#pace(messages.length); // inside the lane, or a smaller batch could overtake an earlier one
      if (this.tally.fatal === undefined) {
        this.tally.requests += 1;
        this.#note(await this.#options.send(messages));
        return;
      }
      const why = { code: 'not-sent', message: 'sending ended before it' };
      for (const { line } of messages) this.#fail({ line, ...why });
    });
  }

  /** Waits until the rate permits this many messages, or until the run is over. */
  async #pace(messages: number): Promise<void> {
    const { clock } = this.#options;
    for (let ms = this.#rate?.waitMs(messages, clock.now()) ?? 0; ms > 0 && !this.#over.aborted;) {
      await wait(clock, ms, this.#over);
      ms = this.#rate?.waitMs(messages, clock.now()) ?? 0;
    }
    this.#rate?.take(messages, clock.now());
  }

  #note({ sent, refused, repeated, fatal }: SentBatch): void {
    this.tally.sent += sent;
    this.tally.repeated += repeated;
    if (fatal !== undefined) {
      this.tally.fatal ??= fatal;
      this.#failing.abort();
    }
    for (const { message, code, reason } of refused)
      this.#fail({ line: message.line, code, message: reason });
    this.#options.onProgress(this.tally);
  }

  #fail(failure: Unsent): void {
    this.tally.failed += 1;
    if (this.tally.failures.length < MOST_FAILURES) this.tally.failures.push(failure);
  }
}
