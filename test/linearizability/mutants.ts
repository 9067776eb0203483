import { type Mutant, one } from '../simulation/mutant.ts';
import { onDynoxide, onPostgres, onRedis, type Subject } from './subjects.ts';

/** A store with a rule taken out, or clocks with which its rules are not enough. */
export interface HammeredMutant {
  readonly mutant: Mutant;
  readonly subject: Subject;
  readonly clockAheadMs?: number;
}

const POSTGRES = 'src/stores/postgres/statements.ts';
const REDIS = 'src/stores/redis/scripts.ts';
const DYNAMODB = 'src/stores/dynamodb/row-writer.ts';
const TRANSITIONS = 'src/claims/transitions.ts';
const OPERATIONS = 'src/claims/changes.ts';
const SETTLE = 'src/stores/rows/settle.ts';

export const hammeredMutants: readonly HammeredMutant[] = [
  inPostgres('ends of anybody', 'nobody but its owner ends a claim', POSTGRES, ' AND a.holder = a.owner', ''),
  inPostgres(
    'live leases',
    'a live lease is not taken over',
    POSTGRES,
    ' AND c.lease_until <= excluded.updated_at',
    '',
  ),
  inPostgres(
    'second ends',
    'a claim that has ended is not ended again',
    POSTGRES,
    "a.was = 'IN_PROGRESS' AND ",
    '',
  ),
  inPostgres(
    'shorter leases',
    'an extension makes no lease shorter',
    POSTGRES,
    "\n  AND (a.at_most_ms IS NULL OR a.lasts <= a.now + ${interval('a.at_most_ms')})",
    '',
  ),
  inPostgres(
    'completed again',
    'a completed key does not run',
    POSTGRES,
    "(c.status = 'FAILED' OR",
    "(c.status IN ('FAILED', 'COMPLETED') OR",
  ),
  inPostgres(
    'promises longer than leases',
    'an owner counts on no more than the lease that is stored',
    'src/stores/postgres/acquire.ts',
    'leaseUntil: sentAt + leaseMs,',
    'leaseUntil: sentAt + leaseMs + 100,',
  ),
  inRedis('ends of anybody', 'nobody but its owner ends a claim', REDIS, ' or stored[2] ~= owner', ''),
  inRedis(
    'lost updates',
    'a claim is taken over only as it was read',
    REDIS,
    'elseif is_still then add(written(',
    'elseif true then add(written(',
  ),
  inRedis(
    'claims over claims',
    'a first claim is written over no other',
    REDIS,
    ' elseif exists == 1 then add(row_of(key))',
    '',
  ),
  inRedis(
    'acknowledged losses',
    'what is acknowledged is stored',
    SETTLE,
    'const writes = await writer.change(changes, signal);',
    'const isLost = Math.random() < 0.1;\n' +
      "const writes = isLost ? changes.map(() => ({ status: 'written' as const })) : await writer.change(changes, signal);",
  ),
  inRedis(
    'stale reads',
    'a read sees what was written before it',
    'src/stores/redis/redis-store.ts',
    'const claim = claimOf(read.row, 0);',
    'type Seen = Map<string, ReturnType<typeof claimOf>>;\nconst seen = ((globalThis as { seen?: Seen }).seen ??= new Map());\n' +
      'const claim = seen.get(key) ?? claimOf(read.row, 0);\nseen.set(key, claim);',
  ),
  inDynamoDB(
    'ends of anybody',
    'nobody but its owner ends a claim',
    DYNAMODB,
    'where: format.whereOwnedBy(owner)',
    'where: {}',
  ),
  inDynamoDB(
    'lost updates',
    'a claim is taken over only as it was read',
    DYNAMODB,
    'where: format.whereStill(row)',
    'where: {}',
  ),
  inDynamoDB(
    'live leases',
    'a live lease is not taken over',
    TRANSITIONS,
    'if (now < stored.leaseUntil + clockToleranceMs) {',
    'if (false) {',
  ),
  inDynamoDB('tokens that stand still', 'attempts grow', TRANSITIONS, 'attempt: attempt + 1,', 'attempt,'),
  inDynamoDB(
    'lost acquires',
    'a claim whose answer was lost is found',
    TRANSITIONS,
    "if (stored.status === 'IN_PROGRESS' && stored.owner === request.owner)\n",
    'if (false)\n',
  ),
  inDynamoDB(
    'lost ends',
    'an end whose answer was lost is found',
    TRANSITIONS,
    'if (stored === undefined || stored.owner !== settlement.owner) return false;',
    'if (stored !== undefined) return false;',
  ),
  inDynamoDB(
    'changes unseen',
    'people change only what they saw',
    OPERATIONS,
    "if (!isAsSeen(stored, operation)) return refused('changed', stored);",
    '',
  ),
  inDynamoDB(
    'people over attempts',
    'people change no live claim unless they force it',
    OPERATIONS,
    "const isLive = stored.status === 'IN_PROGRESS' && now < stored.leaseUntil + clockToleranceMs;",
    'const isLive = false;',
  ),
  {
    mutant: { name: 'dynamodb: clocks that differ', takesOut: 'the clocks of clients agree', patches: [] },
    subject: onDynoxide,
    clockAheadMs: 100,
  },
];

type Patch = [name: string, takesOut: string, file: string, search: string, replace: string];

function inPostgres(...[name, ...patch]: Patch): HammeredMutant {
  return { mutant: one(`postgres: ${name}`, ...patch), subject: onPostgres };
}

function inRedis(...[name, ...patch]: Patch): HammeredMutant {
  return { mutant: one(`redis: ${name}`, ...patch), subject: onRedis };
}

function inDynamoDB(...[name, ...patch]: Patch): HammeredMutant {
  return { mutant: one(`dynamodb: ${name}`, ...patch), subject: onDynoxide };
}
