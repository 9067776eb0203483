import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { acquiring, type Decided, ending, extending, operating, starting } from '../model/decisions.ts';
import type { Claim } from '../../src/claims/claim.ts';
import type { AcquireOutcome } from '../../src/claims/claim-store.ts';
import type { OperateOutcome } from '../../src/claims/claim-admin.ts';

/** A number of a row or an answer: a number that was there before, and what is added to it. */
interface Sum {
  readonly of: 'nothing' | 'attempt' | 'releases' | 'crashes' | 'asked';
  readonly plus: number;
}

type Source = '' | 'stored' | 'asked';

interface Counts {
  readonly attempt: Sum;
  readonly releases: Sum;
  readonly crashes: Sum;
}

/** One line of the table, as `checker/table.go` reads it: the answer, and the row afterwards. */
interface Line {
  readonly answer: Counts & {
    readonly status: string;
    readonly tookOver: boolean;
    readonly result: Source;
  };
  readonly row: Counts & {
    readonly status: string;
    readonly owner: Source;
    readonly isStarted: boolean;
    readonly hasError: boolean;
    readonly result: Source;
    readonly lease: Source;
  };
}

type Outcome = AcquireOutcome | OperateOutcome | 'stored' | 'lost';

const NOW = 10_000_000;
const LEASE_MS = 1_000;
const RETENTION_MS = 1_000_000;
/** Far enough from one another that a number of the outcome says which of them it was made from. */
const NUMBERS = { attempt: 100, releases: 200, crashes: 300, asked: 400 };
const ERROR = { name: 'Error', message: 'card declined' };
const ASKING = 'asking';
const OTHER = 'other';
const BOOLEANS = [true, false];

/**
 * Writes the state machine as a table for the checker: what src/claims/transitions.ts and src/claims/changes.ts decide of every
 * kind of row and request. The mutants are patched only in the bundled hammer, so the table is that of the code as it is.
 */
export function writeClaimTable(folder: string): string {
  const file = path.join(folder, 'claim-table.json');
  writeFileSync(file, JSON.stringify(claimTable()));
  return file;
}

/** Lines by their kind of row and request, in the words of `checker/table.go`. */
function claimTable(): Readonly<Record<string, Line>> {
  const table: Record<string, Line> = {};
  for (const [row, stored] of rows()) {
    for (const [request, decide] of requests(stored)) {
      table[`${row} ${request}`] = lineOf(stored, decide(stored));
    }
  }
  return table;
}

function* rows(): Generator<[name: string, stored: Claim | undefined]> {
  yield ['absent', undefined];
  for (const owner of [ASKING, OTHER]) {
    for (const started of BOOLEANS) {
      for (const hasError of BOOLEANS) {
        for (const isLive of BOOLEANS) {
          for (const status of ['IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED'] as const) {
            const { attempt, releases, crashes } = NUMBERS;
            const stored: Claim = {
              key: 'k',
              status,
              owner,
              attempt,
              releases,
              crashes,
              started,
              leaseUntil: isLive ? NOW + LEASE_MS / 2 : NOW,
              expiresAt: NOW + RETENTION_MS,
              createdAt: 0,
              updatedAt: 0,
              ...(hasError && { error: ERROR }),
              ...(status === 'COMPLETED' && { result: 'stored' }),
            };
            const words = [
              owner === ASKING && 'own',
              started && 'started',
              hasError && 'error',
              isLive && 'live',
            ];
            yield [[status, ...words.filter((word) => word !== false)].join(' '), stored];
          }
        }
      }
    }
  }
}

function* requests(
  stored: Claim | undefined,
): Generator<[name: string, decide: (stored: Claim | undefined) => Decided<Outcome>]> {
  const claim = { key: 'k', owner: ASKING };
  const lasting = { ...claim, leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
  for (const recordsStart of BOOLEANS) {
    yield [
      recordsStart ? 'acquire to-start' : 'acquire',
      (row) => acquiring(row, { ...lasting, recordsStart }, NOW, 0),
    ];
  }
  for (const end of ['complete', 'fail', 'park', 'release'] as const) {
    const members = {
      end,
      result: 'asked',
      error: ERROR,
      releases: NUMBERS.asked,
      retentionMs: RETENTION_MS,
    };
    yield [end, (row) => ending(row, { ...claim, ...members }, NOW)];
  }
  yield ['start', (row) => starting(row, claim, NOW)];
  yield ['extend longer', (row) => extending(row, lasting, NOW)];
  yield ['extend shorter', (row) => extending(row, { ...lasting, leaseMs: -1 }, NOW)];
  for (const operation of ['release', 'resolve', 'park', 'forget'] as const) {
    for (const seen of seenOf(stored)) {
      for (const force of BOOLEANS) {
        for (const hasResult of BOOLEANS) {
          const words = [seen.name, force && 'forced', hasResult && 'result'].filter(Boolean);
          yield [
            [`person-${operation}`, ...words].join(' '),
            (row) =>
              operating(
                row,
                {
                  ...claim,
                  operation,
                  seen: seen.seen,
                  force,
                  operator: 'pat',
                  reason: 'by hand',
                  retentionMs: RETENTION_MS,
                  ...(hasResult && { result: 'asked' }),
                },
                NOW,
                0,
              ),
          ];
        }
      }
    }
  }
}

/** What a person may have seen of a row: each of its members as it is, or another one. */
function* seenOf(
  stored: Claim | undefined,
): Generator<{ name: string; seen: Pick<Claim, 'status' | 'owner' | 'attempt'> }> {
  const { status = 'PARKED', owner = OTHER, attempt = 1 } = stored ?? {};
  for (const isStatus of BOOLEANS) {
    for (const isOwner of BOOLEANS) {
      for (const isAttempt of BOOLEANS) {
        const unlike = [!isStatus && 'status', !isOwner && 'owner', !isAttempt && 'attempt'].filter(Boolean);
        yield {
          name: unlike.map((what) => `other-${String(what)}`).join(' '),
          seen: {
            status: isStatus ? status : status === 'FAILED' ? 'PARKED' : 'FAILED',
            owner: isOwner ? owner : 'a stranger',
            attempt: isAttempt ? attempt : attempt + 1,
          },
        };
      }
    }
  }
}

function lineOf(stored: Claim | undefined, { claim, outcome }: Decided<Outcome>): Line {
  return {
    answer: answerOf(outcome),
    row: {
      ...countsOf(claim),
      status: claim?.status ?? '',
      owner: claim === undefined ? '' : claim.owner === stored?.owner ? 'stored' : 'asked',
      isStarted: claim !== undefined && claim.started !== false,
      hasError: claim?.error !== undefined,
      result: sourceOf(claim?.result),
      lease:
        claim?.status !== 'IN_PROGRESS' ? '' : claim.leaseUntil === stored?.leaseUntil ? 'stored' : 'asked',
    },
  };
}

function answerOf(outcome: Outcome): Line['answer'] {
  const none = { ...countsOf({}), tookOver: false, result: '' as Source };
  if (typeof outcome === 'string') return { ...none, status: outcome };
  switch (outcome.status) {
    case 'acquired':
      return { ...none, ...countsOf(outcome), status: 'acquired', tookOver: outcome.tookOver };
    case 'conflict':
      return { ...none, ...countsOf({ attempt: outcome.attempt }), status: 'conflict' };
    case 'duplicate':
      return { ...none, status: 'duplicate', result: sourceOf(outcome.result) };
    case 'refused':
      return { ...none, status: outcome.why };
    case 'error':
      throw outcome.error;
    case 'done':
    case 'parked':
    case 'mismatch':
      return { ...none, status: outcome.status };
  }
}

function countsOf(counts: Partial<Pick<Claim, 'attempt' | 'releases' | 'crashes'>> | undefined): Counts {
  const { attempt = 0, releases = 0, crashes = 0 } = counts ?? {};
  return { attempt: sumOf(attempt), releases: sumOf(releases), crashes: sumOf(crashes) };
}

function sumOf(value: number): Sum {
  for (const name of ['attempt', 'releases', 'crashes', 'asked'] as const) {
    if (Math.abs(value - NUMBERS[name]) < 50) return { of: name, plus: value - NUMBERS[name] };
  }
  return { of: 'nothing', plus: value };
}

function sourceOf(result: string | undefined): Source {
  return result === undefined || result === 'stored' || result === 'asked' ? (result ?? '') : fail(result);
}

function fail(result: string): never {
  throw new Error(`A result that neither is stored nor was asked for: ${result}`);
}
