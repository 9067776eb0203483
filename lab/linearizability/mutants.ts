import { type Mutant, type NewValue, one } from '../../lab/rules/mutant.ts';
import { onDynoxide, onPostgres, onRedis, type Subject } from './subjects.ts';

/** A store with a rule taken out, or clocks with which its rules are not enough. */
export interface HammeredMutant {
  readonly mutant: Mutant;
  readonly subject: Subject;
  readonly clockAheadMs?: number;
}

// Scripts of Redis without one of their conditions.

const INSERT_OVER = `
for i, key in ipairs(KEYS) do
  local write = next_write()
  add(i, written(key, write))
end`;

const REPLACE_ANY = `
for i, key in ipairs(KEYS) do
  local write = next_write()
  next_is_still(key)
  if failed then add(i) else add(i, written(key, write)) end
end`;

const CHANGE_OF_ANYBODY = `
for i, key in ipairs(KEYS) do
  local write = next_write()
  next_argument()
  local stored = run('hmget', key, 'status', 'leaseUntil')
  if failed then
    add(i)
  elseif stored[1] ~= 'IN_PROGRESS'
    or (write.lease_at_most and (tonumber(stored[2]) or 0) > write.lease_at_most) then
    add(i, row_of(key))
  else
    if write.lasts then run('pexpire', key, write.lasts) end
    if failed then add(i) else add(i, fields_written(key, write)) end
  end
end`;

export const hammeredMutants: readonly HammeredMutant[] = [
  inPostgres(
    'ends of anybody',
    'nobody but its owner ends a claim',
    'postgres-owner',
    `"a.was = 'IN_PROGRESS'"`,
  ),
  inPostgres(
    'live leases',
    'a live lease is not taken over',
    'postgres-live-lease',
    `"c.status = 'IN_PROGRESS' AND c.owner <> excluded.owner"`,
  ),
  inPostgres(
    'second ends',
    'a claim that has ended is not ended again',
    'postgres-owner',
    "'a.holder = a.owner'",
  ),
  inPostgres('shorter leases', 'an extension makes no lease shorter', 'postgres-growing-leases', "'true'"),
  inPostgres(
    'completed again',
    'a completed key does not run',
    'postgres-free-keys',
    (isFree) => `"c.status = 'COMPLETED' OR " + ${isFree}`,
  ),
  inPostgres(
    'promises longer than leases',
    'an owner counts on no more than the lease that is stored',
    'postgres-lease-as-told',
    (leaseUntil) => `${leaseUntil} + 100`,
  ),
  inRedis('ends of anybody', 'nobody but its owner ends a claim', 'redis-owner', script(CHANGE_OF_ANYBODY)),
  inRedis('lost updates', 'a claim is taken over only as it was read', 'redis-as-read', script(REPLACE_ANY)),
  inRedis(
    'claims over claims',
    'a first claim is written over no other',
    'redis-first-claims',
    script(INSERT_OVER),
  ),
  inRedis(
    'acknowledged losses',
    'what is acknowledged is stored',
    'stored-as-written',
    (writes) => `Math.random() < 0.1 ? changes.map(() => ({ status: 'written' as const })) : ${writes}`,
  ),
  inRedis(
    'stale reads',
    'a read sees what was written before it',
    'redis-fresh-reads',
    (claim) => `((seen) => seen.get(key) ?? seen.set(key, ${claim}).get(key))(globalThis.seen ??= new Map())`,
  ),
  inDynamoDB('ends of anybody', 'nobody but its owner ends a claim', 'dynamodb-owner', '() => ({})'),
  inDynamoDB('lost updates', 'a claim is taken over only as it was read', 'dynamodb-as-read', '() => ({})'),
  inDynamoDB('live leases', 'a live lease is not taken over', 'live-lease', 'false'),
  inDynamoDB('tokens that stand still', 'attempts grow', 'attempts-grow', (_, [attempt]) => `${attempt}`),
  inDynamoDB('lost acquires', 'a claim whose answer was lost is found', 'own-claim', 'false'),
  inDynamoDB('lost ends', 'an end whose answer was lost is found', 'own-settlement', 'true'),
  inDynamoDB('changes unseen', 'people change only what they saw', 'seen-before-change', 'false'),
  inDynamoDB(
    'people over attempts',
    'people change no live claim unless they force it',
    'live-for-people',
    'false',
  ),
  {
    mutant: { name: 'dynamodb: clocks that differ', takesOut: 'the clocks of clients agree', changes: [] },
    subject: onDynoxide,
    clockAheadMs: 100,
  },
];

type OneChange = [name: string, takesOut: string, rule: string, value: NewValue];

function inPostgres(...[name, ...change]: OneChange): HammeredMutant {
  return { mutant: one(`postgres: ${name}`, ...change), subject: onPostgres };
}

function inRedis(...[name, ...change]: OneChange): HammeredMutant {
  return { mutant: one(`redis: ${name}`, ...change), subject: onRedis };
}

function inDynamoDB(...[name, ...change]: OneChange): HammeredMutant {
  return { mutant: one(`dynamodb: ${name}`, ...change), subject: onDynoxide };
}

function script(body: string): string {
  return `script(\`${body}\`)`;
}
