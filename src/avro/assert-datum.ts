import type { Type, types } from 'avsc';
import { builtIn } from '../base/built-in.ts';
import { DecodeError } from '../sources/decode-step.ts';
import { maxParsedBytes } from '../sources/function-memory.ts';
import { DEEPEST } from '../sources/json-text.ts';

const { isUtf8 } = builtIn('node:buffer');

/** Bytes of V8's heap for an array, record or map, and for a value, as in `assertParsable`. */
const CONTAINER_BYTES = 80;
const VALUE_BYTES = 16;
/** Added for an entry of a map with many, and for a `Buffer`; measured on Node 20. */
const ENTRY_BYTES = 80;
const BUFFER_BYTES = 96;

const LONGEST_VARINT = 10;

/**
 * Checks bytes against a schema before `avsc` decodes them. `avsc` believes each count of an array or a map,
 * and reads on behind the end. Throws a `DecodeError` for bytes that end early or go on, for unknown branches
 * and symbols, for text that is not UTF-8, and for values nested too deep or too large for the memory.
 */
export function assertDatum(writer: Type, bytes: Buffer): void {
  const datum = new Datum(bytes);
  datum.value(writer, 0);
  if (datum.position !== bytes.length) throw refusal('goes on behind its value');
}

class Datum {
  position = 0;
  readonly #bytes: Buffer;
  readonly #mostHeap = maxParsedBytes();
  #heap = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(type: Type, depth: number): void {
    if (depth > DEEPEST) throw refusal(`is nested deeper than ${DEEPEST} levels`);
    this.#grow(VALUE_BYTES);
    switch (type.typeName) {
      case 'null':
        return;
      case 'boolean':
        return this.#skip(1);
      case 'int':
        return this.#int();
      case 'long':
      case 'abstract:long':
        this.#long();
        return;
      case 'float':
        return this.#skip(4);
      case 'double':
        return this.#skip(8);
      case 'fixed':
        this.#grow(BUFFER_BYTES);
        return this.#skip((type as types.FixedType).size);
      case 'bytes':
        this.#grow(BUFFER_BYTES);
        return this.#skip(this.#long());
      case 'string':
        this.#text();
        return;
      case 'enum':
        this.#index((type as types.EnumType).symbols.length);
        return;
      default:
        return this.#compound(type, depth);
    }
  }

  #compound(type: Type, depth: number): void {
    switch (type.typeName) {
      case 'array': {
        const { itemsType } = type as types.ArrayType;
        return this.#blocks(() => this.value(itemsType, depth + 1));
      }
      case 'map': {
        const { valuesType } = type as types.MapType;
        return this.#blocks(() => {
          this.#grow(ENTRY_BYTES);
          // `avsc` would set the prototype.
          if (this.#text().toString() === '__proto__') throw refusal('has a map with the key `__proto__`');
          this.value(valuesType as Type, depth + 1);
        });
      }
      case 'record':
      case 'error':
        this.#grow(CONTAINER_BYTES);
        for (const field of (type as types.RecordType).fields) this.value(field.type, depth + 1);
        return;
      case 'union:unwrapped':
      case 'union:wrapped': {
        const { types: branches } = type as types.WrappedUnionType;
        return this.value(branches[this.#index(branches.length)] as Type, depth + 1);
      }
      default:
        return this.value((type as types.LogicalType).underlyingType, depth + 1);
    }
  }

  /**
   * Reads blocks of items, each with its count; a negative count is followed by the block's length. `avsc`
   * believes the length where the reader has no such field.
   */
  #blocks(item: () => void): void {
    this.#grow(CONTAINER_BYTES);
    for (let count = this.#long(); count !== 0; count = this.#long()) {
      const length = count < 0 ? this.#long() : undefined;
      const start = this.position;
      for (let left = Math.abs(count); left > 0; left -= 1) item();
      if (length !== undefined && length !== this.position - start)
        throw refusal('has a block of another length');
    }
  }

  #text(): Buffer {
    const length = this.#long();
    const start = this.position;
    this.#skip(length);
    const text = this.#bytes.subarray(start, this.position);
    if (!isUtf8(text)) throw refusal('has text that is not UTF-8');
    return text;
  }

  #index(length: number): number {
    const index = this.#long();
    if (index < 0 || index >= length) throw refusal('has a branch or a symbol that its schema does not have');
    return index;
  }

  #skip(length: number): void {
    if (length < 0 || length > this.#bytes.length - this.position) throw refusal('ends early');
    this.position += length;
  }

  #int(): void {
    const value = this.#long();
    if (value !== (value | 0)) throw refusal('has an int of more than 32 bits');
  }

  /** Reads a zigzag varint, rounded beyond 2^53: as a length or a count it is refused anyway. */
  #long(): number {
    let value = 0;
    for (let index = 0; index < LONGEST_VARINT; index += 1) {
      const byte = this.#bytes[this.position];
      if (byte === undefined) throw refusal('ends early');
      if (index === LONGEST_VARINT - 1 && byte > 1) break; // `avsc` would drop the bits
      this.position += 1;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw refusal('has a number of more than 64 bits');
  }

  #grow(bytes: number): void {
    this.#heap += bytes;
    if (this.#heap <= this.#mostHeap) return;
    const most = `${this.#mostHeap} bytes, a 16th of the function's memory; give the function more`;
    throw refusal(`has values that would take more than ${most}`);
  }
}

function refusal(problem: string): DecodeError {
  return new DecodeError(`The payload in Avro ${problem}`, { isRetryable: false });
}
