import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connections.ts';
import { unconnectedError } from './network-errors.ts';

/** Calls each registered callback on every tick until it is removed. */
export interface Ticker {
  readonly everyMs: number;
  add(tick: () => void): void;
  delete(tick: () => void): void;
}

/**
 * Creates one timer for all open requests; it does not keep the process alive. Counting ticks tolerates a
 * frozen or busy process: an answer that arrived meanwhile is read before the next tick.
 */
function ticker(everyMs: number): Ticker {
  const open = new Set<() => void>();
  let isRunning = false;
  const run = (): void => {
    isRunning = true;
    const timer = setTimeout(() => {
      isRunning = false;
      for (const tick of open) tick();
      if (open.size > 0 && !isRunning) run();
    }, everyMs);
    timer.unref();
  };
  return {
    everyMs,
    add(tick) {
      open.add(tick);
      if (!isRunning) run();
    },
    delete: (tick) => void open.delete(tick),
  };
}

/** The number of ticks within the shorter of the connection timeouts. */
const TICKS = 6;

export function tickerFor({ silentMs, connectMs }: ConnectionLimits): Ticker {
  return ticker(Math.min(silentMs, connectMs) / TICKS);
}

/** Limits the time to connect: a lost SYN deserves less patience than an answer. A freeze does not count. */
export function limitConnecting(socket: Socket, connectMs: number, ticks: Ticker): void {
  let waitedMs = 0;
  const tick = (): void => {
    if (waitedMs >= connectMs) socket.destroy(unconnectedError(connectMs));
    waitedMs += ticks.everyMs;
  };
  const stop = (): void => ticks.delete(tick);
  ticks.add(tick);
  socket.once('connect', stop);
  socket.once('close', stop);
}
