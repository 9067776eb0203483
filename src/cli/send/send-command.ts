import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import { type QueueOptions, withQueue } from '../connect/sqs.ts';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';
import type { Run } from '../leaf.ts';
import { type LineSource, openLines } from '../lines/open-lines.ts';
import { visible } from '../print/visible.ts';
import { count, number } from '../print/words.ts';
import type { ExitStatus } from '../surroundings.ts';
import type { MessageOptions } from './outgoing.ts';
import { sendBatch } from './send-batch.ts';
import { type SendLinesOptions, sendLines, type Tally } from './send-lines.ts';
import { withSendProgress } from './send-progress.ts';

interface SendOptions extends QueueOptions, MessageOptions {
  readonly concurrency: number;
  readonly rate?: number;
  readonly delay?: number;
  readonly dryRun?: boolean;
}

/** Of the lines that were not sent, so many are printed. */
const MOST_SHOWN = 20;

/** `send` */
export const sendCommand: Run<SendOptions> = async (context, options, [file = '']) => {
  const queue = queueOf(options);
  const name = queue.queueUrl ?? queue.queue ?? '';
  assertFits(options, name.endsWith('.fifo'));
  const source = await openLines(file, context);
  if (options.dryRun === true) {
    const send: SendLinesOptions['send'] = async (messages) => ({
      sent: messages.length,
      refused: [],
      repeated: 0,
    });
    const tally = await run(context, options, source, name, send);
    return report(context, source, name, tally, true);
  }
  const connection = { title: 'queue', maxAttempts: 1 };
  return withQueue(
    context,
    { ...connectionOf(options), ...queue },
    async (sqs, queueUrl) => {
      const sender = { sqs, queueUrl, delaySeconds: options.delay, sleep: (ms: number) => context.sleep(ms) };
      const tally = await run(context, options, source, queueUrl, (messages) => sendBatch(messages, sender));
      return report(context, source, queueUrl, tally, false);
    },
    connection,
  );
};

/** `--queue` may be a URL too. */
function queueOf({ queue, queueUrl }: QueueOptions): { queue?: string; queueUrl?: string } {
  if (queue !== undefined && queueUrl === undefined && /^https?:\/\//.test(queue)) return { queueUrl: queue };
  return { ...(queue !== undefined && { queue }), ...(queueUrl !== undefined && { queueUrl }) };
}

/** Without the names of the queue. */
function connectionOf({ queue: _name, queueUrl: _url, ...rest }: SendOptions): ConnectionOptions {
  return rest;
}

function assertFits(options: SendOptions, isFifo: boolean): void {
  const { groupId, groupKey, dedupId, dedupKey, delay } = options;
  if (groupId !== undefined && groupKey !== undefined) {
    throw new UsageError('Give --group-id or --group-key, not both.');
  }
  if (dedupId !== undefined && dedupKey !== undefined) {
    throw new UsageError('Give --dedup-id or --dedup-key, not both.');
  }
  if (isFifo && groupId === undefined && groupKey === undefined) {
    throw new UsageError('Messages of a FIFO queue have a group: add --group-id ID or --group-key PATH.');
  }
  if (isFifo && delay !== undefined) {
    throw new UsageError(
      'A FIFO queue has one delay for all messages: set it on the queue, and leave --delay out.',
    );
  }
  if (!isFifo && (dedupId !== undefined || dedupKey !== undefined)) {
    throw new UsageError('Only FIFO queues drop duplicates: leave --dedup-id and --dedup-key out.');
  }
}

function run(
  context: Context,
  options: SendOptions,
  source: LineSource,
  queue: string,
  send: SendLinesOptions['send'],
): Promise<Tally> {
  return withSendProgress(context, source.size, (onProgress) =>
    sendLines(source, {
      ...options,
      isFifo: queue.endsWith('.fifo'),
      clock: clockOf(context),
      signal: context.signal,
      send,
      onProgress,
    }),
  );
}

function report(
  { screen, signal }: Context,
  source: LineSource,
  queue: string,
  tally: Tally,
  isDryRun: boolean,
): ExitStatus {
  const { read, sent, failed, repeated, requests, lastLine, failures, fatal } = tally;
  const isWhole = fatal === undefined && !signal.aborted;
  const error = fatal === undefined ? null : explainError(fatal).line;
  if (screen.isJson) {
    screen.json({
      queue,
      read,
      sent,
      failed,
      repeated,
      requests,
      lastLine,
      isWhole,
      isDryRun,
      error,
      failures,
    });
  } else {
    for (const { line, code, message } of failures.slice(0, MOST_SHOWN)) {
      screen.note(visible(`${source.name}:${line} ${code === 'invalid' ? message : `${code}: ${message}`}`));
    }
    if (failed > MOST_SHOWN)
      screen.note(`… and ${number(failed - MOST_SHOWN)} more; --json lists the first 1,000.`);
    const verb = isDryRun ? 'would be sent' : sent === 1 ? 'was sent' : 'were sent';
    const rest = failed === 0 ? '' : `, ${count(failed, 'line')} not`;
    screen.line(`${count(sent, 'message')} ${verb} to ${visible(nameOf(queue))}${rest}.`);
    if (repeated > 0 && !queue.endsWith('.fifo')) {
      screen.note(
        `${count(repeated, 'message')} may be there twice: a request got no answer and was sent again.`,
      );
    }
    if (!isWhole) screen.note(`It ended after line ${number(lastLine)}; no later line was sent.`);
    if (error !== null) screen.note(`Error: ${error}`);
  }
  return failed === 0 && isWhole ? 0 : 1;
}

function nameOf(queue: string): string {
  return queue.split('/').at(-1) ?? queue;
}
