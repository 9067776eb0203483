import { PermanentError } from '../../src/attempts/errors.ts';
import type { BatchHandler } from '../../src/batch/batch-handler.ts';
import { ATTEMPT } from '../../src/claims/attempt-handle.ts';
import { hasCode } from '../../src/base/errors.ts';
import { commit } from '../../src/stores/dynamodb/commit.ts';
import type { CommitItem } from '../../src/stores/dynamodb/commit-item.ts';
import { workInSteps, workInTurn } from './heeding-signals.ts';
import type { HandlerRun, RunContext } from './invariants/attempt-facts.ts';
import type { AttemptWatch } from './invariants/attempt-watch.ts';
import type { DeliveryWatch } from './invariants/delivery-watch.ts';
import type { Message, MessageKind } from './queue/message.ts';
import type { SimQueue } from './queue/sim-queue.ts';
import { RESULT_LIMIT } from './stores/row-limits.ts';
import type { Random } from './virtual-world/random.ts';
import { never, type SimProcess } from './virtual-world/sim-process.ts';
import type { World } from './virtual-world/world.ts';

/** What a handler is given: the part of a record that counts here. */
interface Handled {
  readonly id: string;
  readonly body: unknown;
}

type Item = Parameters<BatchHandler>[0][number];

type Handle = (record: Handled, context: RunContext) => Promise<unknown>;

/** What is sent, and what its handlers do: return, throw, dawdle, hang, prolong their lease, kill their process. */
export class Workload {
  readonly #world: World;
  readonly #random: Random;
  readonly #commitRandom: Random;
  readonly #kinds = new Map<string, MessageKind>();
  #sent = 0;
  #planned = 0;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork('workload');
    this.#commitRandom = world.unrelatedRandom('commits of handlers');
  }

  /** Whether every message has been sent. */
  get isSent(): boolean {
    return this.#sent === this.#planned;
  }

  /** Plans to send the messages, and to redrive those that are dead-lettered by the time of calm. */
  planSending(queue: SimQueue): void {
    const { messages, calmAfterMs, queue: queueScenario } = this.#world.scenario;
    this.#planned = messages.count;
    for (let index = 0; index < messages.count; index += 1) {
      const work = `k${this.#random.integer(1, messages.keys)}`;
      this.#world.scheduler.after(this.#random.integer(0, messages.spreadMs), () => this.#send(queue, work));
    }
    if (!queueScenario.redrives) return;
    this.#planned += 1;
    this.#world.scheduler.after(calmAfterMs, () => {
      this.#sent += 1;
      const dead = queue.messages.filter(({ state }) => state === 'dead-lettered');
      this.#planned += dead.length;
      // As SQS does it, a redriven message is a new one, with a new id.
      for (const { work, group } of dead) this.#send(queue, work, group);
    });
  }

  /** What one process does with a record, as its handler or in a call of an idempotent function. */
  handlerIn(process: SimProcess, attempts: AttemptWatch, deliveries: DeliveryWatch): Handle {
    return async (record, context) => {
      const run = this.#start(process, record, context, attempts, deliveries);
      if (run === undefined) return never();
      try {
        const result = await this.#drawWork(process, record, run, attempts);
        attempts.ended(run, 'returned');
        return result;
      } catch (error) {
        // What its signal made it throw is no answer to its key.
        attempts.ended(run, hasCode(error, 'BATCHLATCH_LEASE_LOST') ? 'stopped' : 'threw');
        throw error;
      }
    };
  }

  /** What one process does with many records at once: it answers for each of them, or fails with all. */
  batchHandlerIn(process: SimProcess, attempts: AttemptWatch, deliveries: DeliveryWatch): BatchHandler {
    return async (items) => {
      const runs = items.map(({ record, context }) =>
        this.#start(process, record, context, attempts, deliveries),
      );
      this.#world.count('batch handler runs');
      if (this.#chance(this.#world.scenario.handlers.stepwise)) {
        return this.#workInTurn(process, runs, attempts);
      }
      const ends = await Promise.allSettled(
        runs.map((run, index) =>
          run === undefined ? never() : this.#drawWork(process, (items[index] as Item).record, run, attempts),
        ),
      );
      const trouble = this.#chance(0.1)
        ? this.#random.pick(['throws', 'too short', 'too long'] as const)
        : undefined;
      ends.forEach(({ status }, index) => {
        const isFailed = status === 'rejected' || trouble !== undefined;
        attempts.ended(runs[index] as HandlerRun, isFailed ? 'threw' : 'returned');
      });
      if (trouble === 'throws') throw new Error('the batch failed');
      if (trouble === 'too short') return ends.slice(1);
      if (trouble === 'too long') return [...ends, undefined];
      if (ends.every(({ status }) => status === 'fulfilled') && this.#random.chance(0.5)) return undefined;
      return ends.map((end) => (end.status === 'fulfilled' ? end.value : errorOf(end.reason)));
    };
  }

  async #workInTurn(
    process: SimProcess,
    runs: readonly (HandlerRun | undefined)[],
    attempts: AttemptWatch,
  ): Promise<void> {
    if (!runs.every((run) => run !== undefined)) return never();
    await workInTurn(runs, this.#in(process));
    for (const run of runs) attempts.ended(run, 'returned');
  }

  #in(process: SimProcess): { world: World; random: Random; process: SimProcess } {
    return { world: this.#world, random: this.#random, process };
  }

  #start(
    process: SimProcess,
    { id }: Handled,
    context: RunContext,
    attempts: AttemptWatch,
    deliveries: DeliveryWatch,
  ): HandlerRun | undefined {
    if (process.isDead) return undefined;
    deliveries.started(id);
    return attempts.started(process, id, context);
  }

  #send(queue: SimQueue, work: string, group?: string): void {
    this.#sent += 1;
    const id = `m${this.#sent}`;
    const { consumer, settings, queue: queueScenario } = this.#world.scenario;
    const inGroup = group ?? this.#drawGroup(queueScenario.groups);
    const recordId = queue.recordIdOf(id, inGroup);
    const selected = settings.key === undefined ? recordId : work;
    const message: Message = {
      id,
      recordId,
      work,
      key: `sim#${consumer === 'calls' ? 'function-v1' : 'v1'}:${selected}`,
      payload: settings.payloadValidation === undefined ? undefined : this.#drawPayload(),
      kind: this.#kindOf(selected),
      group: inGroup,
      sentAt: this.#world.now,
      isSentToDeadLetters: false,
      state: 'waiting',
      visibleAt: this.#world.now,
      receiveCount: 0,
    };
    queue.send(message);
  }

  #drawGroup(groups: number): string | undefined {
    if (groups === 0) return undefined;
    const isHot = this.#random.chance(this.#world.scenario.messages.hotShare);
    return isHot ? 'g1' : `g${this.#random.integer(1, groups)}`;
  }

  #drawPayload(): string {
    return this.#random.chance(this.#world.scenario.messages.foreignShare) ? 'foreign' : 'own';
  }

  /** The same work is of the same kind, whoever asks for it. */
  #kindOf(selected: string): MessageKind {
    let kind = this.#kinds.get(selected);
    if (kind === undefined) {
      const { permanentShare, poisonShare, failingShare } = this.#world.scenario.messages;
      const drawn = this.#random.next();
      if (drawn < permanentShare) kind = 'permanent';
      else if (drawn < permanentShare + poisonShare) kind = 'poison';
      else if (drawn < permanentShare + poisonShare + failingShare) kind = 'failing';
      else kind = 'plain';
      this.#kinds.set(selected, kind);
    }
    return kind;
  }

  async #drawWork(
    process: SimProcess,
    { body }: Handled,
    run: HandlerRun,
    attempts: AttemptWatch,
  ): Promise<unknown> {
    const { kind } = body as { readonly kind: MessageKind };
    const { context } = run;
    const { owner } = run.facts;
    const { handlers } = this.#world.scenario;
    const random = this.#random;
    const durationMs = random.chance(0.3) ? 0 : random.magnitude(1, 300);

    if (kind === 'poison' || this.#chance(handlers.kills)) {
      await process.sleep(durationMs);
      process.die('killed by its handler');
      return never();
    }
    if (this.#chance(handlers.extends)) await this.#prolong(process, context, () => attempts.judgeTold(run));
    if (this.#chance(handlers.stepwise)) await workInSteps(run, this.#in(process));
    else if (this.#chance(handlers.takesMinutes)) {
      await process.sleep(random.magnitude(30_000, this.#world.scenario.functionTimeoutMs + 10_000));
    } else if (this.#chance(handlers.hangs)) {
      // It ignores its signal; in a frozen process it goes on when the next invocation thaws it.
      this.#world.count('handlers hang');
      await process.sleep(random.magnitude(1_000, 60_000));
    } else if (this.#chance(handlers.slow)) {
      await sleepUnlessAborted(process, random.magnitude(300, 8_000), context.signal);
    } else if (durationMs > 0) await process.sleep(durationMs);

    if (run.isBrokenOff) return undefined;
    if (kind === 'permanent') throw new PermanentError(owner);
    if (kind === 'failing' || this.#chance(handlers.fails)) throw new Error(owner);
    if (this.#commitRandom.chance(handlers.commits)) await this.#commit(process, context, owner);
    if (random.chance(handlers.longResults)) return { owner, rest: this.#drawRest(owner) };
    return random.pick([undefined, { owner }, 1n]); // the last one no JSON can hold
  }

  /** As much as makes a result just fit what a store says that it keeps, or nearly. */
  #drawRest(owner: string): string {
    const most = RESULT_LIMIT - JSON.stringify({ owner, rest: '' }).length;
    return 'x'.repeat(this.#random.integer(most - 100, most));
  }

  async #prolong(process: SimProcess, context: RunContext, onExtended: () => void): Promise<void> {
    const leaseMs = this.#random.magnitude(200, 5_000);
    for (let times = this.#random.integer(1, 6); times > 0; times -= 1) {
      await context.extendLease(leaseMs);
      onExtended();
      await process.sleep(leaseMs * 0.6);
    }
  }

  /** Commits, perhaps something else after a refusal; then returns, fails, prolongs a lease it has no more, or dies. */
  async #commit(process: SimProcess, context: RunContext, owner: string): Promise<void> {
    const random = this.#commitRandom;
    const isTroubled = (probability: number): boolean => !this.#world.isCalm && random.chance(probability);
    const { idempotencyKey: key } = context;
    // What a call commits is its result: test/functions/committed.test.ts.
    if (context[ATTEMPT] === undefined || this.#world.scenario.consumer === 'calls') return;
    const effect = (nth: number): CommitItem => ({
      Put: { TableName: 'effects', Item: { key, owner, nth } },
    });
    const condition: CommitItem = {
      ConditionCheck: { TableName: 'effects', Key: { key }, ConditionExpression: 'at times' },
    };
    const options = { result: random.pick([undefined, { total: 4 }, 1n]) };
    try {
      if (isTroubled(0.6)) await commit(context, [effect(1), condition], options);
      else await commit(context, [effect(1)], options);
    } catch (thrown) {
      if (isTroubled(0.1)) return; // as if nothing had been
      if (!hasCode(thrown, 'BATCHLATCH_COMMIT_REFUSED') && random.chance(0.7)) throw thrown;
      if (isTroubled(0.1)) throw thrown;
      if (isTroubled(0.8)) await process.sleep(random.magnitude(500, 20_000)); // what went unanswered may arrive
      await commit(context, [effect(2)], options);
    }
    if (isTroubled(0.1)) await context.extendLease(random.magnitude(200, 5_000));
    if (isTroubled(0.2)) await process.sleep(random.magnitude(1, 30_000));
    if (isTroubled(0.2)) throw new Error('it failed after its commit');
    if (!isTroubled(0.05)) return;
    process.die('killed by its handler after its commit');
    await never();
  }

  #chance(probability: number): boolean {
    return !this.#world.isCalm && this.#random.chance(probability);
  }
}

/** Of this realm: what a signal is aborted with by default is none where tests run in a context of their own. */
function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('a failure of another realm', { cause: reason });
}

async function sleepUnlessAborted(
  process: SimProcess,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([process.sleep(durationMs), aborted]);
}
