import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

/** An invocation as it arrived. */
interface Invocation {
  readonly functionName: string;
  readonly qualifier: string | null;
  readonly type: string;
  readonly executionName: string | undefined;
  readonly payload: string;
}

interface Answer {
  readonly status: number;
  readonly error?: string;
  /** Of the execution. */
  readonly arn?: string;
}

/** What the service does to a request in place of what it documents: an error, or no answer after it was done. */
type Fault = { readonly status: number; readonly error: string } | 'lose-answer';

/** Lambda's Invoke, as far as AWS documents it for durable functions. No emulator knows names of executions. */
export interface LambdaService {
  readonly endpoint: string;
  readonly invocations: readonly Invocation[];
  /** Every execution that was started: its payload by its name. */
  readonly executions: ReadonlyMap<string, string>;
  /** For the next requests, in order. */
  fail(...faults: readonly Fault[]): void;
}

const MOST_BYTES = 1_048_576;

/** For all tests of one `describe`: a durable function `fulfil-order` with the alias `live`, and `plain`, which is not durable. */
export function lambdaService(): LambdaService {
  let server: Server;
  let invocations: Invocation[] = [];
  let faults: Fault[] = [];
  let executions = new Map<string, string>();

  function answer(invocation: Invocation): Answer {
    const { functionName, qualifier, executionName = 'generated', payload } = invocation;
    const bareName = functionName.split(':').at(-1) ?? '';
    if (Buffer.byteLength(payload) > MOST_BYTES) return { status: 413, error: 'RequestTooLargeException' };
    if (bareName === 'plain') return { status: 202 };
    if (bareName !== 'fulfil-order') return { status: 404, error: 'ResourceNotFoundException' };
    if (qualifier === null) return { status: 400, error: 'InvalidParameterValueException' };
    const known = executions.get(executionName);
    if (known !== undefined && known !== payload) {
      return { status: 409, error: 'DurableExecutionAlreadyStartedException' };
    }
    executions.set(executionName, payload);
    return { status: 202, arn: arnOf(executionName) };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const invocation = await invocationOf(request);
    invocations.push(invocation);
    const fault = faults.shift();
    const { status, error, arn }: Answer = typeof fault === 'object' ? fault : answer(invocation);
    if (fault === 'lose-answer') return void request.socket.destroy();
    response.statusCode = status;
    if (error !== undefined) response.setHeader('X-Amzn-ErrorType', error);
    if (arn !== undefined) response.setHeader('X-Amz-Durable-Execution-Arn', arn);
    response.end(error === undefined ? '' : JSON.stringify({ Message: 'as documented' }));
  }

  beforeAll(async () => {
    server = createServer((request, response) => void serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    invocations = [];
    faults = [];
    executions = new Map();
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  return {
    get endpoint() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get invocations() {
      return invocations;
    },
    get executions() {
      return executions;
    },
    fail: (...given) => void faults.push(...given),
  };
}

/** The ARN of the execution of this name. */
export function arnOf(executionName: string): string {
  return `arn:aws:lambda:us-east-1:123456789012:function:fulfil-order:7/durable-execution/${executionName}/1`;
}

async function invocationOf(request: IncomingMessage): Promise<Invocation> {
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  const [, functionName = ''] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(url.pathname) ?? [];
  const { headers } = request;
  return {
    functionName: decodeURIComponent(functionName),
    qualifier: url.searchParams.get('Qualifier'),
    type: String(headers['x-amz-invocation-type']),
    executionName: headers['x-amz-durable-execution-name'] as string | undefined,
    payload: await text(request),
  };
}
