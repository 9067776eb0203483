import { hasCode } from '../../../src/base/errors.ts';
import { STORE_CALL_MS } from '../../../src/base/limits.ts';
import type { BatchEvent } from '../../../src/observe/observer.ts';
import type { ObservedInvocation } from '../../../src/observe/observed.ts';
import type { Invocation } from '../queue/invocation.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import {
  type AttemptFacts,
  type AttemptRegistry,
  type HandlerRun,
  liveUntil,
  type RunContext,
} from './attempt-facts.ts';
import type { ClaimWatch } from './claim-watch.ts';
import type { InvocationWatch } from './invocation-watch.ts';

/** Sees every start and end of a handler, and judges whether it might start. */
export class AttemptWatch {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;
  readonly #claims: ClaimWatch;
  readonly #invocations: InvocationWatch;
  readonly #runsByKey = new Map<string, HandlerRun[]>();
  readonly #onEnd = new Map<HandlerRun, () => void>();
  /** Of whom the processor has said that their handlers start. */
  readonly #starting = new Set<string>();

  constructor(world: World, attempts: AttemptRegistry, claims: ClaimWatch, invocations: InvocationWatch) {
    this.#world = world;
    this.#attempts = attempts;
    this.#claims = claims;
    this.#invocations = invocations;
  }

  started(process: SimProcess, recordId: string, context: RunContext): HandlerRun | undefined {
    const { idempotencyKey: key, attempt } = context;
    const facts = this.#holder(process, key, attempt);
    if (facts === undefined) {
      this.#world.report('state-machine', `${key}: attempt ${attempt} started without a claim`);
      return undefined;
    }
    const run: HandlerRun = {
      facts,
      key,
      recordId,
      attempt,
      context,
      end: undefined,
      isBrokenOff: false,
      saidDone: false,
      isAbandoned: false,
      isCommitted: false,
    };
    this.#world.count('handler runs');
    this.#world.log(process.name, () => `  handler of ${recordId} starts: ${key} attempt ${attempt}`);
    this.#judgeLease(run);
    this.#judgeTime(run);
    this.judgeTold(run);
    this.#judgeHistory(run);
    if (this.#world.scenario.consumer !== 'calls') this.#judgeCompany(run);
    facts.run = run;
    this.#onEnd.set(run, this.#invocations.underWay(facts.invocation));
    const runs = this.#runsByKey.get(key);
    if (runs === undefined) this.#runsByKey.set(key, [run]);
    else runs.push(run);
    return run;
  }

  ended(run: HandlerRun, end: 'returned' | 'threw' | 'stopped'): void {
    run.end = end;
    this.#onEnd.get(run)?.();
    const { process } = run.facts;
    this.#world.log(
      process.name,
      () => `  handler of ${run.recordId} ${end}: ${run.key} attempt ${run.attempt}`,
    );
    if (run.isAbandoned) this.#world.count('handlers that went on after the answer');
  }

  /** A call resolved: with what the run returned whose completion is stored. */
  answered(process: SimProcess, id: string, value: unknown): void {
    if (process.isDead || value === undefined) return;
    const { owner } = value as { readonly owner: string };
    const key = this.#attempts.get(owner)?.request.what.key ?? '';
    this.#world.log(process.name, () => `  call for ${id} resolves with the result of ${owner}`);
    if (this.#claims.wasSettledBy(key, owner)) return;
    this.#world.report('calls-get-the-kept-answer', `${id} got the result of ${owner}, which is not stored`);
  }

  /** A call rejected: what a run threw is its own, or was kept. */
  refused(process: SimProcess, id: string, error: unknown): void {
    if (process.isDead) return;
    this.#world.log(process.name, () => `  call for ${id} rejects: ${String(error)}`);
    this.#world.count(`calls rejected: ${error instanceof Error ? error.name : 'other'}`);
    const facts = this.#attempts.get((error as Error).message);
    if (facts === undefined || facts.process === process) return;
    const { owner, request } = facts;
    if (this.#claims.wasSettledBy(request.what.key, owner)) return;
    this.#world.report('calls-get-the-kept-answer', `${id} got the failure of ${owner}, which is not stored`);
  }

  /** While the claim is the attempt's own, it must not believe in a longer lease than is stored. */
  judgeTold({ key, context, facts }: HandlerRun): void {
    const row = this.#claims.current(key);
    if (row?.status !== 'IN_PROGRESS' || row.owner !== facts.owner) return;
    if (context.leaseUntil <= row.leaseUntil) return;
    this.#world.report('state-machine', `${facts.owner} was told a longer lease of ${key} than is stored`);
  }

  /** What the processor says of itself; of most of it the simulation needs no telling. */
  observed(process: SimProcess, event: BatchEvent, invocation?: ObservedInvocation): void {
    if (process.isDead) return;
    this.#world.count(`event ${event.type}`);
    if (event.type === 'started') this.#starting.add(event.owner);
    if (event.type === 'abandoned') {
      const run = this.#attempts.get(event.owner)?.run;
      if (run !== undefined) {
        run.isAbandoned = true;
        this.#onEnd.get(run)?.();
      }
    }
    if (event.type === 'decodeFailed' || (event.type === 'invalid' && isCondemned(event.error))) {
      this.#attempts.invocationNamed(process, invocation?.requestId)?.unread.add(event.recordId);
    }
    if (event.type === 'notStarted') {
      this.#world.log(process.name, () => `  ${event.recordId} is not started: ${event.reason}`);
      if (event.reason === 'order' && this.#world.scenario.queue.kind === 'standard') {
        this.#world.report('no-order-in-standard-queues', `${event.recordId} was handed back for order`);
      }
    }
  }

  /** Nothing that was claimed and not started is kept: its key would wait for the lease, and look like a crash. */
  responded(invocation: Invocation): void {
    if (this.#world.now >= invocation.stopsAt) return; // there may have been no time left for it
    for (const facts of this.#attempts.all()) {
      const { invocation: other, told, run, settlements, owner, request } = facts;
      if (other !== invocation || told === undefined || told.step === this.#world.scheduler.steps) continue;
      if (facts.tooLargeAfter === settlements.length && run?.end === 'returned') {
        this.#world.report(
          'done-without-its-result',
          `${owner} leaves ${request.what.key} uncompleted because its result is too large for the row`,
        );
      }
      if (run === undefined && settlements.length === 0) {
        this.#world.report(
          'claims-are-given-back',
          `${owner} keeps ${request.what.key}, which did not start`,
        );
      }
    }
  }

  /**
   * The attempt that this process has been told it holds. Two may have one number, one after the retention of the other:
   * of those of records it is the one that the processor says it starts, of those of calls the one that was told last.
   */
  #holder(process: SimProcess, key: string, attempt: number): AttemptFacts | undefined {
    const { consumer } = this.#world.scenario;
    const isSuch = (facts: AttemptFacts): boolean =>
      facts.process === process &&
      facts.request.what.key === key &&
      facts.told?.attempt === attempt &&
      facts.run === undefined &&
      (consumer === 'calls' || this.#starting.has(facts.owner));
    return [...this.#attempts.all()]
      .filter(isSuch)
      .toSorted((a, b) => toldAt(a) - toldAt(b))
      .at(-1);
  }

  #judgeLease(run: HandlerRun): void {
    const { now } = this.#world;
    const name = `${run.key} attempt ${run.attempt} of ${run.facts.owner}`;
    if (liveUntil(run) <= now) {
      this.#world.report('lease-before-start', `${name} started ${now - liveUntil(run)} ms after its lease`);
    }
    for (const other of this.#runsByKey.get(run.key) ?? []) {
      if (now < liveUntil(other)) {
        this.#world.report(
          'one-live-attempt',
          `${name} started while attempt ${other.attempt} of ${other.facts.owner} is live`,
        );
      }
    }
  }

  /** Remaining time 0 is a time. Calls are started by their callers. */
  #judgeTime({ key, facts: { owner, invocation } }: HandlerRun): void {
    if (this.#world.scenario.consumer === 'calls' || invocation === undefined || invocation.timeMs > 0)
      return;
    this.#world.report(
      'no-start-without-time',
      `${key} of ${owner} started with ${invocation.timeMs} ms left when ${invocation.id} began`,
    );
  }

  #judgeHistory({ key, attempt, facts }: HandlerRun): void {
    const { settings, consumer, replaysFailures } = this.#world.scenario;
    const { maxAttempts, maxCrashes, onLapsedLease } = settings;
    if (this.#claims.isRemembered(key)) {
      this.#world.report('completed-stays-completed', `${key} started again as attempt ${attempt}`);
    }
    if (this.#claims.isParked(key)) {
      this.#world.report('parked-stays-parked', `${key} started again as attempt ${attempt}`);
    }
    const life = this.#claims.lifeOf(facts.owner);
    const earlier = (this.#runsByKey.get(key) ?? []).filter(
      (run) => this.#claims.lifeOf(run.facts.owner) === life,
    );
    const highest = Math.max(0, ...earlier.map((run) => run.attempt));
    if (attempt <= highest) {
      this.#world.report('fencing-token-grows', `${key} attempt ${attempt} started after ${highest}`);
    }
    if (maxCrashes !== undefined && (facts.told?.crashes ?? 0) >= maxCrashes) {
      this.#world.report(
        'max-crashes',
        `${key} started after ${facts.told?.crashes} deaths of ${maxCrashes}`,
      );
    }
    const unsettled = earlier.find((run) => !this.#claims.wasSettledBy(key, run.facts.owner));
    if (onLapsedLease === 'park' && unsettled !== undefined) {
      this.#world.report(
        'lapsed-lease-parks',
        `${key} started after attempt ${unsettled.attempt}, which never ended`,
      );
    }
    const answered = earlier.find(
      ({ end, facts: { owner } }) => end === 'threw' && this.#claims.wasSettledBy(key, owner),
    );
    if (consumer === 'calls' && replaysFailures && answered !== undefined) {
      this.#world.report(
        'first-answer-stays',
        `${key} started again after attempt ${answered.attempt} had failed`,
      );
    }
    if (maxAttempts !== undefined && earlier.length >= maxAttempts) {
      this.#world.report('max-attempts', `${key} started ${earlier.length + 1} times of ${maxAttempts}`);
    }
  }

  /** What may kill its process must not take others along: nothing else runs or holds a claim. */
  #judgeCompany({ facts }: HandlerRun): void {
    if (facts.told === undefined || facts.told.crashes === 0) return;
    this.#world.count('suspects run alone');
    for (const other of this.#attempts.all()) {
      if (other === facts || other.invocation !== facts.invocation || other.told === undefined) continue;
      // A store call ends after this time, and nobody can know whether it settled the claim.
      const isGivenUp = other.settlements.some(
        ({ ownTime }) => other.process.now() - ownTime >= STORE_CALL_MS,
      );
      if (isGivenUp || other.settlesAnswered > 0 || other.run?.isAbandoned === true) continue;
      this.#world.report(
        'suspect-runs-alone',
        `${facts.request.what.key} started while ${other.owner} holds ${other.request.what.key}`,
      );
    }
  }
}

/** Condemned by the mark of its reading: the invocation does not know its key. */
export function isCondemned(error: unknown): boolean {
  return hasCode(error, 'BATCHLATCH_READING_KILLS');
}

/** The step in which the process was told that it holds the claim. */
function toldAt({ told }: AttemptFacts): number {
  return told?.step ?? -1;
}
