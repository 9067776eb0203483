import { ConfigurationError } from '../claims/errors.ts';

/** Where a queue is, from the ARN its records carry. */
export type QueueUrlOf = (queueArn: string) => string;

/**
 * The URL of AWS's own endpoint for a queue (`arn:aws:sqs:region:account:name`; "Amazon SQS queue and message
 * identifiers", SQS developer guide). Emulators and private endpoints have others: `visibility.queueUrl`.
 */
export function queueUrlOf(queueArn: string): string {
  const [, partition, service, region, account, name] = queueArn.split(':');
  if (service !== 'sqs' || !region || !account || !name) {
    throw new ConfigurationError(
      `Cannot tell the queue's URL from the ARN \`${queueArn}\`; set \`visibility.queueUrl\``,
    );
  }
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://sqs.${region}.${suffix}/${account}/${name}`;
}
