import type { HeartbeatPolicy } from '../batch/context.ts';
import { anInteger, checkOptionsOf } from '../options/check-options.ts';
import { showAgain } from './queue.ts';

/** Options of `heartbeat`. */
export interface HeartbeatOptions {
  /** Time between two renewals, in milliseconds; never more than half of what is left of a lease. Default: a third of the lease. */
  readonly intervalMs?: number;
}

/**
 * For `heartbeat`: renews the leases of the handlers that run, and keeps the batch's unfinished SQS messages invisible
 * for as long where `sqs` is given. Without it, leases are renewed for every source but SQS, whose lease lasts as long
 * as the invocation.
 *
 * @param options How often leases are renewed.
 * @throws `ConfigurationError` for an option that is unknown or impossible.
 *
 * @example
 * createBatchProcessor(handler, { sqs: new SQS(), leaseMs: 60_000, heartbeat: heartbeat() });
 */
export function heartbeat(options: HeartbeatOptions = {}): HeartbeatPolicy {
  checkOptionsOf('heartbeat', options, { intervalMs: anInteger(1) });
  return {
    option: 'heartbeat',
    renewal: options,
    async keepInvisible(context) {
      const { ledger, time } = context;
      const delayMs = time.leaseMs();
      const unfinished = ledger.records.filter((record) => ledger.outcomeOf(record) === undefined);
      const delays = unfinished.map((record) => ({ record, delayMs }));
      await showAgain(delays, context);
    },
  };
}
