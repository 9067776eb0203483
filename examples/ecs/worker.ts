import { createWorker } from 'batchlatch/worker';
import { handler } from './orders.ts';

const worker = createWorker({
  queueUrl: process.env['QUEUE_URL'] ?? '',
  handler,
  maxInFlight: 100,
  health: {
    port: Number(process.env['HEALTH_PORT'] ?? 8080),
    host: process.env['HEALTH_HOST'] ?? '127.0.0.1',
  },
  // Less than the container has: `stopTimeout` of service.yaml, `terminationGracePeriodSeconds` of kubernetes/.
  shutdownTimeoutMs: 100_000,
  stopOn: ['SIGTERM', 'SIGINT'],
});

worker.on('receiveFailed', ({ error }) => console.error('Receive failed:', error.name, error.message));
worker.on('storeDown', (isDown) =>
  console.error(isDown ? 'The claim store is down' : 'The claim store is up'),
);
worker.on('state', (state) => console.log('Worker:', state));

await worker.start();
