import { ConfigurationError } from '../base/errors.ts';
import { type Check, checkOptionsOf, required } from '../options/check-options.ts';

/**
 * Checks the records given to an event builder. `content` is its only required member. Throws a
 * `ConfigurationError` that names the builder, the record and the member.
 */
export function checkRecords(
  builder: string,
  records: readonly unknown[],
  { content, checks }: { readonly content: string; readonly checks: Readonly<Record<string, Check>> },
): void {
  if (!Array.isArray(records)) {
    throw new ConfigurationError(
      `${builder}: Expected a list of records as the first argument, got ${typeof records}`,
    );
  }
  const all = { [content]: { expected: 'any value', accepts: () => true }, ...checks };
  records.forEach((record, index) => {
    const place = `${builder}: [${index}]`;
    checkOptionsOf(place, record, all);
    if (!Object.hasOwn(record as object, content)) {
      throw new ConfigurationError(`${place}: Expected \`${content}\` to be given, got nothing`);
    }
  });
}

export function aFiniteNumber(): Check {
  return { expected: 'a finite number', accepts: Number.isFinite };
}

export function aContent(): Check {
  return required({
    expected: 'a value that JSON can hold',
    accepts: (value) => value instanceof Uint8Array || JSON.stringify(value) !== undefined,
  });
}

/** Returns a string unchanged, and any other value as JSON. */
export function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Returns bytes, or the text of any other value, as base64. */
export function base64Of(content: unknown): string {
  return Buffer.from(content instanceof Uint8Array ? content : (textOf(content) ?? '')).toString('base64');
}
