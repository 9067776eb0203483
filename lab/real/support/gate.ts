import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';

/** Where handlers in other processes wait until a test lets them go on. */
export interface Gate {
  /** For the handler: `GET <url>/<name>` is answered when `name` may pass. */
  readonly url: string;
  /** Who waits, or has passed, by name. */
  readonly seen: ReadonlySet<string>;
  /** Lets everybody of that name pass, now and later. */
  open(name: string): void;
  stop(): Promise<void>;
}

export async function startGate(): Promise<Gate> {
  const seen = new Set<string>();
  const opened = new Set<string>();
  const waiting = new Map<string, ServerResponse[]>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    seen.add(name);
    if (opened.has(name)) response.end();
    else waiting.set(name, [...(waiting.get(name) ?? []), response]);
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    open(name) {
      opened.add(name);
      for (const response of waiting.get(name) ?? []) response.end();
      waiting.delete(name);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
