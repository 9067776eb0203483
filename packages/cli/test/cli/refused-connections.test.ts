import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runCommand } from './run-command.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of which nothing is known but what it does with a connection. */
async function serve(greet: (socket: Socket) => void): Promise<{ readonly host: string; ended(): unknown }> {
  const server = createServer();
  servers.push(server);
  const connected = once(server, 'connection') as Promise<[Socket]>;
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    greet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ended: async () => {
      const [socket] = await connected;
      return socket.closed || once(socket, 'close');
    },
  };
}

/** As PostgreSQL asks for a password: it waits a minute for it. */
function askForPassword(socket: Socket): void {
  socket.once('data', () => {
    socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
    socket.once('data', (answer: Buffer) => {
      const nonce = /r=(.*)/.exec(answer.toString('latin1'))?.[1] ?? '';
      socket.write(authentication(11, `r=${nonce}server,s=c2FsdA==,i=4096`));
    });
  });
}

function authentication(step: number, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + text.length, 1);
  head.writeInt32BE(step, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

function refuse(socket: Socket): void {
  const error = 'SFATAL\0VFATAL\0C3D000\0Mdatabase "d" does not exist\0\0';
  const message = Buffer.alloc(5);
  message.write('E');
  message.writeInt32BE(4 + error.length, 1);
  socket.once('data', () => socket.end(Buffer.concat([message, Buffer.from(error)])));
}

describe('A command whose store cannot be reached', () => {
  it('says that a password is missing, and leaves no connection open', async () => {
    const { host, ended } = await serve(askForPassword);
    const { status, err } = await runCommand(['claims', 'list', '--postgres', `postgres://u@${host}/d`]);
    expect({ status, err }).toEqual({
      status: 1,
      err: 'Error: PostgreSQL asks for a password, and none is given: put it into the URL or into PGPASSWORD.\n',
    });
    await ended();
  });

  it('says why PostgreSQL refuses it, at once', async () => {
    const { host } = await serve(refuse);
    const { status, err } = await runCommand(['claims', 'list', '--postgres', `postgres://u:p@${host}/d`]);
    expect({ status, err }).toEqual({
      status: 1,
      err: 'Error: PostgreSQL does not let the role in: database "d" does not exist. Check the URL, or PGUSER, PGPASSWORD and PGDATABASE.\n',
    });
  });

  it('says which file of an encrypted connection to PostgreSQL cannot be read', async () => {
    for (const file of ['/nowhere/ca.pem', '/']) {
      const url = `postgres://u:p@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=${file}`;
      const { status, err } = await runCommand(['claims', 'list', '--postgres', url]);
      expect(status).toBe(1);
      expect(err).toMatch(
        /^Error: A file of the connection to PostgreSQL cannot be read \(E.*\): check `sslrootcert`/,
      );
    }
  });

  it.each([false, true])(
    'says how to write a %% in the password of Redis (a cluster: %s)',
    async (isCluster) => {
      const argv = ['claims', 'list', '--redis', 'redis://user:100%@127.0.0.1:1'];
      expect(await runCommand(isCluster ? [...argv, '--redis-cluster'] : argv)).toEqual({
        status: 2,
        out: '',
        err: 'Error: The user or the password in the URL of Redis has a % of its own: write it as %25.\n',
      });
    },
  );

  it('says that PostgreSQL has closed the connection', async () => {
    const { host } = await serve((socket) => socket.resetAndDestroy());
    const { err } = await runCommand(['claims', 'list', '--postgres', `postgres://u:p@${host}/d`]);
    expect(err).toMatch(/^Error: PostgreSQL does not answer \(.*\): check the host and the port\.\n$/);
  });

  it('says that what answers is no Redis', async () => {
    const { host } = await serve((socket) => socket.resetAndDestroy());
    const { status, err } = await runCommand(['claims', 'list', '--redis', `redis://${host}`]);
    expect(status).toBe(1);
    expect(err).toMatch(/^Error: The server is not Redis, or requires TLS \(.*\): check the port, .*\n$/);
  });

  it('says that a Redis is silent after 5 seconds, and leaves no connection open', async () => {
    const { host, ended } = await serve((socket) => socket.resume());
    const { status, err } = await runCommand(['claims', 'list', '--redis', `redis://${host}`]);
    expect({ status, err }).toEqual({
      status: 1,
      err: 'Error: Redis does not answer (no answer within 5 seconds): check the host and the port.\n',
    });
    await ended();
  });

  it('says how to read a table that has too few read units', async () => {
    const body = '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}';
    const head = 'HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0';
    const { host } = await serve((socket) =>
      socket.on('data', () => socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)),
    );
    const at = ['--table', 'claims', '--endpoint-url', `http://${host}`];
    expect(await runCommand(['claims', 'list', '--all', ...at])).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^Error: AWS refuses requests for now, .* AWS_MAX_ATTEMPTS=20/m),
    });
  });

  it('checks no table of a DynamoDB that is silent for 10 seconds', async () => {
    let connections = 0;
    const { host } = await serve((socket) => {
      connections += 1;
      if (connections === 1) socket.resume();
      else socket.resetAndDestroy(); // or the test would wait for each attempt
    });
    const { status, err } = await runCommand(
      ['table', 'check', '--table', 'claims', '--endpoint-url', `http://${host}`],
      { signal: AbortSignal.timeout(25_000) },
    );
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/^Error: .*\n$/) });
  }, 30_000);

  it('ends doctor at Ctrl-C while SQS is silent, before its time limit', async () => {
    const stopping = new AbortController();
    let hang: Socket | undefined;
    let stoppedAt = 0;
    const { host } = await serve((socket) => {
      hang = socket.resume();
      stoppedAt ||= performance.now();
      stopping.abort();
    });
    const url = `http://${host}/000000000000/orders`;
    const { signal } = stopping;
    expect(
      await runCommand(['doctor', '--queue-url', url, '--endpoint-url', `http://${host}`], { signal }),
    ).toEqual({ status: 130, out: '', err: '' });
    expect(performance.now() - stoppedAt).toBeLessThan(8_000); // a request may take 10 s
    hang?.destroy();
  });

  it.each<[string, (host: string) => string[]]>([
    ['Redis', (host) => ['claims', 'list', '--redis', `redis://${host}`]],
    ['SQS', (host) => ['dlq', 'list', '--queue', 'orders-dlq', '--endpoint-url', `http://${host}`]],
    ['DynamoDB', (host) => ['claims', 'list', '--table', 'claims', '--endpoint-url', `http://${host}`]],
  ])('ends at Ctrl-C while %s is silent', async (_, argv) => {
    const stopping = new AbortController();
    const { host, ended } = await serve((socket) => {
      socket.resume();
      stopping.abort();
    });
    const { signal } = stopping;
    expect(await runCommand(argv(host), { signal })).toEqual({ status: 130, out: '', err: '' });
    await ended();
  });
});
