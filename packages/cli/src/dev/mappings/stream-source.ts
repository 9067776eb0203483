/** A stream's record, as the function receives it. */
export interface StreamRecord {
  readonly sequenceNumber: string;
  /** Arrival time in the stream; epoch milliseconds. */
  readonly arrivedMs: number;
  /** The record in Lambda's shape. */
  readonly record: object;
  /** The value that filters match. */
  readonly filtered: {
    readonly value: object;
    readonly payload?: { readonly name: string; readonly text: string };
  };
}

/** The position to read a shard from. */
export type StreamPosition = 'TRIM_HORIZON' | 'LATEST' | { readonly after: string };

/** A stream of an emulator. */
export interface StreamSource {
  shards(): Promise<readonly string[]>;
  iterator(shardId: string, position: StreamPosition): Promise<string>;
  /** Reads at most `limit` records; `next` is undefined at the end of a shard. */
  read(
    shardId: string,
    iterator: string,
    limit: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly next: string | undefined }>;
}

/** Returns the members of `GetShardIterator` for a position; `name`: the member of the sequence number. */
export function positionMembers(position: StreamPosition, name: string): Readonly<Record<string, string>> {
  return typeof position === 'string'
    ? { ShardIteratorType: position }
    : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', [name]: position.after };
}
