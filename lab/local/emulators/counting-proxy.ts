import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';

/** Counts what it is looking for in what a client sends on one connection, chunk by chunk. */
export type ChunkCounter = (chunk: Buffer) => number;

/** A proxy that passes bytes on, both ways, as they come. */
export interface CountingProxy extends LocalService {
  readonly port: number;
  /** What was counted so far, on all connections. */
  count(): number;
}

/** Starts a proxy in front of a server of this machine or of another. */
export async function startCountingProxy(
  target: { readonly host: string; readonly port: number },
  newCounter: () => ChunkCounter,
): Promise<CountingProxy> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ ...target, noDelay: true });
    const counter = newCounter();
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      // The other side sees that it is closed.
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk: Buffer) => {
      count += counter(chunk);
    });
    client.setNoDelay(true).pipe(upstream);
    upstream.pipe(client);
  });
  const port = await listenLocally(server);
  return {
    name: 'counting proxy',
    port,
    endpoint: `127.0.0.1:${port}`,
    count: () => count,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Counts the statements that have this text in them: what PostgreSQL's protocol calls Parse and Query. */
export function statementCounter(text: string): ChunkCounter {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let count = 0;
    // The first message has no type.
    for (let start = isStarted ? 1 : 0; rest.length >= start + 4; start = 1) {
      const end = start + rest.readUInt32BE(start);
      if (rest.length < end) break;
      const isStatement = isStarted && /[PQ]/.test(String.fromCharCode(rest[0] ?? 0));
      if (isStatement && rest.subarray(start + 4, end).includes(text)) count += 1;
      rest = rest.subarray(end);
      isStarted = true;
    }
    return count;
  };
}

/** Counts the calls of scripts in Redis's protocol. */
export function scriptCallCounter(): ChunkCounter {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk.toString('latin1');
    const calls = [...text.matchAll(/\r\n(?:evalsha|eval)\r\n/gi)];
    const last = calls.at(-1);
    // What may be the beginning of one more, and nothing that was counted.
    rest = text.slice(Math.max(text.length - 10, last === undefined ? 0 : last.index + last[0].length - 2));
    return calls.length;
  };
}
