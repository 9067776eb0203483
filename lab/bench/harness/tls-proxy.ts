import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';
import { SELF_SIGNED } from '../../../test/support/self-signed.ts';
import type { Lab } from './lab.ts';
import { CERTIFICATE } from './paths.ts';

/** The emulator behind `https:`, with a certificate that nobody else signed. */
export interface TlsProxy {
  readonly endpoint: string;
  /** For `NODE_EXTRA_CA_CERTS`. */
  readonly certificateFile: string;
  stop(): Promise<void>;
}

/** Starts a proxy before the lab's emulator, for the contenders that reach it over TLS. */
export async function serveOverTls(lab: Lab): Promise<TlsProxy> {
  const proxy = lab.add(await startTlsProxy(lab.emulator.endpoint));
  lab.serve('dynamodb-tls', proxy.endpoint);
  return proxy;
}

/** Puts TLS in front of a server that speaks plain HTTP. */
export async function startTlsProxy(target: string): Promise<TlsProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer({ ...SELF_SIGNED, noDelay: true }, (socket) => {
    const onward = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one));
      one.pipe(other);
    }
  });
  const ownPort = await listenLocally(server);

  let stopped: Promise<unknown> | undefined;
  return {
    endpoint: `https://127.0.0.1:${ownPort}`,
    certificateFile: CERTIFICATE,
    async stop() {
      stopped ??= once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await stopped;
    },
  };
}
