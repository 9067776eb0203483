import type { buildApp as BuildApp } from 'fauxqs';
import { guardServer } from 'batchlatch/operations';
import { importInstalled } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/**
 * Starts an SQS inside this process: FIFO queues, dead-letter queues, visibility, delays and long polling.
 * It also answers SNS and S3 calls. Queues are in memory. The URL of a queue has the host by which it was
 * asked for, and a queue is found whatever host its URL has.
 */
export async function startSqsEmulator(options: StartOptions = {}): Promise<LocalService> {
  // fauxqs loads AWS's SDK, which warns about Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { buildApp } = (await importInstalled('fauxqs')) as { readonly buildApp: typeof BuildApp };
  // Its startFauxqs() does the same but listens on every interface of the machine.
  const app = buildApp({ logger: false });
  let ownHost = '';
  app.addHook('preHandler', (request, _reply, done) => {
    const { headers, body } = request;
    knowByAnyHost(body, regionOf(headers.authorization), ownHost);
    // A new queue gets the port of this header in its URL, which a forwarded port must not be.
    headers[ASKED_HOST] = headers.host;
    headers.host = ownHost;
    done();
  });
  app.addHook('preSerialization', (request, _reply, answer, done) => {
    done(null, withAskedHost(answer, String(request.headers[ASKED_HOST] ?? ownHost)));
  });
  guardServer(app.server, '127.0.0.1', options.allowedHosts);
  const endpoint = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  ownHost = new URL(endpoint).host;
  let stopped: Promise<void> | undefined;
  return {
    name: 'fauxqs',
    endpoint,
    stop: () => (stopped ??= Promise.resolve(app.close())),
  };
}

/** Keeps the `Host` of a request. */
const ASKED_HOST = 'x-batchlatch-asked-host';

/**
 * fauxqs calls a queue `http://sqs.REGION.localhost:PORT/…`, which not every system resolves, and finds it
 * by exactly that. SQS does not look at the host.
 */
function knowByAnyHost(body: unknown, region: string, ownHost: string): void {
  if (typeof body !== 'object' || body === null || !('QueueUrl' in body)) return;
  const { QueueUrl: url } = body;
  const [, path] = (typeof url === 'string' && /^https?:\/\/[^/]+(\/.*)$/.exec(url)) || [];
  const [, port] = /:(\d+)$/.exec(ownHost) ?? [];
  if (path !== undefined) body.QueueUrl = `http://sqs.${region}.localhost:${port}${path}`;
}

/** The region that a request is signed for. */
function regionOf(authorization = ''): string {
  return /Credential=[^/]*\/\d*\/([a-z0-9-]+)\//.exec(authorization)?.[1] ?? 'us-east-1';
}

/** The answer, its queues under the host that the request was sent to: the caller can resolve that. */
function withAskedHost(answer: unknown, host: string): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { QueueUrl: url, QueueUrls: urls } = answer as {
    readonly QueueUrl?: unknown;
    readonly QueueUrls?: unknown;
  };
  const atHost = (one: unknown): string => String(one).replace(/^http:\/\/[^/]+/, `http://${host}`);
  return {
    ...answer,
    ...(typeof url === 'string' && { QueueUrl: atHost(url) }),
    ...(Array.isArray(urls) && { QueueUrls: urls.map(atHost) }),
  };
}
