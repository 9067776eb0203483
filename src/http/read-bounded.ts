/** The bytes of a stream, or, when there are more than the bound, what was read and the reader of the rest. */
export type BoundedRead =
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly head: readonly Uint8Array[]; readonly rest: ReadableStreamDefaultReader<Uint8Array> };

/** Reads no further than it takes to know that there are more than `maxBytes`. */
export async function readBounded(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<BoundedRead> {
  if (stream === null) return { bytes: new Uint8Array() };
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks, length) };
    if (!isBytes(value)) throw new TypeError('Expected the body to be a stream of Uint8Array chunks');
    chunks.push(value);
    length += value.byteLength;
    if (length > maxBytes) return { head: chunks, rest: reader };
  }
}

/** By its tag, not by `instanceof`: a chunk may come of another realm. */
function isBytes(chunk: unknown): boolean {
  return Object.prototype.toString.call(chunk) === '[object Uint8Array]';
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
