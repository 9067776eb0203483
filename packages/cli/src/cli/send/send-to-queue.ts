import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { type QueueOptions, withQueue } from '../connect/sqs.ts';
import type { Context } from '../context.ts';
import type { LineSource } from '../lines/open-lines.ts';
import type { ExitStatus } from '../process-io.ts';
import { type MessageOptions, type Outgoing, outgoing } from './outgoing.ts';
import { queueSender } from './queue-sender.ts';
import { sendBatch } from './send-batch.ts';
import { type Destination, sendFile, type SendingOptions } from './send-file.ts';

export interface SendToQueueOptions extends QueueOptions, MessageOptions, SendingOptions {
  readonly template?: string;
  readonly delay?: number;
}

/** Sends each line as a message to a queue. */
export async function sendToQueue(
  context: Context,
  options: SendToQueueOptions,
  open: () => Promise<LineSource>,
): Promise<ExitStatus> {
  const queue = await queueOf(context, options);
  const name = queue.queueUrl ?? queue.queue ?? '';
  // Of a name alone it is not known whether it is a logical id.
  const isSure = queue.queueUrl !== undefined || name.endsWith('.fifo') || options.dryRun === true;
  assertFits(options, isSure ? name.endsWith('.fifo') : undefined);
  const source = await open();
  if (options.dryRun === true) {
    const none = async (): Promise<never> => Promise.reject(new Error('Nothing is sent in a dry run'));
    return sendFile(context, options, source, destinationOf(name, options, none));
  }
  return withQueue(
    context,
    { ...connectionOf(options), ...queue },
    (sqs, queueUrl) => {
      assertFits(options, queueUrl.endsWith('.fifo'));
      const sender = queueSender({ sqs, queueUrl, delaySeconds: options.delay }, (ms) => context.sleep(ms));
      const send: Destination<Outgoing>['send'] = (messages) => sendBatch(messages, sender);
      return sendFile(context, options, source, destinationOf(queueUrl, options, send));
    },
    { title: 'queue', maxAttempts: 1 },
  );
}

function destinationOf(
  address: string,
  options: MessageOptions,
  send: Destination<Outgoing>['send'],
): Destination<Outgoing> {
  const isFifo = address.endsWith('.fifo');
  return {
    kind: 'queue',
    address,
    keepsRepeated: !isFifo,
    messageOf: (line) => outgoing(line, options, isFifo),
    ...(isFifo && { laneOf: ({ groupId }) => groupId ?? '' }),
    send,
  };
}

type Queue = { readonly queue?: string; readonly queueUrl?: string };

/** `--queue` may be a URL too, or with `--template` a logical id. */
async function queueOf(context: Context, { queue, queueUrl, template }: SendToQueueOptions): Promise<Queue> {
  if (queue !== undefined && queueUrl === undefined && /^https?:\/\//.test(queue)) return { queueUrl: queue };
  const name = queue === undefined || template === undefined ? queue : await nameIn(context, template, queue);
  return { ...(name !== undefined && { queue: name }), ...(queueUrl !== undefined && { queueUrl }) };
}

/** The name that `batchlatch dev` gives to a queue of the template; what is none of its logical ids is a name. */
async function nameIn({ env }: Context, template: string, queue: string): Promise<string> {
  const [{ stackOf }, { givenPlaces }] = await Promise.all([
    import('../dev/stack-options.ts'),
    import('../dev/given-places.ts'),
  ]);
  const { stack } = await stackOf({ template }, givenPlaces(env));
  return stack.queues.find(({ id }) => id === queue)?.name ?? queue;
}

/** Without the names of the queue. */
function connectionOf({ queue: _name, queueUrl: _url, ...rest }: SendToQueueOptions): ConnectionOptions {
  return rest;
}

/** `isFifo`: undefined where that is not known yet. */
function assertFits(options: SendToQueueOptions, isFifo: boolean | undefined): void {
  const { groupId, groupKey, dedupId, dedupKey, delay } = options;
  if (groupId !== undefined && groupKey !== undefined) {
    throw new UsageError('Give --group-id or --group-key, not both.');
  }
  if (dedupId !== undefined && dedupKey !== undefined) {
    throw new UsageError('Give --dedup-id or --dedup-key, not both.');
  }
  if (isFifo === true && groupId === undefined && groupKey === undefined) {
    throw new UsageError('Messages of a FIFO queue have a group: add --group-id ID or --group-key PATH.');
  }
  if (isFifo === true && delay !== undefined) {
    throw new UsageError(
      'A FIFO queue has one delay for all messages: set it on the queue, and leave --delay out.',
    );
  }
  if (isFifo === false && (dedupId !== undefined || dedupKey !== undefined)) {
    throw new UsageError('Only FIFO queues drop duplicates: leave --dedup-id and --dedup-key out.');
  }
}
