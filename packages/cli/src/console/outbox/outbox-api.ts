// The part of the JSON API (`api.ts`) for the rows of an outbox.
import type { OutboxOperation } from 'batchlatch/outbox';
import type { SeenRow, WhyNot } from '../../outbox-rows/change-rows.ts';
import type { RowJson } from '../../outbox-rows/row-json.ts';

export type { OutboxOperation, RowJson, SeenRow, WhyNot };
export type { OutboxState } from 'batchlatch/outbox';

/** A row, with the version that a change relies on. */
export interface ShownRowJson extends RowJson {
  readonly version: string;
}

/** `GET /api/outbox`: the parked rows before the waiting ones. */
export interface RowsJson {
  readonly rows: readonly ShownRowJson[];
  readonly next?: string;
}

/** `POST /api/outbox/plan`: the chosen rows, as the person saw them, or all that are parked. */
export interface RowsPlanRequest {
  readonly operation: OutboxOperation;
  readonly rows?: readonly SeenRow[];
  readonly filter?: { readonly state: 'parked'; readonly type?: string };
}

/** A preview of a change of rows. */
export interface RowsPlanJson {
  readonly plan: string;
  readonly operation: OutboxOperation;
  /** The number of rows in the plan. */
  readonly count: number;
  /** The number of them that would be changed. */
  readonly wouldChange: number;
  /** The number of them that have a message group. */
  readonly inGroups: number;
  /** The number of dropped rows in groups, which would be sent out of order. */
  readonly late: number;
  /** Whether the plan includes all matching rows. */
  readonly isWhole: boolean;
  readonly wouldBeRefused: Readonly<Record<WhyNot, number>>;
  /** The first rows that would be changed. */
  readonly sample: readonly RowJson[];
  readonly expiresAt: string;
}

/** `result` of a job `outbox`. */
export interface RowsResult {
  readonly done: number;
  readonly refused: Readonly<Record<WhyNot, number>>;
  readonly failed: number;
  /** The number of rows that were not sent because the job was stopped. */
  readonly notSent: number;
  /** The first 100 rows that were not changed. */
  readonly notChanged: readonly {
    readonly outboxId: string;
    readonly why: WhyNot | 'failed';
    readonly error?: string;
  }[];
}
