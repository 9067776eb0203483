import type { Examination } from '../examination.ts';
import { claimsTableOf } from '../claims-table-of.ts';
import { daysOf } from '../days-of.ts';
import { wiredQueues, type WiredQueue } from '../queues-with-functions.ts';
import type { Rules } from './rule.ts';

/** The default of `retentionMs`. */
const DEFAULT_CLAIM_RETENTION_SECONDS = 345_600;

/** Rules for the retention of claims and of queues. */
export const CLAIMS_RETENTION_RULES: Rules = {
  'retention-shorter-than-queue': {
    severity: 'error',
    what:
      'claims that are forgotten before the queue deletes its messages (a warning ' +
      'where `retentionMs` cannot be seen and would be 4 days by default)',
    why: 'A message that comes again after that runs a second time.',
    fix: '`retentionMs` of at least the retention of the queue',
    docs: 'policies/retention.md',
  },
};

export function checkClaimsRetention(examination: Examination): void {
  for (const wired of wiredQueues(examination)) checkRetention(examination, wired);
}

function checkRetention(examination: Examination, { queue, lambda }: WiredQueue): void {
  if (claimsTableOf(examination, lambda) === undefined) return;
  const kept = examination.known(queue, 'MessageRetentionPeriod', queue.retentionSeconds);
  const { value: retentionMs } = lambda.options.retentionMs;
  const remembered = retentionMs === undefined ? DEFAULT_CLAIM_RETENTION_SECONDS : retentionMs / 1_000;
  if (kept === undefined || remembered >= kept) return;
  const whose = retentionMs === undefined ? ' by default, unless `retentionMs` says otherwise' : '';
  examination.report('retention-shorter-than-queue', queue, {
    message:
      `${lambda.name} remembers claims for ${daysOf(remembered)}${whose}; ${queue.name} keeps messages for ` +
      `${daysOf(kept)}.`,
    fix: [
      `# in the code of ${lambda.id}: createBatchProcessor(handler, { retentionMs: ${kept * 1_000} })`,
      `# and so that doctor knows it, in the template: ${lambda.id}: ` +
        `Metadata: { batchlatch: { retentionMs: ${kept * 1_000} } }`,
      `# or in ${queue.id}: MessageRetentionPeriod: ${Math.floor(remembered)}`,
    ],
    fixBelongsTo: 'none',
    line: queue.retentionSeconds.line,
    ...(retentionMs === undefined && { severity: 'warning' as const }),
  });
}
