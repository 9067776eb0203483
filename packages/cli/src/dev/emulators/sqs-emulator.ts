import type { buildApp as BuildApp } from 'fauxqs';
import { guardServer } from 'batchlatch/operations';
import { importInstalled } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/**
 * Starts an in-memory SQS in this process; it answers SNS and S3 calls too. Queue URLs have the host of the
 * request, and a queue is found by any host.
 */
export async function startSqsEmulator(options: StartOptions = {}): Promise<LocalService> {
  // fauxqs loads AWS's SDK, which warns about Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { buildApp } = (await importInstalled('fauxqs')) as { readonly buildApp: typeof BuildApp };
  // startFauxqs() would listen on every interface.
  const app = buildApp({ logger: false });
  let ownHost = '';
  app.addHook('preHandler', (request, _reply, done) => {
    const { headers, body } = request;
    knowByAnyHost(body, regionOf(headers.authorization), ownHost);
    // fauxqs takes the port of a new queue's URL from this header; a forwarded port would be wrong.
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

/** Header that keeps the `Host` of the request. */
const ASKED_HOST = 'x-batchlatch-asked-host';

/**
 * Rewrites the host of a queue URL to the one that fauxqs looks up, `http://sqs.REGION.localhost:PORT`, which
 * not every system resolves. SQS itself ignores the host.
 */
function knowByAnyHost(body: unknown, region: string, ownHost: string): void {
  if (typeof body !== 'object' || body === null || !('QueueUrl' in body)) return;
  const { QueueUrl: url } = body;
  const [, path] = (typeof url === 'string' && /^https?:\/\/[^/]+(\/.*)$/.exec(url)) || [];
  const [, port] = /:(\d+)$/.exec(ownHost) ?? [];
  if (path !== undefined) body.QueueUrl = `http://sqs.${region}.localhost:${port}${path}`;
}

/** Returns the region that a request is signed for. */
function regionOf(authorization = ''): string {
  return /Credential=[^/]*\/\d*\/([a-z0-9-]+)\//.exec(authorization)?.[1] ?? 'us-east-1';
}

/** Returns the answer with the host of the request in its queue URLs: the caller can resolve that. */
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
