import { type Mutant, one } from './mutant.ts';
import { mutantsOfThemes } from './mutants-of-themes.ts';

const TRANSITIONS = 'src/claims/transitions.ts';
const INVOCATION = 'src/batch/invocation.ts';
const ATTEMPT = 'src/batch/attempt.ts';
const ACQUIRE = 'src/stores/dynamodb/acquire.ts';
const SETTLE = 'src/stores/dynamodb/settle.ts';
const AT_MOST = '...update, whereAtMost: { [leaseUntil]: wanted }';
const ROW = 'src/stores/dynamodb/row.ts';
const COMMIT = 'src/stores/dynamodb/commit-with-completion.ts';
const TRANSACTION = 'src/batch/transaction.ts';
const BATCH_WRITER = 'src/stores/dynamodb/batch-writer.ts';
const GATHERING = 'src/batch/gathering.ts';
const CALLS = 'src/functions/with-idempotency.ts';
const CALL = 'src/functions/run-once.ts';

export const mutants: readonly Mutant[] = [
  one(
    'owner condition (state machine)',
    'a settlement needs its own owner in the row',
    TRANSITIONS,
    "stored.status === 'IN_PROGRESS' && stored.owner === owner;",
    "stored.status === 'IN_PROGRESS' && owner !== '';",
  ),
  one(
    'owner condition (DynamoDB)',
    'the WHERE of a settlement names the owner',
    ROW,
    "{ [names.status]: { S: 'IN_PROGRESS' }, [names.owner]: { S: owner } }",
    "{ [names.status]: { S: owner === '' ? '' : 'IN_PROGRESS' } }",
  ),
  one(
    'lease check',
    'a live lease is a conflict',
    TRANSITIONS,
    'now < stored.leaseUntil + clockToleranceMs',
    'now < 0 + clockToleranceMs',
  ),
  one(
    'clock tolerance',
    'a lapsed lease is left alone for clockToleranceMs',
    TRANSITIONS,
    'now < stored.leaseUntil + clockToleranceMs',
    'now < stored.leaseUntil',
  ),
  one(
    'coalescing',
    'equal keys of one batch run once',
    'src/batch/plan.ts',
    'else entry.leader = latest;',
    'else this.#lead(entry);',
  ),
  one(
    'lost-answer rule of acquire',
    'an attempt that meets its own claim has acquired it',
    TRANSITIONS,
    "stored.status === 'IN_PROGRESS' && stored.owner === request.owner",
    "stored.status === 'IN_PROGRESS' && stored.owner === ''",
  ),
  one(
    'lost-answer rule of settle',
    'an attempt that meets its own settlement has stored it',
    TRANSITIONS,
    'stored === undefined || stored.owner !== settlement.owner',
    "stored === undefined || stored.owner !== ''",
  ),
  one(
    'group stop',
    'after a failure the rest of the group is handed back',
    INVOCATION,
    'if (!isAcknowledged(entry.outcome)) {',
    'if (entry.outcome === undefined && !isAcknowledged(entry.outcome)) {',
  ),
  one(
    "'all failed' start",
    'a record without an outcome counts as failed',
    'src/batch/endings.ts',
    'isAcknowledged: isAcknowledged(outcome),',
    'isAcknowledged: outcome === undefined || isAcknowledged(outcome),',
  ),
  one(
    'lease before start',
    'a claim that waited is renewed before its handler starts',
    ATTEMPT,
    'this.#scope.ports.clock.now() < leaseMs / 2;',
    'this.#scope.ports.clock.now() < -Infinity;',
  ),
  one(
    'renewals in time',
    'a renewal that took longer than the lease it brought is none',
    ATTEMPT,
    '!notRenewed.has(attempt) && attempt.claim.leaseUntil > clock.now()',
    '!notRenewed.has(attempt)',
  ),
  {
    name: 'leases only grow',
    takesOut: 'an extension never makes the lease shorter',
    patches: [
      {
        file: ATTEMPT,
        search: 'Math.max(minimumMs, leaseUntil - askedAt)',
        replace: 'minimumMs',
      },
      { file: SETTLE, search: AT_MOST, replace: '...update' },
      {
        file: 'src/stores/memory/memory-store.ts',
        search: 'extended.leaseUntil >= stored.leaseUntil',
        replace: 'extended.leaseUntil >= 0',
      },
    ],
  },
  one(
    'late extensions',
    'an extension that arrives after a later one changes nothing',
    SETTLE,
    AT_MOST,
    '...update',
  ),
  one(
    'forgetting waits too',
    'a row is forgotten only clockToleranceMs after its retention',
    TRANSITIONS,
    'isForgotten(stored, now - clockToleranceMs)',
    'isForgotten(stored, now)',
  ),
  one(
    'put-off isolation',
    'a key whose last attempt died runs after the others, and alone',
    INVOCATION,
    'answer.claim.crashes > 0 && !isAlone',
    'answer.claim.crashes > 1_000 && !isAlone',
  ),
  one(
    'giving claims back',
    'what waits behind a failure in its group gives its claim back',
    INVOCATION,
    "    if (answer.status === 'held') await new Attempt(entry, answer.claim, this.#scope).release();",
    '',
  ),
  one(
    'FIFO by ARN',
    'a standard queue with message groups is not FIFO',
    'src/sources/sqs.ts',
    "eventSourceARN.endsWith('.fifo')",
    'attributes?.MessageGroupId !== undefined',
  ),
  one(
    'lanes of FIFO groups',
    'messages of a FIFO group run one after the other',
    'src/sources/sqs.ts',
    "eventSourceARN.endsWith('.fifo')",
    "eventSourceARN.endsWith('.never')",
  ),
  one(
    'conflicts come back',
    'a record whose key somebody else runs is not acknowledged',
    'src/batch/outcomes.ts',
    "outcome?.status === 'ignored';",
    "outcome?.status === 'conflict';",
  ),
  one(
    'lost settlements come back',
    'a completion that was refused does not acknowledge',
    ATTEMPT,
    "if (outcome === 'lost') return { status: 'lost' };",
    "if (outcome === 'lost') return { status: 'completed' };",
  ),
  one(
    'completions are stored first',
    'a completion that could not be stored does not acknowledge',
    ATTEMPT,
    "return { status: 'failed', error: new CompletionNotStoredError({ cause: outcome.error }) };",
    "if (new CompletionNotStoredError({ cause: outcome.error }).code !== '') return { status: 'completed' };\n" +
      "    return { status: 'failed', error: outcome.error };",
  ),
  one(
    'rejected calls',
    'of a settle call that was rejected nothing is known to be stored',
    'src/claims/group-commit.ts',
    'return settlements.map(() => ({ error }));',
    "return settlements.map(() => (error.message === '' ? { error } : 'stored'));",
  ),
  one(
    'duplicates do not run',
    'a completed key is a duplicate',
    TRANSITIONS,
    "    case 'COMPLETED':\n      return {\n        outcome: {",
    "    case 'COMPLETED':\n" +
      '      if (now > 0) return { write: nextClaim(stored, request, now, stored.crashes), tookOver: false };\n' +
      '      return {\n        outcome: {',
  ),
  one(
    'retention of completions',
    'a completion is remembered for retentionMs',
    TRANSITIONS,
    'completedAt: now,\n        expiresAt: now + settlement.retentionMs,\n      };',
    'completedAt: now,\n        expiresAt: now + settlement.retentionMs / 1_000,\n      };',
  ),
  one(
    'parked keys wait',
    'a parked key is not run again',
    TRANSITIONS,
    "    case 'PARKED':\n      return {",
    "    case 'PARKED':\n" +
      '      if (now > 0) return { write: nextClaim(stored, request, now, stored.crashes), tookOver: false };\n' +
      '      return {',
  ),
  one(
    'attempts grow',
    'every claim has the next attempt: the fencing token',
    TRANSITIONS,
    'attempt: attempt + 1, releases',
    'attempt, releases',
  ),
  one(
    'maxAttempts',
    'a key that died maxAttempts times is parked without another run',
    ATTEMPT,
    'countedAttempts(this.claim) > maxAttempts',
    'countedAttempts(this.claim) > maxAttempts * 1_000',
  ),
  one(
    'abandoned handlers keep their claim',
    'a handler that the batch went on without is left to its lease',
    INVOCATION,
    'void end.late.then((late) => attempt.settleLate(late));',
    "void attempt.settleLate({ kind: 'threw', error: end.error, wasAborted: true });",
  ),
  one(
    'takeover condition',
    'a takeover is written only over the row that was read',
    ROW,
    '[names.status, names.owner, names.leaseUntil, names.started]',
    '[names.status]',
  ),
  one(
    'consistent reads',
    'rows are read strongly consistently',
    BATCH_WRITER,
    'ConsistentRead: true',
    'ConsistentRead: false',
  ),
  one(
    'statement errors',
    'a statement that failed inside a successful request is not written',
    BATCH_WRITER,
    "if (code === 'DuplicateItem' || code === 'ConditionalCheckFailed') return refused(row);",
    "if (code === 'DuplicateItem' || code === 'ConditionalCheckFailed') return refused(row);\n" +
      '    if (isPassing(code)) return WRITTEN;',
  ),
  one(
    'refused writes',
    'a refused write is looked at again',
    ACQUIRE,
    "else if (write?.status === 'refused') {",
    "else if (write?.status === 'refused' && write.row === undefined) finish(index, acquired(claim, tookOver));\n" +
      "    else if (write?.status === 'refused') {",
  ),
  one(
    'seconds and milliseconds',
    "the TTL's seconds become milliseconds when a row is read",
    ROW,
    'expiresAtSeconds * 1_000',
    'expiresAtSeconds',
  ),
  one(
    'lease from when it was asked for',
    'a handler is not told a later end of its lease than is stored',
    ATTEMPT,
    'const askedAt = ports.clock.now();',
    'const askedAt = ports.clock.now() + 100;',
  ),
  one(
    'onLapsedLease',
    'what died is parked and not run again',
    ATTEMPT,
    "onLapsedLease === 'park' && crashes > 0",
    "onLapsedLease === 'park' && crashes > 1",
  ),
  one(
    'maxCrashes',
    'what died maxCrashes times in a row is parked and not run again',
    ATTEMPT,
    'crashes >= maxCrashes',
    'crashes > maxCrashes',
  ),
  one(
    'dead letters before acknowledgement',
    'what the dead-letter queue did not take is handed back',
    'src/batch/dead-letters.ts',
    "type: 'deadLetterFailed', recordId, key, error });\n    return;",
    "type: 'deadLetterFailed', recordId, key, error });",
  ),
  one(
    'commit: the owner condition',
    "a transaction needs the claim to be its owner's",
    COMMIT,
    'ownedUpdate(completion, changeOfSettlement(completion, clock.now()), format)',
    "{ ...ownedUpdate(completion, changeOfSettlement(completion, clock.now()), format), where: { [format.names.status]: { S: 'IN_PROGRESS' } } }",
  ),
  {
    name: 'commit: the lost-answer rule',
    takesOut: 'the same transaction sent again is known by its token, or by the row',
    patches: [
      {
        file: COMMIT,
        search: 'await client.send(command);',
        replace:
          'const input = { ...command.input, ClientRequestToken: String(Math.random()) };\n' +
          '    await client.send(new TransactWriteItemsCommand(input));',
      },
      {
        file: COMMIT,
        search: 'import { changeOfSettlement, isAlreadySettled, isOwnedBy }',
        replace: 'import { changeOfSettlement, isOwnedBy }',
      },
      {
        file: COMMIT,
        search: "if (isAlreadySettled(stored, completion)) return 'stored';",
        replace: '',
      },
    ],
  },
  one(
    'commit: refusals after silence',
    'a refusal is final only when no earlier sending can still arrive',
    COMMIT,
    "if (answer.kind === 'refused' && !isUnanswered) return",
    "if (answer.kind === 'refused') return",
  ),
  one(
    'commit: cancelled transactions',
    'a transaction that was cancelled in passing is not written',
    COMMIT,
    "return { kind: 'passing', error: conflicted(thrown) };",
    "return conflicted(thrown).code === '' ? { kind: 'unknown', error: conflicted(thrown) } : { kind: 'stored' };",
  ),
  one(
    'commit: nothing after it',
    'a committed attempt is not settled again',
    ATTEMPT,
    'if (transaction.isStored) {',
    'if (transaction.isStored && this.facts.owner === "") {',
  ),
  one(
    'commit: no success over an unknown one',
    'a handler that goes on after a commit of unknown outcome has not succeeded',
    ATTEMPT,
    'if (failure === undefined) return this.#settleEnd(end);',
    'if (failure === undefined || end.kind === "returned") return this.#settleEnd(end);',
  ),
  one(
    'commit: the row decides',
    'a record whose commit went unanswered is completed when its row says so',
    ATTEMPT,
    "return (await this.#wasCommittedUnnoticed()) ? { status: 'completed' } : outcome;",
    "return (await this.#wasCommittedUnnoticed()) && outcome.status === 'lost' ? { status: 'completed' } : outcome;",
  ),
  one(
    'commit: once in a run',
    'nothing else is committed after a commit of unknown outcome',
    TRANSACTION,
    "if (this.#state !== 'none') throw",
    "if (this.#state !== 'none' && this.#state !== 'failed') throw",
  ),
  one(
    'stream: checkpoint',
    'the lowest failure of a stream is its checkpoint',
    'src/sources/answers.ts',
    'endings.findIndex(({ isAcknowledged }) => !isAcknowledged)',
    'endings.findLastIndex(({ isAcknowledged }) => !isAcknowledged)',
  ),
  one(
    'stream: order',
    'records of one partition key run one after the other',
    'src/sources/kinesis.ts',
    '`key:${partitionKey}`',
    '`key:${partitionKey}:${sequenceNumber}`',
  ),
  one(
    'batches: failures of records',
    'an error in the answer of a batch handler fails its record',
    GATHERING,
    'if (isError(result)) throw result;',
    '',
  ),
  one(
    'batches: answers of another length',
    'an answer that cannot be told apart by records fails all of them',
    GATHERING,
    'answer.length !== items.length',
    'answer.length === -1',
  ),
  one(
    'batches: leases',
    'a record that waited for the others starts only with a live lease',
    GATHERING,
    'isLive && areRecorded',
    '(isLive || !isStopped) && areRecorded',
  ),
  one(
    'calls: first answers',
    'with replayFailures the failure of a call is kept',
    CALLS,
    "return { end: 'park', error, isAnswer: true };\n      return",
    "return { end: 'fail', error };\n      return",
  ),
  one(
    'calls: retention of what is parked',
    'a failure that is kept is forgotten after its retention',
    TRANSITIONS,
    "status: 'PARKED',\n        updatedAt: now,\n        expiresAt: now + settlement.retentionMs,",
    "status: 'PARKED',\n        updatedAt: now,\n        expiresAt: undefined,",
  ),
  one(
    'calls: completions are stored first',
    'a call that could not store its result does not resolve with it',
    CALLS,
    "if (settled !== 'stored') throw",
    "if (settled === 'lost') throw",
  ),
  one(
    'calls: giving claims back',
    'a call whose claim came too late gives it back',
    CALL,
    "if (typeof (await settleNow(release, ports)) === 'object') giveBackLater();",
    '',
  ),
  one(
    'calls: lease before start',
    'a call whose claim came late is started only after a renewal',
    CALL,
    'isRecorded && (await hasTimeLeft(keeper, call, clock))',
    'isRecorded && (call.leases.leaseMs() > 0 || (await hasTimeLeft(keeper, call, clock)))',
  ),
  ...mutantsOfThemes,
];
