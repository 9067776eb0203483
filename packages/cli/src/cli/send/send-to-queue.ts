import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { type QueueOptions, withQueue } from '../connect/sqs.ts';
import type { Context } from '../context.ts';
import type { LineSource } from '../lines/open-lines.ts';
import type { ExitStatus } from '../process-io.ts';
import { type MessageOptions, type Outgoing, outgoing } from '../../sending/outgoing.ts';
import { queueSender } from '../../sending/queue-sender.ts';
import { sendBatch } from '../../sending/send-batch.ts';
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
  // A bare name may be a logical id, so it does not say whether the queue is FIFO.
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

/** Resolves `--queue`, which may also be a URL or, with `--template`, a logical id. */
async function queueOf(context: Context, { queue, queueUrl, template }: SendToQueueOptions): Promise<Queue> {
  if (queue !== undefined && queueUrl === undefined && /^https?:\/\//.test(queue)) return { queueUrl: queue };
  const name = queue === undefined || template === undefined ? queue : await nameIn(context, template, queue);
  return { ...(name !== undefined && { queue: name }), ...(queueUrl !== undefined && { queueUrl }) };
}

/** Returns the name that `batchlatch dev` gives to the queue with this logical id; else the text itself. */
async function nameIn({ env }: Context, template: string, queue: string): Promise<string> {
  const [{ stackOf }, { givenPlaces }] = await Promise.all([
    import('../dev/stack-options.ts'),
    import('../dev/given-places.ts'),
  ]);
  const { stack } = await stackOf({ template }, givenPlaces(env));
  return stack.queues.find(({ id }) => id === queue)?.name ?? queue;
}

/** Removes the names of the queue. */
function connectionOf({ queue: _name, queueUrl: _url, ...rest }: SendToQueueOptions): ConnectionOptions {
  return rest;
}

/** Throws a `UsageError` for options that the queue does not support. `isFifo`: undefined if unknown. */
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
