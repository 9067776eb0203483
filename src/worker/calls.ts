import type { SQSEvent } from 'aws-lambda';
import { type Clock, systemClock } from '../base/clock.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { Deletions } from './deletions.ts';
import type { Flow } from './flow.ts';
import type { HandlersAtWork } from './handlers-at-work.ts';
import { callHandler } from './handler-call.ts';
import { type HeldMessage, idOf, type HandlerBatch } from './held-message.ts';
import type { MessageLeases } from './message-leases.ts';
import type { Call } from './scheduler-setup.ts';
import { contextOf } from './lambda-event.ts';
import { leftOf, partOf } from './left-over.ts';
import type { WorkerOptions } from './options.ts';
import type { StoreWatch } from './store-watch.ts';
import type { WorkerCounters, WorkerEvents } from './worker.ts';

export interface CallsSetup {
  readonly options: Pick<WorkerOptions, 'handler' | 'clock'>;
  readonly name: string;
  readonly isFifo: boolean;
  readonly clock: Clock;
  readonly deadline: CallDeadline;
  readonly flow: Flow;
  readonly holding: MessageLeases;
  readonly deletions: Deletions;
  readonly store: StoreWatch;
  readonly handlers: HandlersAtWork;
  readonly counters: { -readonly [Name in keyof WorkerCounters]: WorkerCounters[Name] };
  readonly eventOf: (held: readonly HeldMessage[]) => SQSEvent;
  readonly emit: <Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]) => void;
}

interface CallEnd {
  readonly left: ReadonlyMap<HandlerBatch, HandlerBatch>;
  readonly again: readonly HeldMessage[];
}

/** After the end of a lease that a message waits for: clocks differ, and stores may tolerate that. */
const AFTER_LEASE_MS = 1_000;

/** Calls of the handler: what was done is deleted, what failed comes again, and what could not run yet stays here. */
export class Calls {
  readonly #setup: CallsSetup;

  constructor(setup: CallsSetup) {
    this.#setup = setup;
  }

  /** Gives what is to run again, by the parcels that it is left of. */
  async run({ parcels, isAlone }: Call): Promise<ReadonlyMap<HandlerBatch, HandlerBatch>> {
    const { clock, deletions, holding } = this.#setup;
    const [suspect] = parcels;
    if (!isAlone || suspect === undefined) return (await this.#call({ parcels, isAlone })).left;
    // With the process it could take along what is done and not deleted yet.
    await Promise.all([deletions.settled(), holding.settled()]);
    const [first, ...behind] = suspect.held; // behind it in its group
    const head: HandlerBatch = { ...suspect, held: first === undefined ? [] : [first] };
    const { left, again } = await this.#call({ parcels: [head], isAlone });
    const ofHead = left.get(head);
    if (ofHead !== undefined) return new Map([[suspect, { ...ofHead, held: suspect.held }]]);
    if (behind.length > 0 && again.length === 0) {
      return new Map([[suspect, partOf(suspect, behind, { startsAt: clock.now() })]]);
    }
    void holding.handBack(behind);
    return left;
  }

  /** Calls the handler. Gives what is to run again, and what the queue shows again. */
  async #call({ parcels, isAlone }: Call): Promise<CallEnd> {
    const {
      options,
      name,
      isFifo,
      clock,
      deadline,
      flow,
      holding,
      counters,
      eventOf,
      emit,
      store,
      handlers,
    } = this.#setup;
    const held = parcels.flatMap((parcel) => [...parcel.held]);
    const ended = flow.begin(held.length);
    let left: ReadonlyMap<HandlerBatch, HandlerBatch> = new Map();
    const result = await callHandler({
      handler: options.handler,
      event: eventOf(held),
      context: contextOf(name, () => deadline.remainingTimeMs()),
      host: {
        deadline: deadline.ofCall(),
        longestLeaseMs: holding.longestLeaseMs,
        isAlone,
        noteAsked: () => store.ask(),
        runHandler: async (handler) => handlers.run(handler),
      },
      keep: (report) => {
        left = leftOf(parcels, report, {
          startsAfter: (leaseUntil) => this.#startAfter(leaseUntil),
          now: clock.now(),
          maxReceives: holding.maxReceives,
        });
        return new Set([...left.values()].flatMap((parcel) => parcel.held.map(idOf)));
      },
      release: (failed, kept) =>
        holding.releaseRun(
          held.filter((one) => !kept.has(idOf(one))),
          new Set(failed),
        ),
    });
    ended(result);
    const { kept, failed } = result;
    const done = held.filter((one) => !failed.has(idOf(one)));
    const again = held.filter((one) => failed.has(idOf(one)) && !kept.has(idOf(one)));
    holding.forget(again);
    for (const parcel of parcels) {
      const hasFailed = !left.has(parcel) && parcel.held.some((one) => again.includes(one));
      if (isFifo && parcel.group !== undefined && hasFailed) this.#handBackGroup(parcel.group);
    }
    counters.acknowledged += done.length;
    counters.failed += again.length;
    if (done.length > 0) void this.#delete(done);
    if (result.thrown !== undefined) emit('handlerFailed', result.thrown.error);
    if (done.length + again.length > 0) {
      emit('handled', { acknowledged: done.length, failed: again.length });
    }
    return { left, again };
  }

  /** By the worker's clock; leases end by that of the handlers. */
  #startAfter(leaseUntil: number): number {
    const { options, clock } = this.#setup;
    const leftMs = leaseUntil - (options.clock ?? systemClock).now();
    return clock.now() + Math.max(leftMs, 0) + AFTER_LEASE_MS;
  }

  /** What waits behind a message that failed must not run before it. */
  #handBackGroup(group: string): void {
    const { flow, holding } = this.#setup;
    const behind = flow.inbox.takeOfGroup(group).flatMap(({ held }) => [...held]);
    void holding.handBack(behind);
  }

  /** Not waited for: the slot is free for the next. Never rejects. */
  async #delete(held: readonly HeldMessage[]): Promise<void> {
    const { deletions, holding, counters, emit } = this.#setup;
    const handles = held.map(({ message: { receiptHandle } }) => receiptHandle);
    const errors = await deletions.delete(handles);
    const again = held.filter(({ message }, index) => message.receiptHandle !== handles[index]);
    if (again.length > 0) void this.#delete(again); // they were received meanwhile: by that receipt
    const rest = held.filter((one) => !again.includes(one));
    holding.forget(rest);
    for (const one of rest) {
      const error = errors[held.indexOf(one)];
      if (error === undefined) counters.deleted += 1;
      else emit('deleteFailed', { messageId: one.message.messageId, error });
    }
  }
}
