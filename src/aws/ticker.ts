import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connections.ts';
import { unconnectedError } from './network-errors.ts';

/** Calls what is entered in it, again and again until it is taken out. */
export interface Ticker {
  readonly everyMs: number;
  add(tick: () => void): void;
  delete(tick: () => void): void;
}

/**
 * One timer for all requests that are open; it does not keep the process alive. Whoever counts ticks is patient with a process
 * that stood still, frozen or busy: an answer that lies in its socket meanwhile is read before the next tick.
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

/** So many to the shorter of the times after which a connection is given up. */
const TICKS = 6;

export function tickerFor({ silentMs, connectMs }: ConnectionLimits): Ticker {
  return ticker(Math.min(silentMs, connectMs) / TICKS);
}

/** A lost SYN is not worth as much patience as an answer. Counted in ticks, too: a process that stood still loses no connection. */
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
