import { nameInArn } from '../places.ts';
import { type BusEvent, busEvent } from './event-envelope.ts';

/** The answer of `PutEvents`, or the message with which it refuses the whole request. */
export type PutEventsResult =
  | { readonly answer: PutEventsAnswer; readonly accepted: readonly AcceptedEvent[] }
  | { readonly refused: string };

interface AcceptedEvent {
  readonly bus: string;
  readonly event: BusEvent;
}

interface PutEventsAnswer {
  readonly FailedEntryCount: number;
  readonly Entries: readonly Readonly<Record<string, string>>[];
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const MOST_ENTRIES = 10;
/** A request must have less than 1 MB: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
const MOST_BYTES = 1_048_575;
const BYTES_OF_TIME = 14;
/** JSON.parse reads deeper JSON, but JSON.stringify throws for it. */
const DEEPEST_DETAIL = 1_000;

/** Handles a request of `PutEvents` as EventBridge does: entries fail one by one. */
export function putEvents(input: unknown, nowMs: number): PutEventsResult {
  const entries = membersOf(input)['Entries'];
  if (!Array.isArray(entries)) return { refused: failure('null', 'Member must not be null') };
  const isTooMany = entries.length > MOST_ENTRIES;
  if (isTooMany || entries.length === 0) {
    const bound = isTooMany ? `less than or equal to ${MOST_ENTRIES}` : 'greater than or equal to 1';
    return { refused: failure(`of ${entries.length} entries`, `Member must have length ${bound}`) };
  }
  const given = (entries as readonly unknown[]).map(membersOf);
  if (given.reduce((sum, entry) => sum + bytesOf(entry), 0) > MOST_BYTES) {
    return { refused: 'Total size of the entries in the request is over the limit.' };
  }
  const results = given.map((entry) => takeEntry(entry, nowMs));
  const accepted = results.flatMap((result) => ('event' in result ? [result] : []));
  return {
    accepted,
    answer: {
      FailedEntryCount: results.length - accepted.length,
      Entries: results.map((result) =>
        'event' in result
          ? { EventId: result.event.id }
          : { ErrorCode: result.code, ErrorMessage: result.message },
      ),
    },
  };
}

type Entry = Readonly<Record<string, unknown>>;

function takeEntry(
  entry: Entry,
  nowMs: number,
): AcceptedEvent | { readonly code: string; readonly message: string } {
  const texts = ['Source', 'DetailType', 'Detail'].map((name) => ({ name, value: entry[name] }));
  const missing = texts.find(({ value }) => typeof value !== 'string' || value === '');
  if (missing !== undefined) {
    const { name } = missing;
    return {
      code: 'InvalidArgument',
      message: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
    };
  }
  const [source = '', detailType = '', detailText = ''] = texts.map(({ value }) => value as string);
  if (source.startsWith('aws.')) {
    return { code: 'NotAuthorizedForSourceException', message: 'Not authorized for the source.' };
  }
  const detail = parsedObject(detailText);
  if (detail === undefined) return { code: 'MalformedDetail', message: 'Detail is malformed.' };
  const { EventBusName: bus, Resources: resources, Time: time } = entry;
  return {
    bus: nameInArn(typeof bus === 'string' && bus !== '' ? bus : 'default'),
    event: busEvent({
      source,
      detailType,
      timeMs: typeof time === 'number' && isDate(time * 1_000) ? time * 1_000 : nowMs,
      resources: Array.isArray(resources) ? resources.filter((one) => typeof one === 'string') : [],
      detail,
    }),
  };
}

function isDate(timeMs: number): boolean {
  return !Number.isNaN(new Date(timeMs).getTime());
}

/** Counts the bytes as "Calculating PutEvents event entry size" in EventBridge's guide does. */
function bytesOf({ Time: time, Resources: resources, ...entry }: Entry): number {
  const texts = [entry['Source'], entry['DetailType'], entry['Detail'], resources].flat();
  const bytes = texts.map((one) => (typeof one === 'string' ? Buffer.byteLength(one) : 0));
  return bytes.reduce((sum, one) => sum + one, time === undefined ? 0 : BYTES_OF_TIME);
}

function parsedObject(text: string): object | undefined {
  if (depthOf(text) > DEEPEST_DETAIL) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the deepest nesting of brackets in JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInText) {
      if (character === '\\') index += 1;
      else isInText = character !== '"';
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function failure(value: string, why: string): string {
  return `1 validation error detected: Value ${value} at 'entries' failed to satisfy constraint: ${why}`;
}

function membersOf(value: unknown): Entry {
  return typeof value === 'object' && value !== null ? (value as Entry) : {};
}
