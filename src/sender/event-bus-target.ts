import { DETAIL_ATTRIBUTES, TYPE } from '../messages/message-attributes.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import type { EventsResult } from './clients.ts';
import { refusalOfEntry, refusalOfRequest, unmentioned } from './refusals.ts';
import { notSent } from './send-error.ts';
import { ConfigurationError } from '../base/errors.ts';
import type { EventBusTarget } from './sender.ts';
import type { Refusal, Target } from './target.ts';
import {
  fromEnvironment,
  type Operation,
  sendingService,
  throughClient,
  type TransportSetup,
} from './transport.ts';

/** A request, and so each event, must have less than 1 MB. */
const LARGEST_BYTES = 1_048_575;

const TITLE = 'EventBridge';

const PUT_EVENTS: Operation = {
  service: sendingService(TITLE, 'events', 'AWSEvents', { settingName: 'EVENTBRIDGE', jsonVersion: '1.1' }),
  name: 'PutEvents',
  sdk: { package: '@aws-sdk/client-eventbridge', name: 'EventBridge' },
};

export function eventBusTarget(
  { eventBusName, source, client }: EventBusTarget,
  maxBytes: number | undefined,
  setup: TransportSetup,
): Target {
  const send =
    client === undefined
      ? fromEnvironment(PUT_EVENTS, setup)
      : throughClient(client, PUT_EVENTS, setup.clock);
  return {
    isFifo: false,
    maxBytes: Math.min(maxBytes ?? LARGEST_BYTES, LARGEST_BYTES),
    entryOf(message, delayMs) {
      if (delayMs !== undefined) throw new ConfigurationError('Event buses take no `delayMs`');
      const { type } = message;
      const Detail = detailOf(message);
      return {
        bytes: Buffer.byteLength(source) + Buffer.byteLength(type) + Buffer.byteLength(Detail),
        input: { EventBusName: eventBusName, Source: source, DetailType: type, Detail },
      };
    },
    async send(entries) {
      try {
        const answer = (await send({ Entries: entries.map(({ input }) => input) })) as EventsResult;
        return entries.map((_, index) => refusalIn(answer.Entries?.[index]));
      } catch (thrown) {
        const refusal = refusalOfRequest(thrown, TITLE);
        return entries.map(() => refusal);
      }
    },
  };
}

/** Returns the body with the attributes in it: events have none of their own. */
function detailOf({ body, attributes }: EncodedMessage): string {
  if (!body.startsWith('{')) throw notSent('The body of an event must be an object', false);
  const hasMember = body.includes(`"${DETAIL_ATTRIBUTES}"`);
  if (hasMember && Object.hasOwn(JSON.parse(body) as object, DETAIL_ATTRIBUTES)) {
    throw notSent(`The body has a member \`${DETAIL_ATTRIBUTES}\`, which events keep for attributes`, false);
  }
  const { [TYPE]: _type, ...others } = attributes;
  if (Object.keys(others).length === 0) return body;
  const members = body === '{}' ? '{' : `${body.slice(0, -1)},`;
  return `${members}"${DETAIL_ATTRIBUTES}":${JSON.stringify(others)}}`;
}

const FINAL = /^(Access|NotAuthorized|Invalid|Malformed|Validation|ResourceNotFound)/;

function refusalIn(result: NonNullable<EventsResult['Entries']>[number] | undefined): Refusal | undefined {
  if (result?.ErrorCode !== undefined) {
    const { ErrorCode: code, ErrorMessage: message = '' } = result;
    return refusalOfEntry(TITLE, { code, message, isOurs: FINAL.test(code) });
  }
  return result?.EventId === undefined ? unmentioned(TITLE) : undefined;
}
