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
 * Returns the selector that evaluates a JMESPath expression on the record as Lambda delivered it, with
 * Powertools' functions: `detail.orderId` of an EventBridge event, `powertools_json(body).orderId` of an SQS
 * message, `powertools_json(body).[tenant, orderId]` for a key of several parts, all of which must be
 * present. Members of a hash or a list inside a list, such as `[tenant, {order: orderId}]` or
 * `[tenant, items[].sku]`, are not checked. Members of an SQS record that change on redelivery (receipt
 * handle, receive count, timestamps) are hidden.
 *
 * A record fails if its key depends on a number that a double cannot hold exactly and that the expression
 * parses. Numbers that arrive parsed, as in EventBridge's `detail`, are already rounded: send such numbers as
 * strings.
 *
 * @param expression The expression. Throws a `ConfigurationError` at start if it cannot be parsed.
 */
export function jmesPath(expression: string): KeySelector {
  if (typeof expression !== 'string' || expression.trim() === '') {
    throw new ConfigurationError(`Expected \`jmesPath\` to get an expression, got \`${expression}\``);
  }
  // Inflating can make a text of any length from a short body.
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
    // An inexact number can decide the key without being in it (sorted, say). Its opposite then changes the
    // key.
    if (functions.hasReplaced && keyOf(data, `-${INEXACT}`) !== key) {
      throw new KeyError(
        `The result of the expression \`${expression}\` depends on a number ` +
          'that JSON numbers cannot represent exactly; send it as a string',
      );
    }
    return key;
  }, effort);
}

/** Finds syntax errors at start, by evaluating the expression on an empty record. */
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
  // Lists and multi-select hashes have several parts; an object found in the record is one part.
  const isMadeHash = isObject(value) && expression.trimEnd().endsWith('}');
  const parts = Array.isArray(value) ? value : isMadeHash ? Object.values(value) : [value];
  if (parts.length === 0 || parts.some((part) => part === null || part === undefined || part === '')) {
    throw new KeyError(
      `The expression \`${expression}\` finds nothing, or not all of its parts, in this record; ` +
        'records without a key must not share one',
    );
  }
}

/** Hides the delivery type, so that the replay of an event has the same key. */
function withoutDeliveryType(raw: unknown): unknown {
  if (!isObject(raw) || !('SystemMetadata' in raw)) return raw;
  const { 'aws:DeliveryType': _type, ...stable } = { ...(raw.SystemMetadata as object) } as Record<
    string,
    unknown
  >;
  return { ...raw, SystemMetadata: stable };
}
