/** A record of a stream, as the function gets it. */
export interface StreamRecord {
  readonly sequenceNumber: string;
  /** When it came into the stream, in milliseconds since the epoch. */
  readonly arrivedMs: number;
  /** In Lambda's shape. */
  readonly record: object;
  /** What filters are matched against. */
  readonly filtered: {
    readonly value: object;
    readonly payload?: { readonly name: string; readonly text: string };
  };
}

/** Where a shard is read from. */
export type StreamPosition = 'TRIM_HORIZON' | 'LATEST' | { readonly after: string };

/** The stream of an emulator. */
export interface StreamSource {
  shards(): Promise<readonly string[]>;
  iterator(shardId: string, position: StreamPosition): Promise<string>;
  /** At most so many records; `next` is undefined where a shard has ended. */
  read(
    shardId: string,
    iterator: string,
    limit: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly next: string | undefined }>;
}

/** The members of `GetShardIterator` that say where; `name` is that of the sequence number. */
export function positionMembers(position: StreamPosition, name: string): Readonly<Record<string, string>> {
  return typeof position === 'string'
    ? { ShardIteratorType: position }
    : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', [name]: position.after };
}
