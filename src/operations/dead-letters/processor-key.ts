import type { SQSRecord } from 'aws-lambda';
import { hasCode } from '../../base/errors.ts';
import { idempotencyKey, type Namespace } from '../../keys/key-string.ts';
import { type KeySelector, messageId } from '../../keys/key-selector.ts';
import { aFunction, checkOptionsOf, required } from '../../options/check-options.ts';
import { aNamespace } from '../../options/domain-checks.ts';
import { type DecodeStep, decodeSteps, readPayloads } from '../../sources/decode-step.ts';
import { sqs } from '../../sources/sqs.ts';
import type { KeyOfMessage } from './claims-of-messages.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';

/** Options of `processorKey`: those of the processor that failed the messages. */
export interface ProcessorKeyOptions {
  /** The processor's `namespace`, or the Lambda function's name if it has none. */
  readonly namespace: string | Exclude<Namespace, string>;
  /** The processor's `key`. Default `messageId()`. */
  readonly key?: KeySelector;
  /** The processor's `decode`. Default: none. */
  readonly decode?: DecodeStep | readonly DecodeStep[];
}

/**
 * Returns a function that derives keys as a processor of SQS messages does, for `key` of `peekDeadLetters`
 * and `redriveDeadLetters`. With it they find a message's claim in any state, not only parked ones. It
 * returns undefined for a message without a valid key, and for one that did not come from SQS. Throws a
 * `ConfigurationError` for invalid options.
 *
 * @param options The processor's own options `namespace`, `key` and `decode`.
 *
 * @example
 * const key = processorKey({ namespace: 'orders', key: payloadHash({ include: ['orderId'] }) });
 */
export function processorKey(options: ProcessorKeyOptions): KeyOfMessage {
  checkOptionsOf('processorKey', options, {
    namespace: required(aNamespace()),
    key: aFunction(),
    decode: {
      expected: 'an envelope, a decoder, or a list of them',
      accepts: (value) => Object(value) === value,
    },
  });
  const { namespace, key = messageId(), decode } = options;
  const steps = decodeSteps(decode);
  return async (message) => {
    const batch = sqs().read({ Records: [sqsRecordOf(message)] });
    const read = { concurrency: 1, stop: new AbortController().signal, isPermanent: () => false };
    const [entry] = await readPayloads(batch?.entries ?? [], steps, read);
    if (entry === undefined || !('record' in entry.read)) return undefined;
    try {
      return idempotencyKey(entry.read.record, key, namespace);
    } catch (error) {
      if (hasCode(error, 'BATCHLATCH_KEY')) return undefined;
      throw error;
    }
  };
}

/** Returns the message as Lambda delivered it before it failed, with its original id. */
function sqsRecordOf(message: DeadLetterMessage): SQSRecord | undefined {
  const { source = '', recordId, body, attributes, sentAt, receiveCount, messageGroupId } = message;
  if (message.sentBy === 'deadLetterQueue' && !source.startsWith('arn:')) return undefined;
  return {
    messageId: recordId,
    receiptHandle: '',
    body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAt ?? ''),
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '',
      ...(messageGroupId !== undefined && { MessageGroupId: messageGroupId }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
    ),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: source,
    awsRegion: source.split(':')[3] ?? '',
  };
}
