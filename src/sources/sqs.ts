import type { SQSRecord } from 'aws-lambda';
import { MalformedRecordError } from './errors.ts';
import { parseJsonOrText } from './parse-body.ts';
import type { SqsBatchRecord } from './record.ts';
import type { SourceBatch, SourceEntry } from './source-batch.ts';
import { type Unwrap, unwrapBody } from './unwrap.ts';

/** SQS batches, standard and FIFO. */
export function sqsBatch(records: readonly unknown[], unwrap: Unwrap | undefined): SourceBatch {
  return { entries: records.map((record) => sqsEntry(record, unwrap)), answer: 'item-failures' };
}

function sqsEntry(raw: unknown, unwrap: Unwrap | undefined): SourceEntry {
  const { messageId, eventSource, eventSourceARN, attributes, body } = (
    typeof raw === 'object' && raw !== null ? raw : {}
  ) as Partial<SQSRecord>;
  const itemIdentifier = typeof messageId === 'string' && messageId !== '' ? messageId : undefined;

  // Standard queues carry a MessageGroupId too (fair queues) and order nothing by it: the ARN decides.
  const isFifo = typeof eventSourceARN === 'string' && eventSourceARN.endsWith('.fifo');
  const groupId = attributes?.MessageGroupId;
  const lane = isFifo ? `group:${groupId ?? ''}` : undefined;

  const problem =
    itemIdentifier === undefined
      ? 'it has no messageId'
      : eventSource !== 'aws:sqs'
        ? `its eventSource is ${JSON.stringify(eventSource)}, not "aws:sqs"`
        : typeof body !== 'string'
          ? `its body is ${body === null ? 'null' : typeof body}, not a string`
          : undefined;
  if (problem !== undefined) {
    const error = new MalformedRecordError(`The SQS record ${itemIdentifier ?? ''} is malformed: ${problem}`);
    return { itemIdentifier, lane, read: { error } };
  }
  try {
    const record = new SqsRecordView(raw as SQSRecord, unwrap);
    return { itemIdentifier, lane, read: { record } };
  } catch (thrown) {
    return { itemIdentifier, lane, read: { error: thrown as Error } };
  }
}

/**
 * A class and not a literal: a batch makes thousands, and most handlers look at few of these fields, so
 * each is made when it is first asked for. Parsing the body is the dearest of them.
 */
class SqsRecordView implements SqsBatchRecord {
  readonly source = 'sqs';
  readonly raw: SQSRecord;
  readonly envelope: SqsBatchRecord['envelope'];
  #body: { readonly value: unknown } | undefined;

  constructor(raw: SQSRecord, unwrap: Unwrap | undefined) {
    this.raw = raw;
    if (unwrap !== undefined) {
      const inner = unwrapBody(raw.body, unwrap);
      this.envelope = inner.envelope;
      this.#body = { value: inner.body };
    }
  }

  get id(): string {
    return this.raw.messageId;
  }

  get body(): unknown {
    this.#body ??= { value: parseJsonOrText(this.raw.body) };
    return this.#body.value;
  }

  get rawBody(): string {
    return this.raw.body;
  }

  get attributes(): Readonly<Record<string, string>> {
    const strings: [string, string][] = [];
    for (const [name, { stringValue }] of Object.entries(this.raw.messageAttributes ?? {})) {
      if (stringValue !== undefined) strings.push([name, stringValue]);
    }
    return Object.fromEntries(strings); // an assignment would lose an attribute that is named __proto__
  }

  get receiveCount(): number {
    return positiveInteger(this.raw.attributes?.ApproximateReceiveCount) ?? 1;
  }

  get sentAt(): number | undefined {
    return positiveInteger(this.raw.attributes?.SentTimestamp);
  }

  get messageGroupId(): string | undefined {
    return this.raw.attributes?.MessageGroupId;
  }
}

function positiveInteger(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
