import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer, json, text } from 'node:stream/consumers';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';

/** A call of AWS's JSON protocol. */
export interface JsonCall<Input> {
  /** Such as `ReceiveMessage`. */
  readonly operation: string;
  readonly input: Input;
  readonly headers: IncomingHttpHeaders;
  /** The text that `input` was read from. */
  readonly body: string;
  /** When it arrived, in epoch milliseconds. */
  readonly at: number;
}

/** Asks the service, with another input where one is given. */
type Ask<Input, Answer> = (input?: Input) => Promise<Answer>;

/** Answers a call as it likes; a `Refusal` that it throws is the service's error, and anything else breaks the connection. */
export type Interposed<Input, Answer> = (call: JsonCall<Input>, ask: Ask<Input, Answer>) => Promise<Answer>;

/** An error of the service. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(body);
    this.status = status;
    this.body = body;
  }
}

export function refusal(name: string, status = 400): Refusal {
  return new Refusal(status, JSON.stringify({ __type: name, message: `Because of ${name}` }));
}

/** A service that is seen through, and changed, on its way. */
export interface JsonProxy<Input, Answer> extends LocalService {
  /** What is done from now on. */
  interpose(interposed: Interposed<Input, Answer>): void;
}

interface JsonProxyOptions {
  /** Whether a request whose caller is gone is asked to its end. */
  readonly finishes?: boolean;
  /** Key and certificate of an endpoint with `https`. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/**
 * For a service that speaks AWS's JSON protocol. When a caller is gone, what it asked is broken off, or asked to its end where
 * `finishes` says so.
 */
export async function startJsonProxy<Input extends object, Answer extends object>(
  target: string,
  { finishes = false, tls }: JsonProxyOptions = {},
): Promise<JsonProxy<Input, Answer>> {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  let interposed: Interposed<Input, Answer> = (_call, ask) => ask();

  async function ask(incoming: IncomingMessage, input: Input, signal: AbortSignal): Promise<Answer> {
    const { host: _host, 'content-length': _length, ...headers } = incoming.headers;
    const outgoing = request(new URL(incoming.url ?? '/', target), {
      method: 'POST',
      headers,
      agent,
      signal,
    });
    outgoing.end(JSON.stringify(input));
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (answer.statusCode === 200) return (await json(answer)) as Answer;
    throw new Refusal(answer.statusCode ?? 500, (await buffer(answer)).toString('utf8'));
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    if (!finishes) response.on('close', () => gone.abort());
    const { headers } = incoming;
    const body = await text(incoming);
    const call: JsonCall<Input> = {
      operation: String(headers['x-amz-target']).split('.').at(-1) ?? '',
      input: JSON.parse(body) as Input,
      headers,
      body,
      at: Date.now(),
    };
    try {
      const answer = await interposed(call, (input = call.input) => ask(incoming, input, gone.signal));
      respond(response, 200, JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      respond(response, error.status, error.body);
    }
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    handle(incoming, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const port = await listenLocally(server);
  return {
    name: 'JSON proxy',
    endpoint: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    interpose: (next) => void (interposed = next),
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(body);
}
