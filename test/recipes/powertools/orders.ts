import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { powertools } from 'batchlatch/observe';
import { charge, type Order } from './payments.ts';

const logger = new Logger({ serviceName: 'orders' });
const metrics = new Metrics({ namespace: 'shop', serviceName: 'orders' });
const tracer = new Tracer({ serviceName: 'orders' });

export const handler = createBatchProcessor<Order>(
  async ({ body }, { idempotencyKey }) => {
    logger.info('charging', { orderId: body.orderId });
    const { chargeId } = await charge(body, { idempotencyKey });
    tracer.putAnnotation('chargeId', chargeId);
    metrics.addMetric('OrdersCharged', 'Count', 1);
    return { chargeId };
  },
  {
    key: payloadHash({ include: ['orderId'] }),
    observer: powertools({ logger, metrics, tracer }), // any of the three
  },
);
