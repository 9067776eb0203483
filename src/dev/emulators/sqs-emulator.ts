import type { buildApp as BuildApp } from 'fauxqs';
import { guardServer } from '../../guard/guard-server.ts';
import { importInstalled } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/**
 * Starts an SQS inside this process: FIFO queues, dead-letter queues, visibility, delays and long polling. It
 * also answers SNS and S3 calls. Queues are in memory. A queue is also found by its URL with the address of the endpoint.
 */
export async function startSqsEmulator(options: StartOptions = {}): Promise<LocalService> {
  // fauxqs loads AWS's SDK, which warns about Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { buildApp } = (await importInstalled('fauxqs')) as { readonly buildApp: typeof BuildApp };
  // Its startFauxqs() does the same but listens on every interface of the machine.
  const app = buildApp({ logger: false });
  app.addHook('preHandler', (request, _reply, done) => {
    knowByAnyHost(request.body);
    done();
  });
  guardServer(app.server, '127.0.0.1', options.allowedHosts);
  const endpoint = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  let stopped: Promise<void> | undefined;
  return {
    name: 'fauxqs',
    endpoint,
    stop: () => (stopped ??= Promise.resolve(app.close())),
  };
}

/** fauxqs finds a queue by its exact URL, which has a host name for the region in front of the port; SQS does not look at the host. */
function knowByAnyHost(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('QueueUrl' in body)) return;
  const { QueueUrl: url } = body;
  const [, port, path] = (typeof url === 'string' && /^http:\/\/127\.0\.0\.1:(\d+)(\/.*)$/.exec(url)) || [];
  if (port !== undefined) body.QueueUrl = `http://sqs.us-east-1.localhost:${port}${path}`;
}
