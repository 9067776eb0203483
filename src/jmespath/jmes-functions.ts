import { gunzipSync } from 'node:zlib';
import { search } from '@aws-lambda-powertools/jmespath';
import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { hasCode } from '../base/errors.ts';
import { bytesOfBase64 } from '../sources/base64.ts';
import { INEXACT, isExact, mayBeInexact, withoutInexact } from '../sources/exact-numbers.ts';
import { defaultMaxBytes } from '../sources/function-memory.ts';
import { assertParsable } from '../sources/json-text.ts';
import { assertHashable } from '../keys/canonical-json.ts';
import { KeyError } from '../keys/errors.ts';

type Json = Parameters<PowertoolsFunctions['funcToString']>[0];

/**
 * The JMESPath functions of Powertools, with safe limits: gzip inflates up to the limit of `gzip()`, JSON is
 * parsed within the function's memory, and `sort` and `reverse` do not change the record's own lists.
 */
export class BoundedFunctions extends PowertoolsFunctions {
  /**
   * The error that must fail the evaluation: the interpreter turns errors of functions into empty results.
   */
  refusal: Error | undefined;

  override funcPowertoolsBase64Gzip(value: string): string {
    const maxBytes = defaultMaxBytes();
    try {
      return gunzipSync(bytesOfBase64(value), { maxOutputLength: maxBytes }).toString();
    } catch (cause) {
      if (!hasCode(cause, 'ERR_BUFFER_TOO_LARGE')) throw cause;
      return this.refuse(
        new KeyError(
          `powertools_base64_gzip inflates to more than ${maxBytes} bytes; give the function more memory`,
          { cause },
        ),
      );
    }
  }

  override funcPowertoolsJson(value: string): Json {
    try {
      assertParsable(value);
    } catch (error) {
      return this.refuse(error as Error);
    }
    return this.parse(value);
  }

  override funcReverse(arg: string | unknown[]): string | unknown[] {
    return Array.isArray(arg) ? arg.toReversed() : arg.split('').toReversed().join('');
  }

  override funcSort(arg: string[] | number[]): unknown[] {
    const compare = (a: string | number, b: string | number): number => this.compare(a, b);
    return (arg as (string | number)[]).toSorted(compare);
  }

  protected parse(text: string): Json {
    return JSON.parse(text) as Json;
  }

  /** Compares as Powertools does: strings by locale. */
  protected compare(a: string | number, b: string | number): number {
    return typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
  }

  protected refuse(error: Error): never {
    this.refusal ??= error;
    throw error;
  }
}

/**
 * The functions for batchlatch's keys. They replace numbers that a double cannot hold exactly while parsing,
 * so that such numbers make no key, and sort strings by code units, independent of the locale.
 */
export class ExactFunctions extends BoundedFunctions {
  /** The text that replaces inexact numbers. */
  standIn: string = INEXACT;
  hasReplaced = false;

  override funcToNumber(arg: Json): number | null {
    if (typeof arg !== 'string') return typeof arg === 'number' ? arg : null;
    const text = arg.trim();
    if (mayBeInexact(text) && !Number.isNaN(Number(text)) && !isExact(text)) {
      return this.refuse(
        new KeyError(
          'to_number returns a number that JSON numbers cannot represent exactly; leave it a string',
        ),
      );
    }
    const number = Number(arg);
    return Number.isNaN(number) ? null : number;
  }

  override funcToString(arg: Json): string {
    if (typeof arg === 'string') return arg;
    try {
      assertHashable(arg);
    } catch (error) {
      return this.refuse(error as Error);
    }
    return JSON.stringify(arg);
  }

  protected override parse(text: string): Json {
    const exact = withoutInexact(text, this.standIn);
    if (exact !== text) this.hasReplaced = true;
    return JSON.parse(exact) as Json;
  }

  protected override compare(a: string | number, b: string | number): number {
    if (a === b) return 0;
    return a < b ? -1 : 1;
  }
}

/** Evaluates an expression. Throws a `KeyError` if that fails, or if a function refused its input. */
export function find(expression: string, data: unknown, customFunctions: PowertoolsFunctions): unknown {
  const bounded = customFunctions instanceof BoundedFunctions ? customFunctions : undefined;
  if (bounded !== undefined) bounded.refusal = undefined;
  let found: unknown;
  try {
    found = search(expression, data as Parameters<typeof search>[1], { customFunctions });
  } catch (cause) {
    throw (
      bounded?.refusal ??
      new KeyError(`The expression \`${expression}\` cannot be evaluated for this payload`, { cause })
    );
  }
  if (bounded?.refusal !== undefined) throw bounded.refusal;
  return found;
}

type Signature = Parameters<typeof PowertoolsFunctions.signature>[0]['argumentsSpecs'];

/** Applies Powertools' decorator, which checks the number and types of arguments. */
function sign(functions: typeof BoundedFunctions, signatures: Readonly<Record<string, Signature>>): void {
  for (const [name, argumentsSpecs] of Object.entries(signatures)) {
    const { prototype } = functions;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    PowertoolsFunctions.signature({ argumentsSpecs })(prototype, name, descriptor);
    Object.defineProperty(prototype, name, descriptor);
  }
}

sign(BoundedFunctions, {
  funcPowertoolsBase64Gzip: [['string']],
  funcPowertoolsJson: [['string']],
  funcReverse: [['string', 'array']],
  funcSort: [['array-number', 'array-string']],
});
sign(ExactFunctions, { funcToNumber: [['any']], funcToString: [['any']] });
