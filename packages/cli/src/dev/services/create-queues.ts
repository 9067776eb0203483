import type { Places } from '../places.ts';
import type { DevQueue } from '../stack.ts';
import { isRefusal, localCall } from './local-call.ts';

/** Attributes that cannot be changed. */
const FIXED = new Set(['FifoQueue']);
/** The defaults to restore when a template no longer sets an attribute. */
const DEFAULTS: Readonly<Record<string, string>> = {
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
};

/** The tag that CloudFormation adds. */
export const LOGICAL_ID_TAG = 'aws:cloudformation:logical-id';

/** Creates the queues, dead-letter queues first; updates the attributes of existing ones. */
export async function createQueues(places: Places, queues: readonly DevQueue[]): Promise<void> {
  for (const queue of deadLettersFirst(queues)) {
    try {
      await localCall(places.sqs, 'AmazonSQS.CreateQueue', {
        QueueName: queue.name,
        Attributes: queue.attributes,
        tags: { [LOGICAL_ID_TAG]: queue.id },
      });
    } catch (error) {
      if (!isRefusal(error, 'QueueNameExists', 'QueueAlreadyExists')) throw error;
      await setAttributes(places, queue);
    }
  }
}

async function setAttributes(places: Places, { url, attributes }: DevQueue): Promise<void> {
  const changeable = Object.entries({ ...DEFAULTS, ...attributes }).filter(([name]) => !FIXED.has(name));
  await localCall(places.sqs, 'AmazonSQS.SetQueueAttributes', {
    QueueUrl: url,
    Attributes: Object.fromEntries(changeable),
  });
}

function deadLettersFirst(queues: readonly DevQueue[]): readonly DevQueue[] {
  const ordered = new Set<DevQueue>();
  const add = (queue: DevQueue, seen: readonly DevQueue[]): void => {
    if (ordered.has(queue) || seen.includes(queue)) return;
    const policy = queue.attributes['RedrivePolicy'] ?? '{}';
    const { deadLetterTargetArn: arn } = JSON.parse(policy) as { deadLetterTargetArn?: string };
    const target = queues.find((one) => one.arn === arn);
    if (target !== undefined) add(target, [...seen, queue]);
    ordered.add(queue);
  };
  for (const queue of queues) add(queue, []);
  return [...ordered];
}
