import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';

/** The emulator behind `https:`, with a certificate of its own. */
export interface TlsProxy {
  readonly endpoint: string;
  /** For `NODE_EXTRA_CA_CERTS`. */
  readonly certificateFile: string;
  stop(): Promise<void>;
}

/**
 * Puts TLS in front of a server that speaks plain HTTP. Its certificate is made with `openssl`, for this run;
 * resolves with undefined where there is no `openssl`.
 */
export async function startTlsProxy(target: string): Promise<TlsProxy | undefined> {
  const { hostname, port } = new URL(target);
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-bench-'));
  const keyFile = path.join(folder, 'key.pem');
  const certificateFile = path.join(folder, 'certificate.pem');
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  if (!(await makeCertificate(keyFile, certificateFile))) {
    await removeFolder();
    return undefined;
  }

  const sockets = new Set<Socket>();
  const server = createServer(
    { key: await readFile(keyFile), cert: await readFile(certificateFile), noDelay: true },
    (socket) => {
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
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The TLS proxy got no port');

  return {
    endpoint: `https://127.0.0.1:${address.port}`,
    certificateFile,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await removeFolder();
    },
  };
}

/** RSA of 2,048 bits, as DynamoDB's own. */
async function makeCertificate(keyFile: string, certificateFile: string): Promise<boolean> {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files];
  try {
    await promisify(execFile)('openssl', args);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
