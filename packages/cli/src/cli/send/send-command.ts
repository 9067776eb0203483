import { UsageError } from '../cli-error.ts';
import type { Run } from '../subcommand.ts';
import { openLines } from '../lines/open-lines.ts';
import type { SendToBusOptions } from './send-to-bus.ts';
import type { SendToQueueOptions } from './send-to-queue.ts';

type SendOptions = SendToQueueOptions & Partial<SendToBusOptions>;

/** `send` */
export const sendCommand: Run<SendOptions> = async (context, options, [file = '']) => {
  const { bus } = options;
  if (bus !== undefined) {
    const { assertFitsBus, sendToBus } = await import('./send-to-bus.ts');
    assertFitsBus(options);
    return sendToBus(context, { ...options, bus }, await openLines(file, context));
  }
  if (options.source !== undefined || options.detailType !== undefined) {
    throw new UsageError('--source and --detail-type are for events: add --bus NAME.');
  }
  const { queue, queueUrl } = options;
  if ((queueUrl === undefined) === (queue === undefined)) {
    throw new UsageError('Name the queue: --queue-url URL or --queue NAME. Or a bus: --bus NAME.');
  }
  const { sendToQueue } = await import('./send-to-queue.ts');
  return sendToQueue(context, options, () => openLines(file, context));
};
