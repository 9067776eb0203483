import type { LocalService, StartOptions } from './local-service.ts';

/**
 * Starts an SQS inside this process: FIFO queues, dead-letter queues, visibility, delays and long polling. It
 * also answers SNS and S3 calls. Queues are in memory.
 */
export async function startSqsEmulator(options: StartOptions = {}): Promise<LocalService> {
  // fauxqs loads AWS's SDK, which warns about Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { buildApp } = await import('fauxqs');
  // Its startFauxqs() does the same but listens on every interface of the machine.
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  let stopped: Promise<void> | undefined;
  return {
    name: 'fauxqs',
    endpoint,
    stop: () => (stopped ??= Promise.resolve(app.close())),
  };
}
