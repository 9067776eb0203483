import { ConfigurationError } from '../base/errors.ts';
import { PAYLOAD_SIZE } from '../messages/large-bodies.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import type { BatchResult } from './clients.ts';
import { refusalOfEntry, refusalOfRequest, unmentioned } from './refusals.ts';
import { notSent } from './send-error.ts';
import type { Refusal, Target } from './target.ts';
import type { SendInput } from './transport.ts';

export interface BatchTargetSetup {
  /** The service's name in errors. */
  readonly title: string;
  readonly isFifo: boolean;
  readonly maxBytes: number;
  readonly takesDelay: boolean;
  readonly send: SendInput;
  /** The name of an entry's body: SQS and SNS differ. */
  readonly bodyName: 'MessageBody' | 'Message';
  /** Returns the input of a request. */
  readonly inputOf: (entries: readonly object[]) => object;
}

/** A queue or a topic: their batches differ by names only. */
export function batchTarget(setup: BatchTargetSetup): Target {
  const { title, isFifo, maxBytes, takesDelay, send, bodyName, inputOf } = setup;
  let last: SentAttributes | undefined;

  /** Returns attributes in the form of the API. The messages of a type mostly share theirs, and the form. */
  function attributesOf(attributes: EncodedMessage['attributes']): SentAttributes {
    if (last?.of !== attributes) last = sentAttributes(attributes);
    return last;
  }

  return {
    isFifo,
    maxBytes,
    entryOf({ body: given, attributes, group, deduplicationId }, delayMs) {
      const bodyBytes = Buffer.byteLength(given);
      // ASCII has none of the characters that SQS refuses.
      const body = bodyBytes === given.length ? given : acceptableBody(given);
      const known = attributesOf(attributes);
      const sent: Record<string, unknown> = { [bodyName]: body, MessageAttributes: known.form };
      const bytes = (body === given ? bodyBytes : Buffer.byteLength(body)) + known.bytes;
      if (group !== undefined) sent['MessageGroupId'] = checkedGroup(group);
      else if (isFifo) throw notSent('A FIFO queue or topic needs a group, and the message has none', false);
      // rule: deduplication-ids
      if (isFifo) sent['MessageDeduplicationId'] = deduplicationId;
      if (delayMs !== undefined) sent['DelaySeconds'] = secondsOf(delayMs, takesDelay);
      return { bytes, input: sent };
    },
    async send(entries) {
      try {
        const inputs = entries.map(({ input }, index) => {
          input['Id'] = String(index); // a copy for each try would cost more than the rest of this
          return input;
        });
        const input = inputOf(inputs);
        return refusalsIn(await send(input), entries.length, title);
      } catch (thrown) {
        const refusal = refusalOfRequest(thrown, title);
        return entries.map(() => refusal);
      }
    },
  };
}

interface SentAttributes {
  readonly of: EncodedMessage['attributes'];
  readonly form: Readonly<Record<string, object>>;
  /** They count towards the limit. */
  readonly bytes: number;
}

function sentAttributes(of: EncodedMessage['attributes']): SentAttributes {
  const form: Record<string, object> = {};
  let bytes = 0;
  for (const name in of) {
    const StringValue = of[name] as string;
    const DataType = name === PAYLOAD_SIZE ? 'Number' : 'String';
    form[name] = { DataType, StringValue };
    bytes += Buffer.byteLength(name) + DataType.length + Buffer.byteLength(StringValue);
  }
  return { of, form, bytes };
}

function refusalsIn(
  { Successful = [], Failed = [] }: BatchResult,
  count: number,
  title: string,
): (Refusal | undefined)[] {
  if (Failed.length === 0 && Successful.length === count) return Array.from({ length: count });
  const unsaid = unmentioned(title);
  const refusals: (Refusal | undefined)[] = Array.from({ length: count }, () => unsaid);
  for (const { Id } of Successful) refusals[Number(Id)] = undefined;
  for (const { Id, Code = 'no code', Message = '', SenderFault = false } of Failed) {
    refusals[Number(Id)] = refusalOfEntry(title, { code: Code, message: Message, isOurs: SenderFault });
  }
  return refusals;
}

/** The characters that SQS and SNS allow in a group, at most 128 of them. */
const GROUP = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;

/** A whole request is refused for one invalid group. */
function checkedGroup(group: string): string {
  if (GROUP.test(group)) return group;
  throw notSent('A group has 1 to 128 letters, digits and punctuation characters of ASCII', false);
}

const LONGEST_DELAY_MS = 900_000;

function secondsOf(delayMs: number, takesDelay: boolean): number {
  if (!takesDelay) throw new ConfigurationError('Only standard queues take a `delayMs` for each message');
  if (delayMs >= 0 && delayMs <= LONGEST_DELAY_MS) return Math.ceil(delayMs / 1_000);
  throw new ConfigurationError(
    `Expected \`delayMs\` to be from 0 to ${LONGEST_DELAY_MS}, got \`${delayMs}\``,
  );
}

/** Escapes the two characters of JSON texts that SQS and SNS refuse. */
function acceptableBody(body: string): string {
  return body.replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}
