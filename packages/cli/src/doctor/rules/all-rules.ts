import type { Examination } from '../examination.ts';
import { POSTGRES_RULES } from '../servers/postgres-rules.ts';
import { REDIS_RULES } from '../servers/redis-rules.ts';
import { BATCH_RULES, checkBatches } from './batches.ts';
import { VISIBILITY_RULES, checkVisibilityTimeouts } from './visibility-timeouts.ts';
import { DEAD_LETTER_QUEUE_RULES, checkDeadLetterQueues } from './dead-letter-queues.ts';
import { QUEUE_SECURITY_RULES, checkQueueSecurity } from './queue-security.ts';
import { CONCURRENCY_RULES, checkReservedConcurrency } from './reserved-concurrency.ts';
import { STREAM_RULES, checkStreams } from './streams.ts';
import { CLAIMS_TABLE_RULES, checkClaimsTables } from './claims-tables.ts';
import { CLAIMS_RETENTION_RULES, checkClaimsRetention } from './claims-retention.ts';
import { CLAIMS_PERMISSION_RULES, checkClaimsPermissions } from './claims-permissions.ts';
import { QUEUE_PERMISSION_RULES, checkQueuePermissions } from './queue-permissions.ts';
import { WIDE_PERMISSION_RULES, checkWidePermissions } from './wide-permissions.ts';
import { RUNTIME_RULES, checkRuntimes } from './runtimes.ts';
import { ASYNCHRONOUS_RULES, checkAsynchronousInvocations } from './asynchronous-invocations.ts';
import { BUS_SUBSCRIBER_RULES, checkBusSubscribers } from './bus-subscribers.ts';
import { OUTBOX_RULES, checkOutboxes } from './outboxes.ts';
import { MESSAGE_GROUP_RULES, checkMessageGroups } from './message-groups.ts';
import type { Rules } from './rule.ts';

const CHECKED: readonly (readonly [Rules, (examination: Examination) => void])[] = [
  [BATCH_RULES, checkBatches],
  [VISIBILITY_RULES, checkVisibilityTimeouts],
  [DEAD_LETTER_QUEUE_RULES, checkDeadLetterQueues],
  [QUEUE_SECURITY_RULES, checkQueueSecurity],
  [CONCURRENCY_RULES, checkReservedConcurrency],
  [STREAM_RULES, checkStreams],
  [CLAIMS_TABLE_RULES, checkClaimsTables],
  [CLAIMS_RETENTION_RULES, checkClaimsRetention],
  [CLAIMS_PERMISSION_RULES, checkClaimsPermissions],
  [QUEUE_PERMISSION_RULES, checkQueuePermissions],
  [WIDE_PERMISSION_RULES, checkWidePermissions],
  [RUNTIME_RULES, checkRuntimes],
  [ASYNCHRONOUS_RULES, checkAsynchronousInvocations],
  [BUS_SUBSCRIBER_RULES, checkBusSubscribers],
  [OUTBOX_RULES, checkOutboxes],
  [MESSAGE_GROUP_RULES, checkMessageGroups],
];

/** Rules for templates and deployed resources, by code. */
export const AWS_RULES: Rules = Object.assign({}, ...CHECKED.map(([rules]) => rules));
export const CHECKS: readonly ((examination: Examination) => void)[] = CHECKED.map(([, check]) => check);

/** All rules, by code. */
export const RULES: Rules = { ...AWS_RULES, ...POSTGRES_RULES, ...REDIS_RULES };
