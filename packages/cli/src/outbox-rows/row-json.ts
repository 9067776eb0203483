import type { OutboxEntry, OutboxHistoryEntry } from 'batchlatch/outbox';
import { isoTime } from '../tool-base/iso-time.ts';

/** A row as JSON, with its times in ISO 8601. */
export interface RowJson extends Omit<OutboxEntry, 'version' | 'createdAt' | 'changedAt' | 'history'> {
  readonly createdAt: string | null;
  readonly changedAt?: string | null;
  readonly history: readonly (Omit<OutboxHistoryEntry, 'at'> & { readonly at: string | null })[];
}

/** Returns a row as JSON. */
export function rowJson({ version: _version, createdAt, changedAt, history, ...row }: OutboxEntry): RowJson {
  return {
    ...row,
    createdAt: isoTime(createdAt) ?? null,
    ...(changedAt !== undefined && { changedAt: isoTime(changedAt) ?? null }),
    history: history.map((change) => ({ ...change, at: isoTime(change.at) ?? null })),
  };
}
