import { ConfigurationError } from '../base/errors.ts';

/** Where a queue is, from the ARN its records carry. */
export type QueueUrlOf = (queueArn: string) => string;

/**
 * The URL of a queue (`arn:aws:sqs:region:account:name`; "Amazon SQS queue and message identifiers", SQS
 * developer guide) at an endpoint, or at AWS's own for the region. AWS's SDK sends a request to where the queue's
 * URL says, whatever endpoint it is configured with.
 */
export function queueUrlOf(queueArn: string, endpoint?: string): string {
  const [, partition, service, region, account, name] = queueArn.split(':');
  if (service !== 'sqs' || !region || !account || !name) {
    throw new ConfigurationError(
      `Cannot derive the queue's URL from the ARN \`${queueArn}\`; set \`queueUrl\``,
    );
  }
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (endpoint !== undefined) return new URL(`/${account}/${name}`, endpoint).href;
  return `https://sqs.${region}.${suffix}/${account}/${name}`;
}
