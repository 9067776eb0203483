import type { BatchRecord } from '../sources/record.ts';

/**
 * Says which records are the same work: equal strings, same work. Called once for each record, before its
 * handler. What it throws, and an empty string, fail that record alone.
 */
export type KeySelector<Body = unknown> = (record: BatchRecord<Body>) => string;
