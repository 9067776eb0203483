import { createHash } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { hasInexactNumber } from '../lines/has-inexact-number.ts';
import {
  type DynamoDBStreamChange,
  dynamoDBStreamEvent,
  eventBridgeEvent,
  kinesisEvent,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { textAt } from '../../sending/line-body.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { type BodyOptions, collectBodies, type PlacedBody } from './collect-bodies.ts';
import { type PlaceOptions, relocated } from './relocate.ts';

interface QueueOptions {
  readonly queueName?: string;
}

interface SqsOptions extends BodyOptions, PlaceOptions, QueueOptions {
  readonly fifo?: boolean;
  readonly groupId?: string;
  readonly groupKey?: string;
  readonly receiveCount: number;
}

/** `generate-event sqs` */
export const generateSqs: Run<SqsOptions> = async (context, options) => {
  const { groupKey, receiveCount } = options;
  const isFifo = options.fifo === true || options.queueName?.endsWith('.fifo') === true;
  if (options.groupId !== undefined && groupKey !== undefined) throw twoWays('--group-id', '--group-key');
  const groupId = options.groupId ?? (isFifo ? '1' : undefined);
  const messages = (await collectBodies(context, options)).map((line) => {
    const group = groupKey === undefined ? groupId : fieldOf(line, groupKey);
    return { body: line.body, receiveCount, ...(group !== undefined && { messageGroupId: group }) };
  });
  const event = sqsEvent(messages, { ...queueOf(options), fifo: isFifo });
  return print(context, options, isFifo ? withFifoAttributes(event) : event);
};

interface EventBridgeOptions extends BodyOptions, PlaceOptions, QueueOptions {
  readonly source: string;
  readonly detailType: string;
  readonly inSqs?: boolean;
}

/** `generate-event eventbridge` */
export const generateEventBridge: Run<EventBridgeOptions> = async (context, options) => {
  const { source, detailType } = options;
  const events = (await collectBodies(context, options)).map((line) => {
    assertExact(line);
    if (typeof line.value !== 'object' || line.value === null || Array.isArray(line.value)) {
      throw badLine(line, 'is not a JSON object, as the detail of an event is');
    }
    return relocated(eventBridgeEvent(line.value, { source, 'detail-type': detailType }), options);
  });
  return print(context, options, options.inSqs === true ? inSqs(events, options) : theOnly(events, 'event'));
};

interface SnsOptions extends BodyOptions, PlaceOptions, QueueOptions {
  readonly topicName: string;
  readonly inSqs?: boolean;
}

/** `generate-event sns` */
export const generateSns: Run<SnsOptions> = async (context, options) => {
  const { topicName } = options;
  const events = (await collectBodies(context, options)).map(({ body }) =>
    snsEvent([{ message: body, topicName }]),
  );
  if (options.inSqs !== true) return print(context, options, theOnly(events, 'notification'));
  const notifications = events.flatMap(({ Records }) => Records.map(({ Sns }) => relocated(Sns, options)));
  return print(context, options, inSqs(notifications, options));
};

interface KinesisOptions extends BodyOptions, PlaceOptions {
  readonly streamName: string;
  readonly partitionKey?: string;
  readonly partitionPath?: string;
}

/** `generate-event kinesis` */
export const generateKinesis: Run<KinesisOptions> = async (context, options) => {
  const { streamName, partitionPath } = options;
  if (options.partitionKey !== undefined && partitionPath !== undefined) {
    throw twoWays('--partition-key', '--partition-path');
  }
  const records = (await collectBodies(context, options)).map((line) => ({
    body: line.body,
    partitionKey: partitionPath === undefined ? (options.partitionKey ?? '1') : fieldOf(line, partitionPath),
  }));
  return print(context, options, kinesisEvent(records, { streamName }));
};

interface DynamoDBOptions extends BodyOptions, PlaceOptions {
  readonly tableName: string;
  readonly key?: string;
}

/** `generate-event dynamodb` */
export const generateDynamoDB: Run<DynamoDBOptions> = async (context, options) => {
  const { tableName, key } = options;
  const names = key?.split(',').map((one) => one.trim());
  const changes = (await collectBodies(context, options)).map((line) => {
    assertExact(line);
    return names === undefined ? changeOf(line) : putOf(line, names);
  });
  return print(context, options, dynamoDBStreamEvent(changes, { tableName }));
};

function putOf(line: PlacedBody, names: readonly string[]): DynamoDBStreamChange {
  const newImage = objectOf(line.value);
  const keys = names.map((name) => {
    if (newImage === undefined || !Object.hasOwn(newImage, name)) {
      throw badLine(line, `has no key attribute ${name}`);
    }
    return [name, newImage[name]] as const;
  });
  return { keys: Object.fromEntries(keys), newImage: newImage ?? {} };
}

function changeOf(line: PlacedBody): DynamoDBStreamChange {
  const { keys, newImage, oldImage } = objectOf(line.value) ?? {};
  const known = objectOf(keys);
  if (known === undefined) {
    throw badLine(line, 'has no `keys`; if lines are items, name their key attributes with --key');
  }
  const [after, before] = [objectOf(newImage), objectOf(oldImage)];
  return {
    keys: known,
    ...(after !== undefined && { newImage: after }),
    ...(before !== undefined && { oldImage: before }),
  };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** Wraps what SNS or EventBridge sends to a queue: each is the body of a message. */
function inSqs(bodies: readonly unknown[], options: QueueOptions): SQSEvent {
  const messages = bodies.map((body) => ({ body }));
  return sqsEvent(messages, queueOf(options));
}

function theOnly<Event>(events: readonly Event[], what: string): Event {
  const [first] = events;
  if (first === undefined || events.length > 1) {
    throw new UsageError(
      `An invocation gets one ${what}, but there are ${events.length} ` +
        'bodies: add --in-sqs if they go through a queue.',
    );
  }
  return first;
}

function queueOf({ queueName }: QueueOptions): QueueOptions {
  return queueName === undefined ? {} : { queueName };
}

const FIRST_SEQUENCE_NUMBER = 18_849_496_460_467_696_128n;

function withFifoAttributes(event: SQSEvent): SQSEvent {
  const records = event.Records.map((record, index) => ({
    ...record,
    attributes: {
      ...record.attributes,
      SequenceNumber: String(FIRST_SEQUENCE_NUMBER + BigInt(index) * 256n),
      MessageDeduplicationId: createHash('sha256').update(record.body).digest('hex'),
    },
  }));
  return { Records: records };
}

/** Refuses numbers that JSON.parse would round: these bodies become objects in the event. */
function assertExact(line: PlacedBody): void {
  if (line.value !== undefined && hasInexactNumber(line.body)) {
    throw badLine(line, 'has a number with more digits than JavaScript reads; make it a string');
  }
}

function fieldOf(line: PlacedBody, path: string): string {
  const text = textAt(line.value, path);
  if (text === undefined) throw badLine(line, `has no text or number at ${path}`);
  return text;
}

function badLine({ place }: PlacedBody, problem: string): CliError {
  return new CliError(`${escapeControls(place)} ${escapeControls(problem)}.`);
}

function twoWays(one: string, other: string): UsageError {
  return new UsageError(`Give ${one} or ${other}, not both.`);
}

/** Prints the event: indented on a terminal, on one line into a pipe. */
function print({ screen }: Context, place: PlaceOptions, event: unknown): 0 {
  screen.json(relocated(event, place), screen.isTerminal ? 'document' : 'line');
  return 0;
}
