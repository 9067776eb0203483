import { changeOfSettlement } from '../../../src/claims/transitions.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { type Asked, type AttemptFacts, type AttemptRegistry, liveUntil } from './attempt-facts.ts';
import { type ClaimRow, showRow } from './claim-row.ts';
import type { InvariantName } from './invariant.ts';

/** DynamoDB's TTL is in whole seconds. */
const ROUNDING_MS = 1_000;

/**
 * Judges each change of a row by what is promised of claims: who may write, that live leases and completions stay, that
 * attempts grow, that leases and retentions are those that were asked for. Which status and counts follow which is the state
 * machine's, and is not repeated here: the model judges that in the histories of these runs (`lab/model/acceptance`).
 */
export class ClaimJudge {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;

  constructor(world: World, attempts: AttemptRegistry) {
    this.#world = world;
    this.#attempts = attempts;
  }

  judge(key: string, before: ClaimRow | undefined, after: ClaimRow | undefined, by: SimProcess): void {
    const change = `${key}: ${showRow(before)} ⇒ ${showRow(after)}, written by ${by.name}`;
    const report = (invariant: InvariantName, why: string): void =>
      this.#world.report(invariant, `${why} (${change})`);

    if (after === undefined) return report('state-machine', 'a row was deleted');
    const facts = this.#attempts.get(after.owner);
    if (facts === undefined) return report('state-machine', 'nobody has this owner token');
    if (after.status !== 'IN_PROGRESS') return this.#judgeEnd(before, after, facts, by, report);
    if (facts.process !== by) return report('late-owner-changes-nothing', 'written by another process');
    const isForgotten = before === undefined || this.#now(before) >= (before.expiresAt ?? Infinity);
    const isMine = before?.status === 'IN_PROGRESS' && before.owner === after.owner;
    if (isMine && (!isForgotten || isStart(before, after) || isAskedExtension(after, facts))) {
      return this.#judgeExtension(before, after, facts, report);
    }
    this.#judgeAcquire(before, after, isForgotten, facts, report);
  }

  /** The time by the clock of whoever wrote the row. */
  #now({ owner }: ClaimRow): number {
    return this.#attempts.get(owner)?.process.now() ?? this.#world.now;
  }

  #judgeAcquire(
    before: ClaimRow | undefined,
    after: ClaimRow,
    isForgotten: boolean,
    facts: AttemptFacts,
    report: Report,
  ): void {
    const { process, request } = facts;
    if (!isSince(after.leaseUntil - request.what.leaseMs, request, process)) {
      report('state-machine', `the lease is not ${request.what.leaseMs} ms from when it was asked for`);
    }
    if (before?.status === 'IN_PROGRESS') {
      this.#world.count('takeovers');
      if (this.#now(before) < before.leaseUntil) {
        report('one-live-attempt', `taken over while the lease of ${before.owner} is live`);
      }
    }
    if (isForgotten) return;
    if (before?.status === 'COMPLETED') report('completed-stays-completed', 'a completed key was claimed');
    if (before?.status === 'PARKED') report('parked-stays-parked', 'a parked key was claimed');
    if (before !== undefined && after.attempt <= before.attempt) {
      report('fencing-token-grows', 'claimed without a higher attempt');
    }
  }

  #judgeExtension(before: ClaimRow, after: ClaimRow, facts: AttemptFacts, report: Report): void {
    if (!isStart(before, after) && !isAskedExtension(after, facts)) {
      report('state-machine', 'a lease was changed that nobody asked to be');
    }
    const { run } = facts;
    if (run !== undefined && this.#world.now < liveUntil(run) && after.leaseUntil < run.context.leaseUntil) {
      report('state-machine', `the lease ends before the ${run.context.leaseUntil} its handler was told`);
    }
  }

  #judgeEnd(
    before: ClaimRow | undefined,
    after: ClaimRow,
    facts: AttemptFacts,
    by: SimProcess,
    report: Report,
  ): void {
    if (before?.status !== 'IN_PROGRESS' || before.owner !== after.owner) {
      return report('state-machine', 'only a claim in progress can be settled');
    }
    const asked = facts.settlements.filter(({ what }) => changeOfSettlement(what, 0).status === after.status);
    const settlement = asked[0]?.what;
    if (settlement === undefined || facts.process !== by) {
      return report('late-owner-changes-nothing', 'its owner did not ask for that');
    }
    const { end, retentionMs } = settlement;
    if (!isReadingMark(facts)) this.#judgeEndOfRun(end, facts, report);

    const { expiresAt } = after;
    if (retentionMs === undefined) {
      report('parked-rows-expire', 'parked for good');
      return;
    }
    // A claim that arrives late may be released twice: with its request's retention, and with that of failures.
    const isAsked = asked.some((one) =>
      isSince((expiresAt ?? 0) - (one.what.retentionMs ?? 0), one, facts.process, ROUNDING_MS),
    );
    if (!isAsked) {
      report('state-machine', `the retention is not ${retentionMs} ms from the settlement`);
    }
  }

  #judgeEndOfRun(end: string, { run, commits }: AttemptFacts, report: Report): void {
    // A handler may go on without an effect only when it was told that there is none.
    const isWithoutEffect = commits.length > 0 && run?.isCommitted !== true;
    if (end === 'complete' && isWithoutEffect && commits.at(-1)?.told !== 'refused') {
      report('effect-with-completion', 'completed without the effect that its handler committed');
    }
    if (end === 'complete' && run?.end !== 'returned' && run?.isCommitted !== true) {
      report('completed-means-done', 'completed, but its handler has not returned');
    }
    if (end === 'complete' && run?.isBrokenOff === true) {
      report('completed-means-done', 'completed, but its handler stopped on its signal with work left');
    }
    // With a commit that is not known to be written, nobody can say that it is done.
    if (end === 'fail' && run?.end === 'returned' && run.saidDone && commits.length === 0) {
      report('done-means-completed', 'failed, but its handler returned and had said that its work is done');
    }
    if (run !== undefined && run.end === undefined && end !== 'complete') {
      report(
        'one-live-attempt',
        `settled (${end}) while its handler runs: another attempt can start beside it`,
      );
    }
    if (end === 'release' && run !== undefined) {
      report('state-machine', 'released as not started although its handler ran');
    }
  }
}

/** The claim for reading a record that came again: no handler runs under it. */
function isReadingMark({ request }: AttemptFacts): boolean {
  return request.what.key.startsWith('sim#reading-v1:');
}

type Report = (invariant: InvariantName, why: string) => void;

/** It says that it starts, and nothing else. */
function isStart(before: ClaimRow, after: ClaimRow): boolean {
  return after.started === true && before.started === false && after.leaseUntil === before.leaseUntil;
}

function isAskedExtension({ leaseUntil }: ClaimRow, { extensions, process }: AttemptFacts): boolean {
  return extensions.some((extension) => isSince(leaseUntil - extension.what.leaseMs, extension, process));
}

/** Whether a time, written by a process, lies between when it asked and now. */
function isSince(time: number, { ownTime }: Asked<unknown>, process: SimProcess, toleranceMs = 0): boolean {
  return time >= ownTime && time <= process.now() + toleranceMs;
}
