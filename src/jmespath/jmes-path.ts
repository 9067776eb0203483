import { search } from '@aws-lambda-powertools/jmespath';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { INEXACT } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';
import { canonicalHash } from '../keys/canonical-json.ts';
import { KeyError } from '../keys/errors.ts';
import { ExactFunctions, find } from './jmes-functions.ts';
import { type KeySelector, withEffort } from '../keys/key-selector.ts';

/**
 * A JMESPath expression over the record as Lambda gave it, with the functions that Powertools users know:
 * `detail.orderId` of an EventBridge event, `powertools_json(body).orderId` of an SQS message,
 * `powertools_json(body).[tenant, orderId]` for a key of several parts, each of which has to be there.
 * Of an SQS record, what changes on redelivery (receipt handle, receive count, timestamps) cannot be seen.
 *
 * A number that a double does not hold exactly makes no key where the expression parses the text. What arrives
 * parsed, as the `detail` of EventBridge, has been rounded before: send such numbers as strings.
 *
 * @param expression JMESPath. Throws a `ConfigurationError` at start for one that cannot be read.
 */
export function jmesPath(expression: string): KeySelector {
  if (typeof expression !== 'string' || expression.trim() === '') {
    throw new ConfigurationError(`Expected \`jmesPath\` to get an expression, got \`${expression}\``);
  }
  // What inflates can make any length of a short body.
  const effort = expression.includes('gzip') ? undefined : 'bounded';
  const functions = new ExactFunctions();
  assertCompiles(expression, functions);

  function keyOf(data: unknown, standIn: string): string {
    functions.standIn = standIn;
    const value = find(expression, data, functions);
    assertComplete(value, expression);
    return typeof value === 'string' ? value : canonicalHash(value);
  }

  return withEffort((record) => {
    functions.hasReplaced = false;
    const data = stablePart(record);
    const key = keyOf(data, INEXACT);
    // Compared, sorted or counted, an inexact number decides the key without being in it: so does its opposite, then.
    if (functions.hasReplaced && keyOf(data, `-${INEXACT}`) !== key) {
      throw new KeyError(
        `The result of the expression \`${expression}\` depends on a number that JSON numbers cannot represent exactly; send it as a string`,
      );
    }
    return key;
  }, effort);
}

/** Syntax errors are found at start; an empty record only shows that the expression can be read. */
function assertCompiles(expression: string, customFunctions: ExactFunctions): void {
  try {
    search(expression, {}, { customFunctions });
  } catch (cause) {
    if (
      cause instanceof Error &&
      /^(Lexer|Parse|UnknownFunction|Arity|VariadicArity|IncompleteExpression|EmptyExpression)/.test(
        cause.name,
      )
    ) {
      throw new ConfigurationError(
        `Cannot read the JMESPath expression \`${expression}\`: ${cause.message}`,
        { cause },
      );
    }
  }
}

function stablePart(record: BatchRecord): unknown {
  if (record.source === 'eventbridge-bus') return withoutDeliveryType(record.raw);
  if (record.source !== 'sqs') return record.raw;
  const { receiptHandle: _handle, attributes, ...rest } = record.raw;
  const {
    ApproximateReceiveCount: _count,
    ApproximateFirstReceiveTimestamp: _first,
    SentTimestamp: _sent,
    ...stable
  } = attributes ?? {};
  return { ...rest, attributes: stable };
}

function assertComplete(value: unknown, expression: string): void {
  // A list, or a hash that the expression itself makes; an object that was found is one part, whatever it holds.
  const isMadeHash = isObject(value) && expression.trimEnd().endsWith('}');
  const parts = Array.isArray(value) ? value : isMadeHash ? Object.values(value) : [value];
  if (parts.length === 0 || parts.some((part) => part === null || part === undefined || part === '')) {
    throw new KeyError(
      `The expression \`${expression}\` finds nothing, or not all of its parts, in this record; records without a key must not share one`,
    );
  }
}

/** A replay of an event is the same event. */
function withoutDeliveryType(raw: unknown): unknown {
  if (!isObject(raw) || !('SystemMetadata' in raw)) return raw;
  const { 'aws:DeliveryType': _type, ...stable } = { ...(raw.SystemMetadata as object) } as Record<
    string,
    unknown
  >;
  return { ...raw, SystemMetadata: stable };
}
