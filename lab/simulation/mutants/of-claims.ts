import { type Mutant, one } from '../../../lab/rules/mutant.ts';

const NEXT_CLAIM = '{ write: nextClaim(stored, request, now), tookOver: false }';

/** The state machine, and what an attempt may do with its claim. */
export const mutantsOfClaims: readonly Mutant[] = [
  one(
    'owner condition (state machine)',
    'a settlement needs its own owner in the row',
    'owner-condition',
    (_, [exists, isInProgress]) => `${exists} && ${isInProgress}`,
  ),
  one('lease check', 'a live lease is a conflict', 'live-lease', 'false'),
  one(
    'clock tolerance',
    'a lapsed lease is left alone for clockToleranceMs',
    'live-lease',
    'now < stored.leaseUntil',
  ),
  one(
    'lost-answer rule of acquire',
    'an attempt that meets its own claim has acquired it',
    'own-claim',
    'false',
  ),
  one(
    'lost-answer rule of settle',
    'an attempt that meets its own settlement has stored it',
    'own-settlement',
    'true',
  ),
  one(
    'forgetting waits too',
    'a row is forgotten only clockToleranceMs after its retention',
    'forgotten-claims',
    (_, [isAbsent]) => `${isAbsent} || isForgotten(stored, now)`,
  ),
  one('duplicates do not run', 'a completed key is a duplicate', 'completed-key', NEXT_CLAIM),
  one(
    'retention of completions',
    'a completion is remembered for retentionMs',
    'retention-of-completions',
    (_, [now, retentionMs]) => `${now} + ${retentionMs} / 1_000`,
  ),
  one('parked keys wait', 'a parked key is not run again', 'parked-key', NEXT_CLAIM),
  one(
    'calls: retention of what is parked',
    'a failure that is kept is forgotten after its retention',
    'retention-of-parked',
    'undefined',
  ),
  one(
    'attempts grow',
    'every claim has the next attempt: the fencing token',
    'attempts-grow',
    (_, [attempt]) => `${attempt}`,
  ),
  one(
    'lease before start',
    'a claim that waited is renewed before its handler starts',
    'short-lease',
    'false',
  ),
  one(
    'renewals in time',
    'a renewal that took longer than the lease it brought is none',
    'late-renewal',
    'attempts.map((attempt) => !notRenewed.has(attempt))',
  ),
  one(
    'lease from when it was asked for',
    'a handler is not told a later end of its lease than is stored',
    'lease-as-told',
    (askedAt) => `${askedAt} + 100`,
  ),
  one(
    'maxAttempts',
    'a key that died maxAttempts times is parked without another run',
    'max-attempts',
    'false',
  ),
  one('onLapsedLease', 'what died is parked and not run again', 'lapsed-lease-parks', 'false'),
  one(
    'maxCrashes',
    'what died maxCrashes times in a row is parked and not run again',
    'max-crashes',
    (_, [isGiven]) => `${isGiven} && crashes > maxCrashes`,
  ),
  one(
    'starts are recorded',
    'where deaths park, a row tells what had started from what was only claimed',
    'recorded-starts',
    'false',
  ),
];
