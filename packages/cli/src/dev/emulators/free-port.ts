import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hasCode } from '../../tool-base/errors.ts';

/**
 * Ports below the ephemeral ranges (Linux: from 32768; macOS and Windows: from 49152, as IANA advises). The
 * system could give an ephemeral port to another connection before the service binds it.
 */
const FIRST = 20_000;
const BEHIND = 32_000;

/** Ports that this process has handed out: their services may not have bound them yet. */
const handedOut = new Set<number>();

/**
 * Returns a free loopback port. Another process may still bind it before the service does, which then ends
 * with "address in use". A server inside this process should listen on port 0 instead.
 */
export async function freePort(draw: () => number = randomPort): Promise<number> {
  for (;;) {
    const port = draw();
    if (handedOut.has(port)) continue;
    handedOut.add(port); // before another call in this process draws it
    if (await isUnused(port)) return port;
  }
}

export function randomPort(): number {
  return randomInt(FIRST, BEHIND);
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
