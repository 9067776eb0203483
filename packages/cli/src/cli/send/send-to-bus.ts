import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { awsSettings, dummiesOf } from '../connect/aws-settings.ts';
import type { Context } from '../context.ts';
import type { LineSource } from '../lines/open-lines.ts';
import type { ExitStatus } from '../process-io.ts';
import { busSender } from './bus-sender.ts';
import {
  type EventOptions,
  MOST_BYTES_OF_EVENTS,
  type OutgoingEvent,
  outgoingEvent,
} from './outgoing-event.ts';
import { sendBatch } from '../../sending/send-batch.ts';
import { type Destination, sendFile, type SendingOptions } from './send-file.ts';

export interface SendToBusOptions extends ConnectionOptions, EventOptions, SendingOptions {
  readonly bus: string;
}

/** Sends each line as an event to a bus of EventBridge. */
export async function sendToBus(
  context: Context,
  options: SendToBusOptions,
  source: LineSource,
): Promise<ExitStatus> {
  const { bus } = options;
  const settings = awsSettings('EVENTBRIDGE', options, context);
  const client = new EventBridgeClient({
    ...settings,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  const dummies = dummiesOf(settings);
  if (dummies !== undefined) context.screen.detail(dummies);
  const sender = busSender({ putEvents: (input) => client.send(new PutEventsCommand(input)), bus }, (ms) =>
    context.sleep(ms),
  );
  const destination: Destination<OutgoingEvent> = {
    kind: 'bus',
    address: bus,
    keepsRepeated: true,
    mostBytes: MOST_BYTES_OF_EVENTS,
    messageOf: (line) => outgoingEvent(line, options),
    send: (events) => sendBatch(events, sender),
  };
  try {
    return await sendFile(context, options, source, destination);
  } finally {
    client.destroy();
  }
}

/** Throws a `UsageError` for options that contradict one another. */
export function assertFitsBus({ source, detailType, ...options }: EventOptions & object): void {
  if ((source === undefined) !== (detailType === undefined)) {
    throw new UsageError(
      'Give both --source and --detail-type where lines are details, or neither where they are events.',
    );
  }
  const wrong = Object.entries(OF_QUEUES).find(([name]) => Object.hasOwn(options, name));
  if (wrong !== undefined) throw new UsageError(`A bus takes no ${wrong[1]}: leave it out.`);
}

const OF_QUEUES = {
  queue: '--queue',
  queueUrl: '--queue-url',
  template: '--template',
  text: '--text',
  groupId: '--group-id',
  groupKey: '--group-key',
  dedupId: '--dedup-id',
  dedupKey: '--dedup-key',
  delay: '--delay',
} as const;
