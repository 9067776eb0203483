import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { endTogether } from './end-together.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';

/** Each of these happens once, to the first connection of those that are open. */
export interface CuttingProxy extends LocalService {
  /** What is sent next does not reach the server: the connection breaks. */
  loseNextRequest(): void;
  /**
   * What is sent next reaches the server, which answers it; the client gets a broken connection instead, after what is done
   * `meanwhile`. Until that is done, new connections wait.
   */
  loseNextAnswer(meanwhile?: () => Promise<unknown>): void;
  /**
   * The connection breaks on which this many bytes have passed, to the server or from it, in all. What comes from the server at once
   * arrives whole or not at all if `isAnswerWhole`.
   */
  cutAfter(bytes: number, options?: { readonly isAnswerWhole?: boolean }): void;
  /** Refuses connections, and cuts those over which something is sent, until it is given `false`. */
  refuse(isRefusing: boolean): void;
  /** How many bytes have come, from both sides. */
  readonly bytes: () => number;
  /** How many connections it has cut. */
  readonly cuts: () => number;
}

/** A way to a PostgreSQL that can be cut at a certain moment. */
export async function startCuttingProxy(upstream: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(upstream);
  const sockets = new Set<Socket>();
  let next: 'passes' | 'is lost' | 'loses its answer' = 'passes';
  let whileLost: () => Promise<unknown> = async () => undefined;
  let isBack: Promise<unknown> = Promise.resolve();
  let bytesLeft = Infinity;
  let isAnswerWhole = false;
  let isRefusing = false;
  let bytes = 0;
  let cuts = 0;

  function cut(client: Socket, target: Socket): void {
    client.resetAndDestroy();
    target.resetAndDestroy();
  }

  const server = createServer({ pauseOnConnect: true }, async (client) => {
    if (isRefusing) return void client.resetAndDestroy();
    client.on('error', () => undefined); // it may give up while it waits
    await isBack;
    const target = connect(Number(port), hostname);
    let losesAnswer: (() => Promise<unknown>) | undefined;
    endTogether(client, target, sockets);
    function pass(data: Buffer, to: Socket): void {
      bytes += data.length;
      const isBreaking = data.length > bytesLeft;
      const isSplit = isBreaking && (to === target || !isAnswerWhole);
      if (!isBreaking || isSplit) to.write(isSplit ? data.subarray(0, bytesLeft) : data);
      bytesLeft = isBreaking ? Infinity : bytesLeft - data.length;
      if (!isBreaking) return;
      cuts += 1;
      setImmediate(cut, client, target); // what was written before is to arrive
    }
    client.on('data', (data) => {
      const what = next;
      next = 'passes';
      if (what !== 'passes') cuts += 1;
      if (what === 'is lost' || (what === 'passes' && isRefusing)) return cut(client, target);
      if (what === 'loses its answer') losesAnswer = whileLost;
      pass(data, target);
    });
    target.on('data', (data) => {
      if (losesAnswer === undefined) return pass(data, client);
      const meanwhile = losesAnswer;
      losesAnswer = async () => undefined;
      isBack = meanwhile().finally(() => cut(client, target));
    });
    client.resume();
  });
  const ownPort = await listenLocally(server);
  return {
    name: 'a proxy that cuts connections',
    endpoint: `postgres://postgres@127.0.0.1:${ownPort}/postgres`,
    loseNextRequest: () => void (next = 'is lost'),
    loseNextAnswer(meanwhile = async () => undefined) {
      next = 'loses its answer';
      whileLost = meanwhile;
    },
    cutAfter(bytes, options = {}) {
      bytesLeft = bytes;
      isAnswerWhole = options.isAnswerWhole ?? false;
    },
    refuse: (refuses) => void (isRefusing = refuses),
    bytes: () => bytes,
    cuts: () => cuts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
