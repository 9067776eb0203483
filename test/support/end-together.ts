import type { Socket } from 'node:net';

/** Ends the two sides of a proxied connection together, whichever ends first, and keeps them in `open` until then. */
export function endTogether(client: Socket, target: Socket, open: Set<Socket>): void {
  for (const socket of [client, target]) {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      client.destroy();
      target.destroy();
    });
  }
}
