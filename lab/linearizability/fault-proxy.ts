import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../local/demo/seeded-random.ts';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { type Moment, momentSince } from './history.ts';

/** What happens to how many of a thousand messages. */
export interface FaultRates {
  /** What is sent next does not reach the server, and the connection breaks. */
  readonly requestLost: number;
  /** The server has done it, and the connection breaks before its answer. */
  readonly answerLost: number;
  /** It arrives up to `longestDelayMs` later, in either direction. */
  readonly delayed: number;
  readonly longestDelayMs: number;
}

/** A connection that ended while something that was sent had no answer. */
export interface Loss {
  readonly when: Moment;
  /**
   * `request`: it did not reach the server. `answer`: the server has done it. `either`: the server had not begun to answer, so it
   * may be done later.
   */
  readonly of: 'request' | 'answer' | 'either';
}

export interface FaultProxy {
  readonly port: number;
  readonly losses: readonly Loss[];
  stop(): void;
}

export interface FaultProxySetup {
  readonly hostname: string;
  readonly port: number;
  readonly random: SeededRandom;
  readonly rates: FaultRates;
  readonly origin: bigint;
}

/** A way from one client to a server, over TCP, on which messages are lost and late at random. */
export async function startFaultProxy(setup: FaultProxySetup): Promise<FaultProxy> {
  const { rates, random, origin } = setup;
  const losses: Loss[] = [];
  const sockets = new Set<Socket>();
  const happens = (perThousand: number): boolean => random.integer(1_000) < perThousand;

  const server = createServer((client) => {
    const target = connect({ host: setup.hostname, port: setup.port, noDelay: true });
    client.setNoDelay(true);
    /** Something went to the server, and nothing has come since. */
    let isAsked = false;
    let isOver = false;
    function end(of: Loss['of'] | undefined): void {
      if (isOver) return;
      isOver = true;
      if (of !== undefined) losses.push({ when: momentSince(origin), of });
      client.resetAndDestroy();
      target.destroy();
    }
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        end(isAsked ? 'either' : undefined);
      });
    }
    inTurn(client, async (data) => {
      await mayBeLate();
      if (isOver) return;
      if (happens(rates.requestLost)) return end(isAsked ? 'either' : 'request');
      isAsked = true;
      target.write(data);
    });
    inTurn(target, async (data) => {
      if (isOver) return;
      if (happens(rates.answerLost)) return end('answer');
      await mayBeLate();
      if (isOver) return;
      isAsked = false;
      client.write(data);
    });
  });

  async function mayBeLate(): Promise<void> {
    if (happens(rates.delayed)) await delay(random.integer(rates.longestDelayMs));
  }

  const port = await listenLocally(server);
  return {
    port,
    losses,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** What a socket brings, one after the other: nothing overtakes what is late. */
function inTurn(socket: Socket, take: (data: Buffer) => Promise<void>): void {
  let last = Promise.resolve();
  socket.on('data', (data) => void (last = last.then(() => take(data))));
}
