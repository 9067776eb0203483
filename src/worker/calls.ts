import type { SQSEvent } from 'aws-lambda';
import { type Host, hostedBy, type HostReport } from '../attempts/host.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { hasCode } from '../base/errors.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { CallResult } from './dependencies.ts';
import type { Deletions } from './deletions.ts';
import type { Flow } from './flow.ts';
import { failedItems } from './failed-items.ts';
import { type HeldMessage, idOf, type HandlerBatch } from './held-message.ts';
import type { MessageLeases } from './message-leases.ts';
import type { Call } from './scheduler-setup.ts';
import { contextOf } from './lambda-event.ts';
import { leftOf, partOf } from './left-over.ts';
import type { WorkerOptions } from './options.ts';
import type { MutableCounters, WorkerEvents } from './worker.ts';

export interface CallsSetup {
  readonly options: Pick<WorkerOptions, 'handler' | 'clock'>;
  readonly name: string;
  readonly isFifo: boolean;
  readonly clock: Clock;
  readonly deadline: CallDeadline;
  readonly flow: Flow;
  readonly leases: MessageLeases;
  readonly deletions: Deletions;
  readonly counters: MutableCounters;
  readonly eventOf: (held: readonly HeldMessage[]) => SQSEvent;
  readonly emit: <Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]) => void;
}

interface CallEnd {
  readonly left: ReadonlyMap<HandlerBatch, HandlerBatch>;
  readonly again: readonly HeldMessage[];
}

interface HandlerResult extends CallResult {
  readonly left: CallEnd['left'];
  /** Failed messages that the worker keeps and runs again. */
  readonly kept: ReadonlySet<string>;
  /** The error of the call itself. */
  readonly thrown: { readonly error: unknown } | undefined;
}

/** The reports of the processors of a call, together. */
interface Reported {
  /** Undefined: none has reported. */
  storeFailed: boolean | undefined;
  readonly errors: unknown[];
  readonly handedBack: string[];
  readonly suspects: Map<string, number>;
  readonly conflicts: Map<string, number>;
}

/** The delay after the end of a lease, for differences between clocks. */
const AFTER_LEASE_MS = 1_000;

/** Calls the handler. Deletes processed messages, and keeps those that cannot run yet. */
export class Calls {
  readonly #setup: CallsSetup;
  /** When each unanswered request to the claim store was sent, oldest first. */
  readonly #askedAt = new Map<object, number>();
  #handlers = 0;

  constructor(setup: CallsSetup) {
    this.#setup = setup;
  }

  /** Handlers that have not ended, including those that the worker no longer waits for. */
  get handlers(): number {
    return this.#handlers;
  }

  get storeSilentForMs(): number {
    for (const askedAt of this.#askedAt.values()) return this.#setup.clock.now() - askedAt;
    return 0;
  }

  /** Returns the parts of the batches that run again. */
  async run({ batches, isAlone }: Call): Promise<ReadonlyMap<HandlerBatch, HandlerBatch>> {
    const { deletions, leases } = this.#setup;
    const [suspect] = batches;
    if (!isAlone || suspect === undefined) return (await this.#call({ batches, isAlone })).left;
    // If the suspect kills the process, processed messages must be deleted by then.
    await Promise.all([deletions.settled(), leases.settled()]);
    const [first, ...behind] = suspect.held; // the rest of its group
    const head: HandlerBatch = { ...suspect, held: first === undefined ? [] : [first] };
    const { left, again } = await this.#call({ batches: [head], isAlone });
    const ofHead = left.get(head);
    if (ofHead !== undefined) return new Map([[suspect, { ...ofHead, held: suspect.held }]]);
    if (behind.length > 0 && again.length === 0) {
      return new Map([[suspect, partOf(suspect, behind)]]);
    }
    void leases.handBack(behind);
    return left;
  }

  /** Returns the parts of the batches that run again, and the messages that SQS delivers again. */
  async #call({ batches, isAlone }: Call): Promise<CallEnd> {
    const { isFifo, flow, leases, counters, emit } = this.#setup;
    const held = batches.flatMap((batch) => batch.held);
    const ended = flow.begin(held.length);
    const result = await this.#callHandler(batches, held, isAlone);
    ended(result);
    const { left, kept, failed, thrown } = result;
    const done = held.filter((one) => !failed.has(idOf(one)));
    const again = held.filter((one) => failed.has(idOf(one)) && !kept.has(idOf(one)));
    leases.forget(again);
    for (const batch of batches) {
      const [first] = left.get(batch)?.held ?? batch.held;
      // One before what is kept is lost: SQS does not deliver it again.
      const behind = batch.held.slice(batch.held.indexOf(first as HeldMessage));
      const hasFailed = behind.some((one) => again.includes(one));
      if (isFifo && batch.group !== undefined && hasFailed) this.#handBackGroup(batch.group);
    }
    counters.acknowledged += done.length;
    counters.failed += again.length;
    if (done.length > 0) void this.#delete(done);
    if (thrown !== undefined) emit('handlerFailed', thrown.error);
    if (done.length + again.length > 0) {
      emit('handled', { acknowledged: done.length, failed: again.length });
    }
    return { left, again };
  }

  /** Calls the handler as Lambda does. Never rejects. */
  async #callHandler(
    batches: readonly HandlerBatch[],
    held: readonly HeldMessage[],
    isAlone: boolean,
  ): Promise<HandlerResult> {
    const { options, name, leases, eventOf } = this.#setup;
    const ids = held.map(idOf);
    const reported: Reported = {
      storeFailed: undefined,
      errors: [],
      handedBack: [],
      suspects: new Map(),
      conflicts: new Map(),
    };
    let left: CallEnd['left'] = new Map();
    let kept: ReadonlySet<string> = new Set();
    const host = this.#hostOf(isAlone, async (report) => {
      addReport(reported, report);
      const startsAfter = (leaseUntil: number): number => this.#startAfter(leaseUntil);
      // By all reports so far: the messages of one FIFO group may be of several processors.
      left = leftOf(batches, reported, startsAfter, leases.maxReceives);
      kept = new Set([...left.values()].flatMap((batch) => batch.held.map(idOf)));
      const ended = new Set(report.records);
      const over = held.filter((one) => ended.has(idOf(one)) && !kept.has(idOf(one)));
      await leases.releaseRun(over, new Set(report.handedBack));
      return kept;
    });
    const context = hostedBy(
      host,
      contextOf(name, () => host.deadline.remainingTimeMs()),
    );
    let failed: ReadonlySet<string>;
    let thrown: HandlerResult['thrown'];
    try {
      failed = failedItems(await options.handler(eventOf(held), context), ids);
    } catch (error) {
      failed = new Set(ids);
      thrown = { error };
    } finally {
      host.deadline.cancel();
    }
    const unreported = held.filter((one) => one.isEnding !== true && !kept.has(idOf(one)));
    if (unreported.length > 0) await leases.releaseRun(unreported, failed); // to no processor of batchlatch
    return resultOf(ids, reported, { failed, left, kept, thrown });
  }

  #hostOf(isAlone: boolean, beforeHandBack: Host['beforeHandBack']): Host {
    return {
      deadline: this.#setup.deadline.ofCall(),
      longestLeaseMs: this.#setup.leases.longestLeaseMs,
      isAlone,
      noteAsked: () => this.#noteAsked(),
      runHandler: (handler) => this.#runHandler(handler),
      beforeHandBack,
    };
  }

  async #runHandler(handler: () => unknown): Promise<unknown> {
    this.#handlers += 1;
    try {
      return await handler();
    } finally {
      this.#handlers -= 1;
    }
  }

  #noteAsked(): () => void {
    const request = {};
    this.#askedAt.set(request, this.#setup.clock.now());
    return () => void this.#askedAt.delete(request);
  }

  /** Converts the end of a lease from the handlers' clock to the worker's. */
  #startAfter(leaseUntil: number): number {
    const { options, clock } = this.#setup;
    const leftMs = leaseUntil - (options.clock ?? systemClock).now();
    return clock.now() + Math.max(leftMs, 0) + AFTER_LEASE_MS;
  }

  /** Hands back the messages behind a failed one, which must not run before it. */
  #handBackGroup(group: string): void {
    const { flow, leases } = this.#setup;
    const behind = flow.scheduler.takeOfGroup(group).flatMap(({ held }) => held);
    void leases.handBack(behind);
  }

  /** Deletes messages, without holding up their slot. Never rejects. */
  async #delete(held: readonly HeldMessage[]): Promise<void> {
    const { deletions, leases, counters, emit } = this.#setup;
    const handles = held.map(({ message: { receiptHandle } }) => receiptHandle);
    const errors = await deletions.delete(handles);
    const again = held.filter(({ message }, index) => message.receiptHandle !== handles[index]);
    if (again.length > 0) void this.#delete(again); // received meanwhile: delete with the new receipt handle
    const rest = held.filter((one) => !again.includes(one));
    leases.forget(rest);
    for (const one of rest) {
      const error = errors[held.indexOf(one)];
      if (error === undefined) counters.deleted += 1;
      else emit('deleteFailed', { messageId: one.message.messageId, error });
    }
  }
}

function addReport(reported: Reported, report: HostReport): void {
  reported.storeFailed = report.storeFailed || reported.storeFailed === true;
  reported.errors.push(...report.errors);
  reported.handedBack.push(...report.handedBack);
  for (const [id, deaths] of report.suspects) reported.suspects.set(id, deaths);
  for (const [id, leaseUntil] of report.conflicts) reported.conflicts.set(id, leaseUntil);
}

/** Built by hand: a spread took a thirtieth of a message's CPU. */
function resultOf(
  ids: readonly string[],
  reported: Reported,
  { failed, left, kept, thrown }: Pick<HandlerResult, 'failed' | 'left' | 'kept' | 'thrown'>,
): HandlerResult {
  // Without a configured claim store, all calls would fail and all messages become dead letters.
  const storeFailed = reported.storeFailed ?? hasCode(thrown?.error, 'BATCHLATCH_CONFIGURATION');
  const { errors } = reported;
  return {
    acknowledged: ids.filter((id) => !failed.has(id)),
    failed,
    errors: thrown === undefined ? errors : [...errors, thrown.error],
    storeFailed,
    storeAnswered: reported.storeFailed === false,
    left,
    kept,
    thrown,
  };
}
