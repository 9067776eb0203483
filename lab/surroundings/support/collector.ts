import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'node:zlib';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';

/** In place of the service that an agent reports to, by HTTP or by UDP. */
export interface Collector {
  /** `127.0.0.1:PORT`, for both. */
  readonly address: string;
  /** All reports so far, as Latin-1: texts can be found in binary formats too. */
  collected(): string;
  stop(): Promise<void>;
}

/** Answers every request with 200. */
export async function startCollector(): Promise<Collector> {
  const reports: string[] = [];
  const server = createServer((request, response) => {
    contentOf(request).then(
      (content) => {
        reports.push(`${request.method} ${request.url}\n${content}`);
        response.end(answerTo(request));
      },
      () => response.destroy(),
    );
  });
  const port = await listenLocally(server);
  const datagrams = createSocket('udp4');
  datagrams.on('message', (message) => reports.push(message.toString('latin1')));
  datagrams.bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
  return {
    address: `127.0.0.1:${port}`,
    collected: () => reports.join('\n'),
    async stop() {
      datagrams.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function contentOf(request: IncomingMessage): Promise<string> {
  const content = await buffer(request);
  const isCompressed = request.headers['content-encoding'] !== undefined;
  return (isCompressed ? unzipSync(content) : content).toString('latin1');
}

function answerTo({ url, headers }: IncomingMessage): string {
  if (url === '/') return '{"version":"8.0.0"}'; // Elastic asks for it first
  return headers['content-type']?.includes('protobuf') === true ? '' : '{}';
}
