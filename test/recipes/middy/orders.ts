import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { powertools } from 'batchlatch/observe';
import { charge, type Order } from './payments.ts';

const logger = new Logger({ serviceName: 'orders' });

const processOrders = createBatchProcessor<Order>(
  async ({ body }, { idempotencyKey }) => {
    logger.info('charging');
    return charge(body, { idempotencyKey });
  },
  { key: payloadHash({ include: ['orderId'] }), observer: powertools({ logger }) },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger, { clearState: true }))
  .handler((event, context) => processOrders(event, context));
