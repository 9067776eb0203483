import { SQSClient } from '@aws-sdk/client-sqs';
import { AbstractSqsPublisher } from '@message-queue-toolkit/sqs';
import pLimit from 'p-limit';
import { AT_ONCE, type CreateProducer, type Order } from './producer.ts';
import { order } from './schema.ts';

const nothing = (): void => undefined;
const logger = {
  level: 'silent',
  msgPrefix: undefined,
  isLevelEnabled: () => false,
  child: () => logger,
  debug: nothing,
  error: nothing,
  fatal: nothing,
  info: nothing,
  silent: nothing,
  trace: nothing,
  warn: nothing,
};

class OrderPublisher extends AbstractSqsPublisher<Order> {
  constructor(queueUrl: string) {
    super(
      { sqsClient: new SQSClient({}), logger: logger, errorReporter: { report: nothing } },
      {
        locatorConfig: { queueUrl },
        messageSchemas: [order],
        messageTypeResolver: { messageTypePath: 'type' },
        logMessages: false,
      },
    );
  }
}

/** Its publisher sends a request for each message. The SDK sends refused ones again, until its quota is used up. */
export const createProducer: CreateProducer = (queueUrl) => {
  const publisher = new OrderPublisher(queueUrl);
  const limit = pLimit(AT_ONCE);
  async function publish(one: Order): Promise<void> {
    try {
      await publisher.publish(one);
    } catch (thrown) {
      if (!String(thrown).includes('Slow down')) throw thrown;
      await publish(one);
    }
  }

  return async (all) => {
    await Promise.all(all.map((one) => limit(() => publish(one))));
  };
};
