import type { ServerResponse } from 'node:http';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError } from './api-error.ts';
import { toJson } from './json.ts';

const MOST_LISTENERS = 64;
/** What is kept for one that reads slowly: the newest of each name and id. */
const MOST_KEPT = 200;
const COMMENT_EVERY_MS = 15_000;
/** One that has taken nothing for so long is let go; its browser connects again. */
const LONGEST_STALL_MS = 30_000;

interface Listener {
  readonly response: ServerResponse;
  /** What waits until the connection takes more, by what a newer one replaces. */
  readonly kept: Map<string, string>;
  stalledAt: number | undefined;
}

/** The pages that listen, each told by server-sent events. */
export class EventStream {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  readonly #onCount: (listeners: number) => void;
  #cancelTimer: (() => void) | undefined;

  /** `onCount` is told when somebody comes or goes. */
  constructor(clock: Clock, onCount: (listeners: number) => void) {
    this.#clock = clock;
    this.#onCount = onCount;
  }

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Adds one, and tells it these events at once. Throws an `ApiError` for one too many. */
  add(response: ServerResponse, first: readonly (readonly [name: string, data: unknown])[]): void {
    if (this.#listeners.size >= MOST_LISTENERS) {
      throw new ApiError(503, 'too-many-pages', `${MOST_LISTENERS} pages listen already. Close some.`);
    }
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    });
    const listener: Listener = { response, kept: new Map(), stalledAt: undefined };
    response.write('retry: 2000\n\n');
    this.#listeners.add(listener);
    response.on('drain', () => this.#drain(listener));
    response.on('close', () => this.#remove(listener));
    response.on('error', () => this.#remove(listener));
    first.forEach(([name, data], index) =>
      this.#send(listener, `${name} first ${index}`, textOf(name, data)),
    );
    this.#cancelTimer ??= this.#commentLater();
    this.#onCount(this.#listeners.size);
  }

  /** Tells everybody. Of events with one name and `id`, one that reads slowly gets the newest alone. */
  send(name: string, data: unknown, id: string = ''): void {
    if (this.#listeners.size === 0) return;
    const text = textOf(name, data);
    for (const listener of this.#listeners) this.#send(listener, `${name} ${id}`, text);
  }

  /** Ends all of them. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const listener of this.#listeners) {
      listener.response.end();
      this.#remove(listener);
    }
  }

  #send(listener: Listener, key: string, text: string): void {
    const { response, kept } = listener;
    if (!response.writableNeedDrain) {
      response.write(text);
      return;
    }
    listener.stalledAt ??= this.#clock.now();
    kept.delete(key);
    kept.set(key, text);
    if (kept.size > MOST_KEPT) response.destroy();
  }

  #drain(listener: Listener): void {
    listener.stalledAt = undefined;
    for (const [key, text] of listener.kept) {
      listener.kept.delete(key);
      if (!listener.response.write(text)) return;
    }
  }

  #remove(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    listener.kept.clear();
    this.#onCount(this.#listeners.size);
  }

  #commentLater(): () => void {
    return this.#clock.setTimer(() => {
      const now = this.#clock.now();
      for (const { response, stalledAt } of this.#listeners) {
        if (stalledAt !== undefined && now - stalledAt > LONGEST_STALL_MS) response.destroy();
        else if (!response.writableNeedDrain) response.write(': here\n\n');
      }
      this.#cancelTimer = this.#commentLater();
    }, COMMENT_EVERY_MS);
  }
}

/** JSON has no line breaks. */
function textOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${toJson(data)}\n\n`;
}
