import type { ServerResponse } from 'node:http';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError } from './api-error.ts';
import { toJson } from './json.ts';

const MOST_LISTENERS = 64;
/** The most events kept for a slow listener: the newest of each name and id. */
const MOST_KEPT = 200;
const COMMENT_EVERY_MS = 15_000;
/** A listener that reads nothing for this long is disconnected; its browser reconnects. */
const LONGEST_STALL_MS = 30_000;

interface Listener {
  readonly response: ServerResponse;
  /** The events that wait for the connection, by name and id; a newer one replaces an older. */
  readonly kept: Map<string, string>;
  stalledAt: number | undefined;
}

/** The server-sent events to the open pages. */
export class EventStream {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  readonly #onCount: (listeners: number) => void;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  /** `onCount` is called when a page connects or disconnects. */
  constructor(clock: Clock, onCount: (listeners: number) => void) {
    this.#clock = clock;
    this.#onCount = onCount;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Adds a listener and sends it the first events. Throws an `ApiError` if there are too many listeners, and
   * after `close()`: a page reconnects while the console still waits for its last reads.
   */
  add(response: ServerResponse, first: readonly (readonly [name: string, data: unknown])[]): void {
    if (this.#isClosed) throw new ApiError(503, 'stopping', 'The console is stopping. Start it again.');
    if (this.#listeners.size >= MOST_LISTENERS) {
      throw new ApiError(
        503,
        'too-many-pages',
        `${MOST_LISTENERS} pages are open, which is the limit. Close one.`,
      );
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

  /** Sends an event to all listeners. A slow one gets only the newest event of a name and `id`. */
  send(name: string, data: unknown, id: string = ''): void {
    if (this.#listeners.size === 0) return;
    const text = textOf(name, data);
    for (const listener of this.#listeners) this.#send(listener, `${name} ${id}`, text);
  }

  close(): void {
    this.#isClosed = true;
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

/** Formats an event. `data` needs no escaping, because JSON has no line breaks. */
function textOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${toJson(data)}\n\n`;
}
