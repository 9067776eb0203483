import { createWorker } from 'batchlatch/worker';
import { handler } from './orders.ts';

const worker = createWorker({
  queueUrl: process.env['QUEUE_URL'] ?? '',
  handler,
  maxInFlight: 100,
  health: { port: Number(process.env['HEALTH_PORT'] ?? 8080) },
  shutdownTimeoutMs: 100_000, // less than `StopTimeout` of service.yaml
  stopOn: ['SIGTERM', 'SIGINT'],
});

worker.on('receiveFailed', ({ error }) => console.error('Receive failed:', error.message));
worker.on('state', (state) => console.log('Worker:', state));

await worker.start();
