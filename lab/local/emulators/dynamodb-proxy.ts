import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { guardServer } from '../../../src/guard/guard-server.ts';

/** A call to DynamoDB on its way. */
export interface DynamoDBCall {
  /** Such as `PutItem`. */
  readonly operation: string;
  /** JSON text. */
  readonly body: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** What the caller gets instead of DynamoDB's answer: an error of this name, which AWS's SDK does not retry. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
}

/**
 * Starts a server that passes calls on to a DynamoDB emulator. `onCall` sees each of them first; it may count,
 * wait, or answer with a refusal.
 */
export async function startDynamoDBProxy(
  target: string,
  onCall: (call: DynamoDBCall) => Promise<Refusal | undefined> | undefined,
): Promise<LocalService> {
  const agent = new Agent({ keepAlive: true, noDelay: true });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const body = await buffer(incoming);
    const refusal = await onCall({
      operation: String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '',
      body: body.toString('utf8'),
      signal: gone.signal,
    });
    if (gone.signal.aborted) return; // its caller is gone: it is not passed on
    if (refusal === undefined) await passOn(incoming, body, response);
    else refuse(response, refusal);
  }

  async function passOn(incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { method, headers, url } = incoming;
    const place = new URL(url ?? '/', target);
    const outgoing = request(place, { method, headers: { ...headers, host: place.host }, agent });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  }

  const server = createServer((incoming, response) => {
    // Broken connections are seen and retried by the callers.
    handle(incoming, response).catch(() => response.destroy());
  });
  guardServer(server, '127.0.0.1');
  const port = await listenLocally(server);

  let stopped: Promise<void> | undefined;
  return {
    name: 'DynamoDB proxy',
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      (stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      })),
  };
}

function refuse(response: ServerResponse, { name, message }: Refusal): void {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }));
}
