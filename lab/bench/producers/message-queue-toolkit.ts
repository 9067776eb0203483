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

/** Its publisher sends a request for each message; the SDK sends refused ones again. */
export const createProducer: CreateProducer = (queueUrl) => {
  const publisher = new OrderPublisher(queueUrl);
  const limit = pLimit(AT_ONCE);
  return async (all) => {
    await Promise.all(all.map((one) => limit(() => publisher.publish(one))));
  };
};
