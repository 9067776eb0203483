import type { EncodedMessage } from '../messages/encode-message.ts';
import type { SqlAnswer } from '../stores/postgres/pool.ts';

/** A row that a relay sends. */
export interface RelayRow extends EncodedMessage {
  /** The position in the table, which orders the rows of a group. */
  readonly id: string;
  readonly outboxId: string;
  /** How often the row alone could not be sent. */
  readonly tries: number;
}

/** Reads rows in the order of their positions. */
export function relayRows({ rows }: SqlAnswer): RelayRow[] {
  const read = rows.map((row): RelayRow => {
    const group = row['message_group'];
    return {
      id: String(row['id']),
      outboxId: String(row['outbox_id']),
      type: String(row['type']),
      body: String(row['body']),
      attributes: JSON.parse(String(row['attributes'])) as Record<string, string>,
      group: typeof group === 'string' ? group : undefined,
      deduplicationId: String(row['deduplication_id']),
      tries: Number(row['tries']),
    };
  });
  // rule: rows-in-order
  return read.sort((one, other) => Number(one.id) - Number(other.id));
}

/** Reads a JSON array of texts. */
export function textsIn(value: unknown): string[] {
  return JSON.parse(String(value)) as string[];
}
