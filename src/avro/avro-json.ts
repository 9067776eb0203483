import { DecodeError } from '../sources/decode-step.ts';

const MOST_PARTS = 10_000;

interface AvroJsonOptions {
  readonly longs: 'number' | 'string';
  readonly maxBytes: number;
}

/**
 * Returns a value of `avsc` as JSON text. Bytes become a string with a character for each byte, as in Avro's
 * JSON encoding; infinite numbers and NaN become strings. `JSON.stringify` cannot write a `bigint`. Throws a
 * `DecodeError` for more than `maxBytes` characters.
 */
export function avroJson(value: unknown, { longs, maxBytes }: AvroJsonOptions): string {
  const texts: string[] = [];
  const parts: string[] = [];
  let length = 0;

  function add(text: string): void {
    length += text.length;
    if (length > maxBytes) {
      const message = `The payload in Avro has more than ${maxBytes} bytes as JSON (maxBytes)`;
      throw new DecodeError(message, { isRetryable: false });
    }
    parts.push(text);
    if (parts.length === MOST_PARTS) join();
  }

  /** Each part takes several times the memory of its text. */
  function join(): void {
    texts.push(parts.join(''));
    parts.length = 0;
  }

  function write(one: unknown): void {
    if (typeof one === 'bigint') return add(longs === 'string' ? `"${one}"` : String(one));
    if (typeof one === 'number') return add(Number.isFinite(one) ? String(one) : `"${one}"`);
    if (typeof one !== 'object' || one === null) return add(JSON.stringify(one ?? null));
    if (Buffer.isBuffer(one)) return add(JSON.stringify(one.toString('latin1')));
    if (Array.isArray(one)) return list('[', one, write, ']');
    list(
      '{',
      Object.entries(one),
      ([name, member]) => {
        add(`${JSON.stringify(name)}:`);
        write(member);
      },
      '}',
    );
  }

  function list<Item>(open: string, items: readonly Item[], writeItem: (item: Item) => void, close: string) {
    add(open);
    for (const [index, item] of items.entries()) {
      if (index > 0) add(',');
      writeItem(item);
    }
    add(close);
  }

  write(value);
  join();
  return texts.join('');
}
