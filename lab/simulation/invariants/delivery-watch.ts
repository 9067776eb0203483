import type { BatchResponse } from '../../../src/sources/answers.ts';
import type { Invocation } from '../queue/invocation.ts';
import { identityOf, type Message } from '../queue/message.ts';
import type { SimQueue } from '../queue/sim-queue.ts';
import type { Scenario } from '../scenario.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptRegistry } from './attempt-facts.ts';
import type { ClaimWatch } from './claim-watch.ts';

type QueueKind = Scenario['queue']['kind'];

/** Sees responses, acknowledgements and the order of starts: what happens to messages, rather than to claims. */
export class DeliveryWatch {
  readonly #world: World;
  readonly #condemned = new Set<string>();
  readonly #claims: ClaimWatch;
  readonly #queue: SimQueue;

  readonly #attempts: AttemptRegistry;

  constructor(world: World, attempts: AttemptRegistry, claims: ClaimWatch, queue: SimQueue) {
    this.#world = world;
    this.#attempts = attempts;
    this.#claims = claims;
    this.#queue = queue;
  }

  /** A handler starts for a message: in a FIFO group, or of a partition key, all before it have to be out of the way. */
  started(startedId: string): void {
    if (!isInOrder(this.#world.scenario.queue.kind)) return;
    const { messages } = this.#queue;
    const message = messages.find(({ recordId }) => recordId === startedId);
    for (const earlier of messages) {
      if (earlier === message) return;
      if (earlier.group !== message?.group || earlier.state === 'dead-lettered') continue;
      if (earlier.isSentToDeadLetters) continue;
      if (this.#claims.wasCompleted(earlier.key)) continue;
      this.#world.report(
        'in-order',
        `${startedId} started before ${earlier.id} of ${earlier.group} was done`,
      );
    }
  }

  responded(
    { id, deliveries, toldDone, knownDone, unread, stopsAt }: Invocation,
    response: BatchResponse | undefined,
  ): void {
    const named = (response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
    this.#world.log(
      id,
      () => `answers: ${named.length === 0 ? 'all done' : `failed are ${named.join(', ')}`}`,
    );
    const known = new Set(deliveries.map(({ message }) => message.id));
    const strangers = named.filter((name, index) => !known.has(name) || named.indexOf(name) !== index);
    const { consumer, queue } = this.#world.scenario;
    if ((response === undefined) !== (queue.kind === 'async') || strangers.length > 0) {
      this.#world.report('response-is-exact', `${id} names ${strangers.join(', ')}, or answers nothing`);
    }
    const stoppedGroups = new Set<string | undefined>();
    for (const { message } of deliveries) {
      if (queue.kind === 'stream' && stoppedGroups.size > 0) break; // behind the checkpoint all comes again
      const knownSince = knownDone.get(identityOf(message));
      const isNamed = named.includes(message.id);
      if (!isNamed && !toldDone.has(identityOf(message)) && !message.isSentToDeadLetters) {
        this.#world.report(
          'response-is-exact',
          `${id} does not name ${message.id}, which is not known to be done`,
        );
      }
      if (!isNamed) this.#mayAcknowledge(message);
      // What came in the same step as the answer may have come too late for it, and when time is up a record
      // may be named because there was none left to look at it.
      const isKnown =
        !unread.has(message.recordId) &&
        consumer !== 'calls' && // of two calls with one key the second was told of a conflict
        knownSince !== undefined &&
        knownSince < this.#world.scheduler.steps &&
        this.#world.now < stopsAt;
      if (isNamed && isKnown && !stoppedGroups.has(message.group)) {
        this.#world.report('response-is-exact', `${id} names ${message.id}, which it knows to be done`);
      }
      if (isNamed && isInOrder(queue.kind)) stoppedGroups.add(message.group);
    }
  }

  /** Only where there is no list to answer with may an invocation fail. */
  failed({ id, deliveries, knownDone, conflicts, stopsAt }: Invocation, error: unknown): void {
    this.#world.log(id, () => `fails: ${String(error)}`);
    if (this.#world.scenario.queue.kind !== 'async') {
      this.#world.report('response-is-exact', `${id} failed as a whole: ${String(error)}`);
    }
    for (const { message, receipt } of deliveries) {
      const knownSince = knownDone.get(identityOf(message)) ?? Infinity;
      if (knownSince < this.#world.scheduler.steps && this.#world.now < stopsAt) {
        this.#world.report('response-is-exact', `${id} fails for ${message.id}, which it knows to be done`);
      }
      if (receipt === LAST_ASYNC_TRY && conflicts.has(message.key)) this.#mayBeGivenUp(message);
    }
  }

  /** A record is called a mismatch: then its key was once claimed for something else. */
  mismatched(recordId: string): void {
    const message = this.#queue.messages.find((one) => one.recordId === recordId);
    if (message === undefined || this.#claims.wasForeign(message.key, message.payload)) return;
    this.#world.report('mismatch-is-its-own', `${message.id} is refused, and nothing else was ever claimed`);
  }

  /** Its reading has ended processes too often (`maxCrashes`): it has no key, and so no row that is parked. */
  condemned(recordId: string): void {
    this.#condemned.add(recordId);
  }

  /** The run is over: nothing may be left. */
  finished(): void {
    const left = this.#queue.messages.filter((message) => !this.hasEnded(message));
    if (left.length === 0) return;
    const names = left.map(({ id, key, receiveCount }) => `${id} (${key}, received ${receiveCount} times)`);
    this.#world.report('every-message-ends', `still waiting: ${names.join(', ')}`);
  }

  /** Deleted, dead-lettered, or parked where no dead-letter queue ends its deliveries. */
  hasEnded({ state, key, recordId }: Message): boolean {
    if (state !== 'waiting') return true;
    const isForEver = this.#world.scenario.queue.maxReceiveCount === undefined;
    return isForEver && (this.#condemned.has(recordId) || this.#claims.current(key)?.status === 'PARKED');
  }

  /** The failure destination gets it now; not because of a claim that was made for it and that nobody works on. */
  #mayBeGivenUp(message: Message): void {
    const { id, key, kind } = message;
    const row = this.#claims.current(key);
    if (kind !== 'plain' || row?.status !== 'IN_PROGRESS') return;
    const owner = this.#attempts.get(row.owner);
    if (owner?.invocation?.deliveries.some((one) => one.message === message) !== true) return;
    if (!owner.process.isDead && owner.told !== undefined) return;
    // A handler that its batch gave up on, and that ran on, keeps its lease and may make it longer.
    if (owner.run?.isAbandoned === true) return;
    this.#world.report(
      'dead-leases-lose-nothing',
      `${id} is given up while ${row.owner}, which is dead or never knew of it, holds ${key}`,
    );
  }

  #mayAcknowledge({ id, key, payload, isSentToDeadLetters }: Message): void {
    if (this.#claims.wasCompleted(key, payload)) return;
    if (isSentToDeadLetters) {
      const isAnswered = this.#claims.wasParked(key) || this.#claims.wasForeign(key, payload);
      if (!isAnswered && !this.#condemned.has(id)) {
        this.#world.report(
          'dead-letters-are-parked',
          `${id} is in the dead-letter queue, and ${key} was never parked`,
        );
      }
      return;
    }
    this.#world.report(
      'acknowledged-means-completed',
      `${id} is acknowledged, and ${key} was never completed`,
    );
  }
}

/** How often an asynchronous invocation is tried. */
const LAST_ASYNC_TRY = 3;

function isInOrder(kind: QueueKind): boolean {
  return kind === 'fifo' || kind === 'stream';
}
