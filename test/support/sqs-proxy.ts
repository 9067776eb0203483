import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';

/** A call to SQS. */
export interface SqsCall {
  /** Such as `ReceiveMessage`. */
  readonly operation: string;
  readonly input: SqsInput;
  /** When it arrived, in epoch milliseconds. */
  readonly at: number;
}

/** The members of requests that tests look at. */
interface SqsInput {
  readonly QueueUrl?: string;
  readonly Entries?: readonly {
    readonly Id: string;
    readonly ReceiptHandle: string;
    readonly VisibilityTimeout?: number;
  }[];
  readonly VisibilityTimeout?: number;
  readonly WaitTimeSeconds?: number;
}

/** The same of answers. */
interface SqsAnswer {
  readonly Messages?: readonly { readonly MessageId: string; readonly ReceiptHandle: string }[];
  readonly Successful?: readonly { readonly Id: string }[];
  readonly Failed?: readonly { readonly Id: string; readonly Code: string; readonly SenderFault: boolean }[];
}

/** Asks the queue, with another input where one is given. */
type Ask = (input?: SqsInput) => Promise<SqsAnswer>;

/** Answers a call as it likes; a `Refusal` that it throws is SQS's error, and anything else breaks the connection. */
export type Interposed = (call: SqsCall, ask: Ask) => Promise<SqsAnswer>;

/** An error of SQS. */
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
  return new Refusal(
    status,
    JSON.stringify({ __type: `com.amazonaws.sqs#${name}`, message: `Because of ${name}` }),
  );
}

/** A queue service that is seen through, and changed, on its way. */
export interface SqsProxy extends LocalService {
  /** Every call, in the order of arrival. */
  readonly calls: readonly SqsCall[];
  /** The URL of a queue by way of this proxy. */
  through(queueUrl: string): string;
  /** What is done from now on; undefined: calls are passed on as they are. */
  interpose(interposed: Interposed | undefined): void;
}

/** For clients that speak AWS's JSON protocol, as the SDK does. */
export async function startSqsProxy(target: string): Promise<SqsProxy> {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const calls: SqsCall[] = [];
  /** URLs of queues as the service calls them. */
  const known = new Map<string, string>();
  let interposed: Interposed = (_call, ask) => ask();

  async function ask(incoming: IncomingMessage, input: SqsInput, signal: AbortSignal): Promise<SqsAnswer> {
    const { QueueUrl } = input;
    const own = QueueUrl === undefined ? {} : { QueueUrl: known.get(QueueUrl) ?? QueueUrl };
    const body = JSON.stringify({ ...input, ...own });
    const { host: _host, 'content-length': _length, ...headers } = incoming.headers;
    const outgoing = request(new URL(incoming.url ?? '/', target), {
      method: 'POST',
      headers,
      agent,
      signal,
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (answer.statusCode === 200) return (await json(answer)) as SqsAnswer;
    throw new Refusal(answer.statusCode ?? 500, (await buffer(answer)).toString('utf8'));
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const call: SqsCall = {
      operation: String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '',
      input: (await json(incoming)) as SqsInput,
      at: Date.now(),
    };
    calls.push(call);
    try {
      const answer = await interposed(call, (input = call.input) => ask(incoming, input, gone.signal));
      respond(response, 200, JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      respond(response, error.status, error.body);
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy got no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  return {
    name: 'SQS proxy',
    endpoint,
    calls,
    through(queueUrl) {
      const own = new URL(new URL(queueUrl).pathname, endpoint).href;
      known.set(own, queueUrl);
      return own;
    },
    interpose: (next) => void (interposed = next ?? ((_call, asked) => asked())),
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
