import type * as Conversion from '@aws-sdk/util-dynamodb';
import type { AttributeValue, DynamoDBRecord, StreamRecord } from 'aws-lambda';
import {
  epochMsOfSeconds,
  isText,
  malformed,
  membersOf,
  readStream,
  streamProblem,
  textOf,
} from './event-records.ts';
import { isExact, mayBeInexact } from './exact-numbers.ts';
import type { DynamoDBChange, DynamoDBItem, DynamoDBStreamBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { requirePackage } from '../base/built-in.ts';
import { isObject } from '../base/is-object.ts';
import { ownAccessor, showsValues } from '../base/own-accessor.ts';

/**
 * Returns the source for DynamoDB Streams, polled by Lambda or by EventBridge Pipes. Changes of one item run
 * in order, different items concurrently. The response to Lambda is a checkpoint, the response to a pipe
 * lists every failure. A tumbling window is rejected with an `UnsupportedEventError`.
 *
 * @typeParam Body The type of the record's body.
 */
export function dynamoDBStream<Body = DynamoDBChange>(): Source<DynamoDBStreamBatchRecord<Body>> {
  return {
    name: 'DynamoDB Streams',
    read(event) {
      const batch = readStream(event, 'aws:dynamodb', entryOf);
      const isLoaded = (conversion as unknown) !== undefined;
      return batch && (isLoaded ? batch : { ...batch, ready: loadConversion() });
    },
  } satisfies Source<DynamoDBStreamBatchRecord> as Source<DynamoDBStreamBatchRecord<Body>>;
}

/** AWS's package, loaded with the first batch of a stream: other functions start faster without it. */
let conversion!: typeof Conversion;

async function loadConversion(): Promise<void> {
  conversion = await import('@aws-sdk/util-dynamodb').catch(
    () => requirePackage('@aws-sdk/util-dynamodb') as typeof Conversion,
  );
}

// Lambda identifies a failure by its sequence number:
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
function entryOf(record: unknown, isPiped: boolean): SourceEntry<DynamoDBStreamBatchRecord> {
  const raw: DynamoDBRecord = membersOf(record);
  const change: StreamRecord = membersOf(raw.dynamodb);
  const itemIdentifier = textOf(isPiped ? raw.eventID : change.SequenceNumber);
  const lane = isKeys(change.Keys) ? laneOf(change.Keys) : undefined;

  const { eventName } = raw;
  const problem =
    streamProblem(raw, 'aws:dynamodb') ??
    (!isText(change.SequenceNumber)
      ? 'it has no SequenceNumber'
      : lane === undefined
        ? 'it has no Keys'
        : eventName !== 'INSERT' && eventName !== 'MODIFY' && eventName !== 'REMOVE'
          ? `its eventName is ${JSON.stringify(eventName)}`
          : undefined);
  if (problem !== undefined) {
    return malformed(`DynamoDB stream record ${itemIdentifier ?? ''}`, { itemIdentifier, lane }, problem);
  }
  return { itemIdentifier, lane, read: { record: new DynamoDBStreamRecordView(raw, change) } };
}

/** Returns the lane of an item: its key attributes, sorted by name because their order may vary. */
function laneOf(keys: object): string {
  return `item:${JSON.stringify(Object.entries(keys).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** A stream record that unmarshalls its images on first use: a duplicate never needs them. */
class DynamoDBStreamRecordView implements DynamoDBStreamBatchRecord {
  declare readonly source: 'dynamodb-stream';
  declare readonly id: string;
  declare readonly body: unknown;
  declare readonly rawBody: string;
  declare readonly attributes: Readonly<Record<string, string>>;
  /** Always 1: Lambda does not say how often it has delivered a stream record. */
  declare readonly receiveCount: number;
  declare readonly sentAt: number | undefined;
  declare readonly messageGroupId: undefined;
  declare readonly envelope: undefined;
  declare readonly raw: DynamoDBRecord;
  declare readonly eventName: DynamoDBChange['eventName'];
  declare readonly keys: DynamoDBItem;
  declare readonly newImage: DynamoDBItem | undefined;
  declare readonly oldImage: DynamoDBItem | undefined;
  declare readonly sequenceNumber: string;
  readonly #change: StreamRecord;
  #read: DynamoDBChange | undefined;
  #body: { readonly value: unknown } | undefined;

  constructor(raw: DynamoDBRecord, change: StreamRecord) {
    this.#change = change;
    this.source = 'dynamodb-stream';
    this.id = `${raw.eventSourceARN}:${raw.eventID}`;
    Object.defineProperties(this, DynamoDBStreamRecordView.#ON_FIRST_USE);
    this.attributes = {};
    this.receiveCount = 1;
    this.sentAt = epochMsOfSeconds(change.ApproximateCreationDateTime);
    this.messageGroupId = undefined;
    this.envelope = undefined;
    this.raw = raw;
    this.eventName = raw.eventName as DynamoDBChange['eventName'];
    this.sequenceNumber = change.SequenceNumber as string;
  }

  static readonly #ON_FIRST_USE = {
    body: ownAccessor<DynamoDBStreamRecordView>({
      get() {
        return this.#body === undefined ? this.#asRead() : this.#body.value;
      },
      /** Replaces the body with a schema's output. */
      set(value) {
        this.#body = { value };
      },
    }),
    rawBody: ownAccessor<DynamoDBStreamRecordView>({
      get() {
        return JSON.stringify(this.#change);
      },
    }),
    keys: DynamoDBStreamRecordView.#lazily('keys'),
    newImage: DynamoDBStreamRecordView.#lazily('newImage'),
    oldImage: DynamoDBStreamRecordView.#lazily('oldImage'),
  };

  static #lazily(name: 'keys' | 'newImage' | 'oldImage'): PropertyDescriptor {
    return ownAccessor<DynamoDBStreamRecordView>({
      get() {
        return this.#asRead()[name];
      },
    });
  }

  #asRead(): DynamoDBChange {
    const { Keys, NewImage, OldImage } = this.#change;
    this.#read ??= {
      eventName: this.eventName,
      keys: itemOf(Keys) as DynamoDBItem,
      newImage: itemOf(NewImage),
      oldImage: itemOf(OldImage),
    };
    return this.#read;
  }

  /** Converts for JSON: sets become arrays; `bigint`s and `NumberValue`s become strings. */
  toJSON(): object {
    return withoutSets(Object.fromEntries(Object.entries(this))) as object;
  }
}

showsValues(DynamoDBStreamRecordView);

function withoutSets(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof conversion.NumberValueImpl) return value.value;
  if (value instanceof Set) return [...value].map(withoutSets);
  if (Array.isArray(value)) return value.map(withoutSets);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSets(member)]));
}

/** Converts maps as `unmarshall` does, which would set the prototype for a member named `__proto__`. */
function itemOf(image: StreamRecord['NewImage']): DynamoDBItem | undefined {
  return (
    image && Object.fromEntries(Object.entries(image).map(([name, attribute]) => [name, valueOf(attribute)]))
  );
}

function valueOf(attribute: AttributeValue): unknown {
  if (attribute.M !== undefined) return itemOf(attribute.M);
  if (attribute.L !== undefined) return attribute.L.map(valueOf);
  // The SDK's type differs only in binary values: Lambda's are base64, which it leaves unchanged.
  const itsType = attribute as Parameters<typeof Conversion.convertToNative>[0];
  return conversion.convertToNative(itsType, { wrapNumbers: toNumber });
}

/** Converts a number exactly; the SDK alone throws for 1E+38 and rounds long fractions. */
function toNumber(text: string): unknown {
  const number = Number(text);
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER && (!mayBeInexact(text) || isExact(text))) return number;
  return /^-?\d+$/.test(text) ? BigInt(text) : conversion.NumberValueImpl.from(text);
}

function isKeys(keys: unknown): keys is object {
  return isObject(keys) && Object.keys(keys).length > 0;
}
