import type { Context } from 'aws-lambda';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ClaimRequest } from '../claims/claim-store.ts';
import { waitAtMost } from '../claims/clock.ts';
import { createGroupCommit } from '../claims/group-commit.ts';
import { acquireOrWait } from '../claims/wait-for-claim.ts';
import type { NotStartedReason, SettlingEnd } from '../observe/observer.ts';
import type { BatchRecord } from '../sources/record.ts';
import { Attempt, ensureLeases, heartbeatOf, type InvocationScope, leaseMsNow } from './attempt.ts';
import {
  acquireGroup,
  claimAnswer,
  type ClaimAhead,
  type ClaimAheadSetup,
  createClaimAhead,
  noteUnknown,
} from './claim-ahead.ts';
import type { BatchHandler } from './batch-handler.ts';
import { sendToDeadLetters } from './dead-letters.ts';
import type { Deadline } from './deadline.ts';
import type { ClaimAnswer, Entry } from './entry.ts';
import { Gathering } from './gathering.ts';
import { delayRedeliveries } from './hand-back.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { Settings } from './options.ts';
import { fromStoredError, isAcknowledged, isPermanentEnd, outcomeOfFollower } from './outcomes.ts';
import type { Ports, ProcessorPorts } from './ports.ts';
import type { RecordHandler } from './record-handler.ts';
import { deadlineReached, runAttempt, type RunningHandlers } from './run-attempt.ts';
import type { HandlerEnd } from './handler-end.ts';
import { createLaneRunner, type LaneRunner } from './lane-runner.ts';
import { type Lane, lanesOf } from './schedule.ts';
import { countsDeaths, Starts } from './starts.ts';
import { isOutage, UnclaimedAttempt } from './unclaimed-attempt.ts';
import { validateBody } from './validate-body.ts';

/** What does the work: of one record, or of many at once. */
export type Handler = { readonly record: RecordHandler } | { readonly batch: BatchHandler };

/** How long the answer waits for claims to be given back; what is left then is tried again in the next invocation. */
const GIVE_BACK_MS = 1_000;

/** A lane from the entry on that has to run alone. */
interface PutOffLane {
  readonly lane: Lane;
  readonly from: number;
}

/**
 * Runs one batch: every lane side by side, bounded by `concurrency`; then, one at a time, what killed its
 * process before. An entry is claimed, run and settled; what does not get to the end of that stays without
 * an acknowledging outcome and comes back.
 *
 * At each `await` the process may die, the lease may lapse or an answer may be lost. Nothing is held in
 * memory that the claims table does not say better: what was claimed lapses, what was settled stays.
 */
export class Invocation {
  readonly #entries: readonly Entry[];
  readonly #handler: Handler;
  readonly #scope: InvocationScope;
  readonly #limit: LimitFunction;
  readonly #claimSetup: ClaimAheadSetup;
  readonly #starts: Starts;
  readonly #claims: ClaimAhead;
  readonly #lanes: LaneRunner;
  readonly #running: RunningHandlers = new Set();
  readonly #putOff: PutOffLane[] = [];
  readonly #gathering: Gathering | undefined;
  /** Entries that are being claimed, wait for a slot or run: what may soon bring a settlement. */
  #busy = 0;

  constructor(
    entries: readonly Entry[],
    handler: Handler,
    settings: Settings,
    ports: ProcessorPorts,
    lambda: Context | undefined,
    deadline: Deadline,
    comesAgainSoon = false,
  ) {
    const commit = createGroupCommit<SettlingEnd>({
      ...ports,
      lingerMs: settings.settleLingerMs,
      isBusy: () => this.#busy > 0,
      onWrite: (ends) => ports.observer.onEvent({ type: 'settling', ends }),
      signal: deadline.answerNow,
    });
    this.#entries = entries;
    this.#handler = handler;
    this.#scope = { settings, ports, deadline, commit, lambda, comesAgainSoon };
    this.#limit = pLimit({ concurrency: settings.concurrency, rejectOnClear: true });
    this.#starts = new Starts(settings, ports, deadline.stop);
    const isStrict = countsDeaths(settings) && !this.#starts.isRecording;
    this.#claimSetup = {
      ports,
      ahead: isStrict ? settings.concurrency : 2 * settings.concurrency,
      isStrict,
      signal: deadline.answerNow,
      request: claimRequests(this.#scope, this.#starts.isRecording),
    };
    if ('batch' in handler) {
      // Records that could still join: those that are busy, as far as there are slots for them.
      const expected = (): number => Math.min(this.#busy, settings.concurrency);
      this.#gathering = new Gathering(handler.batch, this.#scope, this.#starts, expected);
    }
    this.#claims = createClaimAhead(entries.filter(isClaimedAhead), this.#claimSetup);
    this.#lanes = createLaneRunner(
      (lane) => this.#runLane(lane, 0, false),
      ([head]) => this.#mayStart(head as Entry),
    );
  }

  /** Resolves when every entry has its outcome or the time is over, whichever comes first. */
  async run(): Promise<void> {
    const { deadline } = this.#scope;
    if (deadline.stop.aborted) this.#stop(); // decoding took all the time there was
    else deadline.stop.addEventListener('abort', () => this.#stop(), { once: true });
    const heartbeat = heartbeatOf(this.#scope) && startHeartbeat(this.#entries, this.#running, this.#scope);
    try {
      await Promise.race([
        this.#runAll().then(() => this.#handBackRest(heartbeat)),
        aborted(deadline.answerNow),
      ]);
    } finally {
      void heartbeat?.stop();
    }
  }

  async #runAll(): Promise<void> {
    this.#claims.start();
    await this.#lanes.run(lanesOf(this.#entries));
    // A lane may be put off again, from a follower on whose leader is put off too. The one with the lowest
    // head never is, because leaders come before their followers: every round gets further.
    while (this.#putOff.length > 0) {
      const inOrder = this.#putOff.splice(0).sort((a, b) => headIndex(a) - headIndex(b));
      for (const { lane, from } of inOrder) await this.#runLane(lane, from, true);
    }
  }

  /** What is not acknowledged by now is handed back; the queue may be told when to show it again. */
  async #handBackRest(heartbeat: Heartbeat | undefined): Promise<void> {
    const { unstarted, clock } = this.#scope.ports;
    await heartbeat?.stop();
    if (unstarted.hasAny) await waitAtMost(clock, GIVE_BACK_MS, unstarted.giveBack());
    await delayRedeliveries(this.#entries, this.#scope);
  }

  async #runLane(lane: Lane, from: number, isAlone: boolean): Promise<void> {
    for (let index = from; index < lane.length; index += 1) {
      const entry = lane[index] as Entry;
      const isPutOff = await this.#process(entry, isAlone);
      if (isPutOff) {
        this.#putOff.push({ lane, from: index });
        await Promise.all(lane.slice(index + 1).map((later) => this.#putClaimBack(later)));
        return;
      }
      if (isPermanentEnd(entry.outcome)) await sendToDeadLetters(entry, this.#scope);
      if (!isAcknowledged(entry.outcome)) {
        // The order of the group: what comes after a failure is neither run nor acknowledged.
        await Promise.all(lane.slice(index + 1).map((later) => this.#handBack(later)));
        return;
      }
    }
  }

  /** Gives the entry its outcome; true: it was put off instead. */
  async #process(entry: Entry, isAlone: boolean): Promise<boolean> {
    if (entry.outcome !== undefined) return false;
    const isHeir = entry.leader !== undefined && (await this.#follow(entry, entry.leader)) === 'leads';
    if (entry.leader !== undefined && !isHeir) return entry.outcome === undefined;
    if (entry.behind !== undefined && (await this.#isPutOffWith(entry, entry.behind))) return true;

    const claimsAlone = isAlone || isHeir || entry.behind !== undefined;
    let answer = await (claimsAlone ? this.#claimAlone(entry) : this.#claimAhead(entry));
    if (answer.status === 'conflict') answer = await this.#waitForOwner(entry, answer);
    if (answer.status !== 'held') {
      if (answer.status === 'error' && this.#mayRunWithoutClaim(answer.error)) {
        await this.#runWithoutClaim(entry, answer.error);
        return false;
      }
      this.#refuse(entry, answer);
      this.#endBusy(entry);
      this.#scope.commit.flushIfIdle(); // what waits for company may wait in vain
      return false;
    }
    const attempt = new Attempt(entry, answer.claim, this.#scope);
    if (answer.claim.crashes > 0 && !isAlone) {
      this.#endBusy(entry);
      return this.#putOffUntilAlone(attempt);
    }
    await this.#runClaimed(attempt);
    return false;
  }

  /** Takes the outcome of the equal record before it, is put off with it, or leads in its stead. */
  async #follow(entry: Entry, leader: Entry): Promise<'followed' | 'put-off' | 'leads'> {
    await leader.whenFinishedOrPutOff();
    if (leader.outcome === undefined) {
      entry.putOff();
      return 'put-off';
    }
    if (leader.outcome.status === 'not-started' && leader.outcome.reason === 'order') {
      // The leader stands behind a failure of its group; that is no reason for another group to wait.
      leader.heir ??= entry;
      return leader.heir === entry ? 'leads' : this.#follow(entry, leader.heir);
    }
    entry.finish(outcomeOfFollower(leader.outcome));
    if (entry.outcome?.status === 'duplicate') {
      this.#notify({ type: 'duplicate', recordId: entry.recordId, key: entry.key, within: 'batch' });
    }
    return 'followed';
  }

  /** Waits for the entry before it with the same key and another payload; true: that is put off, and so is this. */
  async #isPutOffWith(entry: Entry, before: Entry): Promise<boolean> {
    await before.whenFinishedOrPutOff();
    if (before.outcome !== undefined) return false;
    entry.putOff();
    return true;
  }

  /** Asks again, with back-off, until the other owner has ended, its lease has lapsed, or the time for that is over. */
  async #waitForOwner(
    entry: Entry,
    conflict: Extract<ClaimAnswer, { status: 'conflict' }>,
  ): Promise<ClaimAnswer> {
    const { settings, ports, deadline, commit } = this.#scope;
    if (settings.waitForConflictMs === undefined) return conflict;
    this.#endBusy(entry); // it needs no slot, and nobody waits for its settlement
    commit.flushIfIdle();
    const { clock, random, store, observer } = ports;
    const startedAt = clock.now();
    const owner = ports.newOwner();
    const outcome = await acquireOrWait(store, () => this.#claimSetup.request(entry, owner), {
      known: conflict,
      timeoutMs: settings.waitForConflictMs,
      clock,
      random,
      signal: deadline.stop,
      callSignal: deadline.answerNow,
    });
    this.#busy += 1;
    noteUnknown(entry, owner, outcome, this.#claimSetup);
    return claimAnswer(entry, owner, outcome, clock.now() - startedAt, observer);
  }

  #mayRunWithoutClaim(error: Error): boolean {
    return this.#scope.settings.onStoreError === 'run' && isOutage(error) && !this.#isStopped;
  }

  async #runWithoutClaim(entry: Entry, error: Error): Promise<void> {
    const { recordId, key } = entry;
    this.#notify({ type: 'withoutClaim', recordId, key, error });
    await this.#runClaimed(new UnclaimedAttempt(entry, this.#scope));
  }

  /** A lane starts when its head's claim has been asked for; claims are, like lanes, in the batch's order. */
  #mayStart(head: Entry): boolean {
    return !isClaimedAhead(head) || this.#isStopped || this.#claims.isRequested(head);
  }

  /** Waits for a slot, runs the handler, settles how it ended. */
  async #runClaimed(attempt: Attempt): Promise<void> {
    const { entry } = attempt;
    let end: HandlerEnd | undefined;
    let hasSlot = false;
    try {
      end = await this.#limit(() => {
        hasSlot = true;
        return this.#runInSlot(attempt);
      });
    } catch (thrown) {
      // The deadline clears the limiter's queue; whatever waited in it has not started.
      if (hasSlot) throw thrown;
    }
    this.#endBusy(entry);
    if (end === undefined) {
      this.#finishNotStarted(entry, this.#isStopped ? 'deadline' : 'lease-lapsed');
      await attempt.release();
    } else if (end.kind === 'abandoned') {
      // It may still be running, so its claim is left to its lease: no second attempt starts beside it.
      entry.finish(attempt.outcomeOfAbandoned(end.error));
      this.#scope.commit.flushIfIdle();
      void end.late.then((late) => attempt.settleLate(late));
    } else {
      entry.finish(await attempt.settle(end));
    }
  }

  /** Undefined: it may not start any more. */
  async #runInSlot(attempt: Attempt): Promise<HandlerEnd | undefined> {
    if (this.#isStopped) return undefined;
    const { refusal } = attempt;
    if (refusal !== undefined) return { kind: 'refused', error: refusal };
    const { schema } = this.#scope.settings;
    if (schema !== undefined) {
      const end = await validateBody(attempt.entry.record as BatchRecord, schema);
      if (end !== undefined) return end;
    }
    if ('batch' in this.#handler) {
      const join = await this.#gathering?.enter(attempt);
      return join && runAttempt(attempt, join, this.#scope, this.#running);
    }
    // The start first: writing it takes time, and the lease has to be live after it.
    if (this.#starts.isRecording && !(await this.#starts.record(attempt))) return undefined;
    if (attempt.isLeaseShort && !(await ensureLeases([attempt], this.#scope))[0]) return undefined;
    if (this.#isStopped) return undefined;
    return runAttempt(attempt, { handler: this.#handler.record }, this.#scope, this.#running);
  }

  /**
   * The last attempt of this key died, and may have taken its process along: it runs after all others have
   * settled, and alone. Until its turn it holds no claim, for if another of its kind kills this process, the
   * claims that are held then look as if they had.
   */
  async #putOffUntilAlone(attempt: Attempt): Promise<boolean> {
    const { entry } = attempt;
    const isReleased = (await attempt.release()) === 'stored';
    if (isReleased) entry.putOff();
    else this.#finishNotStarted(entry, 'lease-lapsed');
    return isReleased;
  }

  /** Releases a claim whose entry will ask for it again in its turn. */
  async #putClaimBack(entry: Entry): Promise<void> {
    entry.putOff();
    if (entry.outcome !== undefined || entry.leader !== undefined) return;
    const answer = await this.#claims.withdraw(entry);
    this.#claims.noteEnded(entry);
    if (answer.status !== 'held') return;
    const outcome = await new Attempt(entry, answer.claim, this.#scope).release();
    if (outcome !== 'stored') this.#finishNotStarted(entry, 'lease-lapsed');
  }

  /** Hands back what waits behind a failure in its lane, once its claim, if there is one, is given back: an heir may want it. */
  async #handBack(entry: Entry): Promise<void> {
    if (entry.leader === undefined) {
      const answer = await this.#claims.withdraw(entry);
      this.#claims.noteEnded(entry);
      if (answer.status === 'held') await new Attempt(entry, answer.claim, this.#scope).release();
    }
    this.#finishNotStarted(entry, 'order');
  }

  /**
   * Busy only from when its claim is asked for: until others have ended and made room it can neither bring a
   * settlement nor join a batch, and who waited for it would wait for itself.
   */
  async #claimAhead(entry: Entry): Promise<ClaimAnswer> {
    const isRequested = this.#claims.isRequested(entry);
    if (isRequested) this.#busy += 1;
    const answer = await this.#claims.claimOf(entry);
    if (!isRequested) this.#busy += 1;
    return answer;
  }

  async #claimAlone(entry: Entry): Promise<ClaimAnswer> {
    this.#busy += 1;
    if (this.#isStopped) return { status: 'not-requested' };
    const [answer] = await acquireGroup([entry], this.#claimSetup);
    return answer as ClaimAnswer;
  }

  /** The key is not free: everything but a duplicate comes back. */
  #refuse(entry: Entry, answer: Exclude<ClaimAnswer, { status: 'held' }>): void {
    const { recordId, key } = entry;
    switch (answer.status) {
      case 'duplicate':
        entry.finish({ status: 'duplicate' });
        this.#notify({ type: 'duplicate', recordId, key, within: 'store' });
        break;
      case 'conflict':
        entry.finish({ status: 'conflict', leaseUntil: answer.leaseUntil });
        this.#notify({ type: 'conflict', recordId, key, leaseUntil: answer.leaseUntil });
        break;
      case 'parked': {
        const error = fromStoredError(answer.error);
        entry.finish({ status: 'parked', error });
        this.#notify({ type: 'parked', recordId, key, error });
        break;
      }
      case 'mismatch':
        entry.finish({ status: 'mismatch' });
        this.#notify({ type: 'mismatch', recordId, key });
        break;
      case 'error':
        entry.finish({ status: 'failed', error: answer.error });
        this.#notify({ type: 'claimFailed', recordId, key, error: answer.error });
        break;
      case 'not-requested':
        this.#finishNotStarted(entry, 'deadline');
        break;
    }
  }

  /** It is time to stop: hand back what has not started, and tell what runs to end. */
  #stop(): void {
    this.#claims.stop();
    this.#lanes.admit();
    this.#limit.clearQueue();
    this.#gathering?.stop();
    for (const running of this.#running) running.stop(deadlineReached, this.#scope.deadline.graceMs);
  }

  get #isStopped(): boolean {
    return this.#scope.deadline.stop.aborted;
  }

  #finishNotStarted(entry: Entry, reason: NotStartedReason): void {
    if (entry.outcome !== undefined) return;
    entry.finish({ status: 'not-started', reason });
    this.#notify({ type: 'notStarted', recordId: entry.recordId, key: entry.key, reason });
  }

  #endBusy(entry: Entry): void {
    this.#busy -= 1;
    this.#gathering?.startIfComplete();
    this.#claims.noteEnded(entry);
    this.#lanes.admit();
  }

  #notify(event: Parameters<Ports['observer']['onEvent']>[0]): void {
    this.#scope.ports.observer.onEvent(event);
  }
}

/** Whether its claim is asked for ahead of its turn: not where an earlier entry has the same key. */
function isClaimedAhead({ leader, behind, outcome }: Entry): boolean {
  return leader === undefined && behind === undefined && outcome === undefined;
}

/** Makes the requests of one invocation. Not of spreads: there are thousands. */
function claimRequests(scope: InvocationScope, recordsStart: boolean): ClaimAheadSetup['request'] {
  const { lambda, settings } = scope;
  const retentionMs = settings.retention.inProgress;
  const lockedBy =
    lambda?.functionName === undefined
      ? undefined
      : `${lambda.functionName}:${lambda.functionVersion} ${lambda.awsRequestId}`;
  return ({ key, payloadHash, record }, owner) => {
    const request: { -readonly [Member in keyof ClaimRequest]: ClaimRequest[Member] } = {
      key,
      owner,
      leaseMs: leaseMsNow(scope),
      retentionMs,
      isRedelivery: record !== undefined && record.receiveCount > 1,
    };
    if (payloadHash !== undefined) request.payloadHash = payloadHash;
    if (lockedBy !== undefined) request.lockedBy = lockedBy;
    if (recordsStart) request.recordsStart = true;
    return request;
  };
}

function headIndex({ lane, from }: PutOffLane): number {
  return (lane[from] as Entry).index;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
