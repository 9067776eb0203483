import type { Rules } from '../rules/rule.ts';

/** Rules for claims in Redis or Valkey. */
export const REDIS_RULES: Rules = {
  'redis-eviction': {
    severity: 'error',
    what: 'a `maxmemory-policy` other than `noeviction`',
    why: 'When its memory is full, Redis deletes claims, and completed work runs again.',
    fix: '`maxmemory-policy noeviction`, in the parameter group or by `CONFIG SET`',
    docs: 'stores/redis.md#set-it-up',
  },
  'redis-memory-full': {
    severity: 'warning',
    what: 'more than nine tenths of `maxmemory` in use',
    why: 'With `noeviction` Redis then refuses to write: no record runs until there is room.',
    fix: 'more memory, or a shorter `retentionMs`',
    docs: 'stores/redis.md#set-it-up',
  },
  'redis-not-persistent': {
    severity: 'warning',
    what: 'neither an append-only file nor snapshots (an info where there are only snapshots)',
    why: 'A restart forgets all claims, or those since the last snapshot: completed work runs again.',
    fix: '`appendonly yes`',
    docs: 'stores/redis.md#set-it-up',
  },
  'redis-persistence-failing': {
    severity: 'error',
    what: 'a server whose last write to its disk has failed',
    why: 'A restart forgets the claims; and Redis may refuse writes until it can persist again.',
    fix: 'room on its disk; its log says what has failed',
  },
  'redis-replica-lag': {
    severity: 'warning',
    what: 'a replica that is more than 10 s or 1 MB behind, or not in line',
    why:
      'If it becomes the primary, the claims that it lacks are forgotten, and completed work ' +
      'runs again.',
    fix: '`wait` of the store, `min-replicas-to-write` and `min-replicas-max-lag`, or a nearer replica',
    docs: 'stores/redis.md#set-it-up',
  },
  'redis-no-replica': {
    severity: 'info',
    what: 'a server without a replica',
    why: 'While it is down, no record runs; claims that are not on its disk are lost.',
    fix: 'a replica, where that matters',
    docs: 'stores/redis.md#set-it-up',
  },
  'redis-replica': {
    severity: 'error',
    what: 'a connection to a replica',
    why: 'It takes no writes, and no record runs.',
    fix: 'the address of the primary',
  },
  'redis-scripts-refused': {
    severity: 'error',
    what: 'a user that may not run scripts',
    why: 'Every claim is a script (`EVALSHA`, `EVAL`): no record runs.',
    fix: '`ACL SETUSER … +eval +evalsha +time` and what docs/stores/redis.md lists',
    docs: 'stores/redis.md#permissions',
  },
  'redis-clock-differs': {
    severity: 'info',
    what: 'a server whose clock is more than 5 s from that of this machine',
    why:
      "Leases go by the server's clock. People see claims as overdue at other times; a replica " +
      'that becomes primary ends leases by its own clock (`clockToleranceMs`).',
    fix: 'time by NTP on both',
  },
  'redis-old': {
    severity: 'warning',
    what: 'a server older than Redis 6',
    why: 'It gets no fixes, and batchlatch is not tested with it.',
    fix: 'a version that is maintained',
  },
};
