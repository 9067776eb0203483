import type { HeartbeatPolicy } from '../batch/context.ts';
import { anInteger, checkOptionsOf } from '../options/check-options.ts';
import { showAgain } from './queue.ts';

/** Options of `heartbeat()`. */
export interface HeartbeatOptions {
  /** Milliseconds between renewals, at most half of the remaining lease. Default: a third of the lease. */
  readonly intervalMs?: number;
}

/**
 * Returns the policy for `heartbeat` that renews the leases of running handlers. With `sqs`, it also keeps
 * the batch's unfinished messages invisible, as a worker does by itself. Without this policy, leases are
 * renewed for every source but SQS, whose lease lasts as long as the invocation.
 *
 * @param options How often leases are renewed.
 * @throws `ConfigurationError` for invalid options.
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
      const { ledger, time, host } = context;
      if (host !== undefined) return; // a worker hides its messages itself, for longer than a lease
      const delayMs = time.leaseMs();
      const unfinished = ledger.records.filter((record) => ledger.outcomeOf(record) === undefined);
      const delays = unfinished.map((record) => ({ record, delayMs }));
      await showAgain(delays, context);
    },
  };
}
