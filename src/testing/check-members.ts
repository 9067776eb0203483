import { Buffer } from 'node:buffer';
import { ConfigurationError } from '../base/errors.ts';
import { nearestName } from '../options/advice.ts';
import { type Advice, type Check, checkOptions, required } from '../options/check-options.ts';

type Checks = Readonly<Record<string, Check>>;

/** The members of a builder's options, of which none is required. */
export function checkBuilderOptions(builder: string, options: unknown, checks: Checks): void {
  told(builder, () => checkOptions(options, checks, nearestName));
}

/**
 * Checks what a builder is told of each record. `content` is the member that a record is made of: it has to be there,
 * and is suggested for the words that other builders have for theirs. Throws a `ConfigurationError` that names the
 * builder, the record and the member.
 */
export function checkRecords(
  builder: string,
  records: readonly unknown[],
  { content, checks }: { readonly content: string; readonly checks: Checks },
): void {
  if (!Array.isArray(records)) {
    throw new ConfigurationError(
      `${builder}: Expected a list of records as the first argument, got ${typeof records}`,
    );
  }
  const advice: Advice = (name, known) =>
    CONTENTS.has(name.toLowerCase()) ? `did you mean \`${content}\`?` : nearestName(name, known);
  const all = { [content]: { expected: 'any value', accepts: () => true }, ...checks };
  records.forEach((record, index) => {
    told(`${builder}: [${index}]`, () => {
      checkOptions(record, all, advice);
      if (!Object.hasOwn(record as object, content)) {
        throw new ConfigurationError(`Expected \`${content}\` to be there`);
      }
    });
  });
}

/** What the builders, and AWS, call the content of a record. */
const CONTENTS: ReadonlySet<string> = new Set(['body', 'data', 'detail', 'message', 'payload', 'value']);

/** Epoch milliseconds, a count, and the like. */
export function aFiniteNumber(): Check {
  return { expected: 'a finite number', accepts: Number.isFinite };
}

/** What JSON holds, or a text or bytes as they are. */
export function aContent(): Check {
  return required({
    expected: 'a value that JSON can hold',
    accepts: (value) => value instanceof Uint8Array || JSON.stringify(value) !== undefined,
  });
}

/** A text as it is, and anything else as JSON. */
export function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Bytes as they are, and a text or anything else as `textOf` gives it. */
export function base64Of(content: unknown): string {
  return Buffer.from(content instanceof Uint8Array ? content : (textOf(content) ?? '')).toString('base64');
}

function told(place: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${place}: ${error.message}`);
  }
}
