import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import { listenLocally } from '../../src/dev/emulators/listen-locally.ts';

/** Serves on the loopback interface during the tests of a `describe`. Returns a function for the address. */
export function serveLocally(answer: RequestListener): () => string {
  const server = createServer(answer);
  let port: number;
  beforeAll(async () => {
    port = await listenLocally(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => `http://127.0.0.1:${port}`;
}
