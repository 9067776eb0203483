import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';

/** A server in front of a PGlite, which is one session of PostgreSQL. */
export interface PGliteServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** What a client sends and waits for an answer to: a query, or all messages up to a Sync. */
type Cycle = readonly Uint8Array[];

interface Connection {
  readonly socket: Socket;
  readonly cycles: Cycle[];
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const [QUERY, SYNC, TERMINATE] = ['Q', 'S', 'X'].map((type) => type.charCodeAt(0));

/**
 * Starts a server to which any number of clients may connect. They take turns cycle by cycle: a statement that was parsed without a
 * name is the session's, and with it everybody's, until it is executed. Who is in a transaction keeps all others waiting until it
 * ends; one whose client is gone is rolled back.
 */
export async function startPGliteServer(db: PGlite, wantedPort: number): Promise<PGliteServer> {
  const connections = new Set<Connection>();
  /** Who is in a transaction. */
  let holder: Connection | undefined;
  let isBusy = false;

  function next(): Connection | undefined {
    if (holder !== undefined) return holder.cycles.length > 0 ? holder : undefined;
    return [...connections].find(({ cycles }) => cycles.length > 0);
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let connection = next(); connection !== undefined; connection = next()) {
      await run(connection, connection.cycles.shift() ?? []);
      // Who was served waits until all others have been.
      if (connections.delete(connection)) connections.add(connection);
    }
    isBusy = false;
  }

  async function run(connection: Connection, cycle: Cycle): Promise<void> {
    const { socket } = connection;
    for (const message of cycle) {
      await db.execProtocolRawStream(message, {
        onRawData: (data) => {
          if (socket.writable) socket.write(Buffer.from(data));
        },
      });
    }
    holder = db.isInTransaction() ? connection : undefined;
    if (holder !== undefined && !connections.has(connection)) await rollBack();
  }

  async function rollBack(): Promise<void> {
    await db.exec('ROLLBACK');
    holder = undefined;
  }

  async function close(connection: Connection): Promise<void> {
    connections.delete(connection);
    connection.cycles.length = 0;
    if (holder !== connection || isBusy) return; // what is running ends first, and sees that it is gone
    isBusy = true;
    await rollBack();
    isBusy = false;
    await work();
  }

  const server = createServer((socket) => {
    const connection: Connection = { socket, cycles: [] };
    connections.add(connection);
    const read = cycleReader(socket);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      connection.cycles.push(...read(chunk));
      work().catch(() => socket.destroy());
    });
    socket.on('error', () => undefined); // a close follows
    socket.on('close', () => void close(connection));
  });
  const port = await listenLocally(server, wantedPort);
  return {
    port,
    async stop() {
      for (const { socket } of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes cycles of what comes in. What PGlite knows nothing of is answered here: it has no TLS, and cancels nothing. */
function cycleReader(socket: Socket): (chunk: Buffer) => Cycle[] {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let cycle: Uint8Array[] = [];
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const cycles: Cycle[] = [];
    for (;;) {
      // The first message has no type.
      const header = isStarted ? 1 : 0;
      if (rest.length < header + 4) return cycles;
      const end = header + rest.readUInt32BE(header);
      if (rest.length < end) return cycles;
      const message = new Uint8Array(rest.subarray(0, end));
      const type = isStarted ? rest[0] : undefined;
      const code = isStarted ? undefined : rest.readUInt32BE(4);
      rest = rest.subarray(end);
      if (code === SSL_REQUEST) socket.write('N');
      else if (code === CANCEL_REQUEST || type === TERMINATE) socket.end();
      else {
        isStarted = true;
        cycle.push(message);
        if (type === undefined || type === QUERY || type === SYNC) {
          cycles.push(cycle);
          cycle = [];
        }
      }
    }
  };
}
