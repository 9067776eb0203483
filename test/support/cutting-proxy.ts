import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { LocalService } from '../../local/emulators/local-service.ts';

export interface AnswerLosingProxy extends LocalService {
  /**
   * The next statement on a connection that is open reaches the server, which answers it; the client gets a broken connection
   * instead.
   */
  loseNextAnswer(): void;
  /** How many answers were lost. */
  readonly lost: () => number;
}

/** A way to a PostgreSQL that can lose an answer. */
export async function startAnswerLosingProxy(upstream: string): Promise<AnswerLosingProxy> {
  const { hostname, port } = new URL(upstream);
  const sockets = new Set<Socket>();
  let isArmed = false;
  let lost = 0;
  const server = createServer((client) => {
    const target = connect(Number(port), hostname);
    let losesAnswer = false;
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', (data) => {
      if (isArmed) losesAnswer = true;
      isArmed = false;
      target.write(data);
    });
    target.on('data', (data) => {
      if (!losesAnswer) return void client.write(data);
      lost += 1;
      client.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return {
    name: 'a proxy that loses answers',
    endpoint: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    loseNextAnswer: () => void (isArmed = true),
    lost: () => lost,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
