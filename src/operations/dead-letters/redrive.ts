import { defined } from '../../base/defined.ts';
import { asError } from '../../claims/store-errors.ts';
import type { ClaimsOfMessages, MessageWithClaims } from './claims-of-messages.ts';
import { type ReadMessage, readMessage } from './dead-letter-message.ts';
import { type DeadLetterQueue, readQueueFacts } from './dead-letter-queue.ts';
import type { Destinations } from './destinations.ts';
import { HeldMessages } from './held-messages.ts';
import { type FreedMessage, MessageDecider } from './message-decider.ts';
import { MessageMover, type MoveOutcome } from './message-mover.ts';
import { runMoveTask } from './move-task.ts';
import type { RedriveOptions } from './redrive-options.ts';
import type { WhyLeft } from './redrive-plan.ts';
import { type RedrivenMessage, type RedriveResult, RedriveTally } from './redrive-result.ts';

/** How long messages stay hidden if this process dies. */
const HIDDEN_SECONDS = 300;
/** The longest queue that is surveyed before SQS moves it: a survey hides all of its messages. */
const LONGEST_SURVEY = 2_000;

export class Redrive {
  readonly #queue: DeadLetterQueue;
  readonly #destinations: Destinations;
  readonly #claims: ClaimsOfMessages;
  readonly #options: RedriveOptions;
  readonly #tally: RedriveTally;
  readonly #decider: MessageDecider;
  /** The ids of `which` that were not found yet. */
  readonly #wanted: Set<string> | undefined;
  #stillHidden = 0;

  constructor(
    queue: DeadLetterQueue,
    destinations: Destinations,
    claims: ClaimsOfMessages,
    options: RedriveOptions,
  ) {
    this.#queue = queue;
    this.#destinations = destinations;
    this.#claims = claims;
    this.#options = options;
    this.#decider = new MessageDecider(queue, destinations, options);
    this.#tally = new RedriveTally(queue.visible, options.onProgress);
    this.#wanted = Array.isArray(options.which) ? new Set<string>(options.which) : undefined;
  }

  async run(): Promise<RedriveResult> {
    try {
      const end = (await this.#wantsMoveTask()) ? await this.#byMoveTask() : undefined;
      return end ?? (await this.#byMessages());
    } catch (thrown) {
      return this.#result({ ended: this.#isAborted ? 'aborted' : 'failed', error: asError(thrown) });
    }
  }

  /** Whether SQS may move the whole queue: all messages go, with all attributes, to a known destination. */
  async #wantsMoveTask(): Promise<boolean> {
    const { which, dryRun = false, admin } = this.#options;
    if (which !== 'all' || dryRun || this.#destinations.sourceUrls.length === 0) return false;
    if (admin === undefined) return true;
    // A receive returns only the first messages of a FIFO group.
    if (this.#queue.isFifo || this.#queue.visible > LONGEST_SURVEY) return false;
    return this.#withHeld(async (held) => {
      for (;;) {
        if (this.#isAborted) return false;
        const received = await held.receive();
        if (received === undefined) return true;
        const found = await this.#claims.find(received.map(readMessage));
        if (!found.every((one) => this.#isPlain(one))) return false;
        const freed = await this.#decider.decide(found);
        this.#tally.noteReleased(freed.flatMap(({ claims }) => claims));
        if (freed.some(({ plan }) => plan.do !== 'move')) return false;
      }
    });
  }

  #isPlain({ message: { sentBy, claims } }: MessageWithClaims): boolean {
    const { destinationUrl } = this.#options;
    if (sentBy === 'deadLetterQueue' || claims.some(({ status }) => status === 'COMPLETED')) return false;
    return sentBy === 'redrive-policy' || destinationUrl !== undefined;
  }

  /** Lets SQS move the messages. Returns undefined if it did not: the rest is moved message by message. */
  async #byMoveTask(): Promise<RedriveResult | undefined> {
    const { destinationUrl, signal } = this.#options;
    const destinationArn = await this.#destinationArn();
    if (destinationUrl !== undefined && destinationArn === undefined) return undefined;
    const before = this.#tally.moved;
    const onMoved = (moved: number): void => this.#tally.movedTogether(before + moved);
    const task = await runMoveTask(this.#queue, { destinationArn, signal, onMoved });
    const movedBy = 'move-task';
    switch (task.end) {
      case 'refused':
      case 'failed':
        return undefined;
      case 'completed':
        return this.#result({ ended: 'whole', movedBy });
      case 'cancelled':
        return this.#isAborted
          ? this.#result({ ended: 'aborted', movedBy })
          : this.#result({
              ended: 'failed',
              movedBy,
              error: new Error('Somebody cancelled the move: start it again to move the rest'),
            });
      case 'unknown':
        return this.#result({ ended: 'failed', movedBy, error: task.error });
    }
  }

  /** Returns undefined if `destinationUrl` is not set, or the role may not read that queue's attributes. */
  async #destinationArn(): Promise<string | undefined> {
    const { destinationUrl } = this.#options;
    if (destinationUrl === undefined) return undefined;
    const facts = await readQueueFacts(this.#queue.sqs, destinationUrl).catch(() => undefined);
    return facts?.queueArn;
  }

  async #byMessages(): Promise<RedriveResult> {
    const end = await this.#withHeld(async (held) => {
      const mover = new MessageMover(this.#queue, held);
      const { isFifo, visible } = this.#queue;
      const moved = await this.#moveAll(held, mover);
      // Where all ids of `which` were found, the rest of the queue was not read.
      const isRead = moved.ended === 'whole' && this.#wanted?.size !== 0;
      return {
        ...moved,
        undeleted: [...mover.undeleted],
        notFound: [...(this.#wanted ?? [])],
        notSeen: isFifo && isRead ? Math.max(0, visible - held.seen) : 0,
      };
    });
    return this.#result(end);
  }

  async #moveAll(held: HeldMessages, mover: MessageMover): Promise<Pick<RedriveResult, 'ended' | 'error'>> {
    while (this.#wanted?.size !== 0) {
      if (this.#isAborted) return { ended: 'aborted' };
      try {
        const received = await held.receive();
        if (received === undefined) break;
        await this.#redrive(received.map(readMessage), mover);
      } catch (thrown) {
        return { ended: this.#isAborted ? 'aborted' : 'failed', error: asError(thrown) };
      }
      if (mover.trouble !== undefined) return { ended: 'failed', error: mover.trouble };
    }
    return { ended: 'whole' };
  }

  async #redrive(read: readonly ReadMessage[], mover: MessageMover): Promise<void> {
    const listed = read.filter(({ message }) => this.#wanted?.delete(message.messageId) ?? true);
    const found = await this.#claims.find(listed);
    const { which, dryRun = false } = this.#options;
    const chosen = typeof which === 'function' ? found.filter(({ message }) => which(message)) : found;
    const freed = await this.#decider.decide(chosen);
    for (const one of freed) if (one.plan.do === 'leave') this.#tellLeft(one, one.plan);
    const done = freed.filter(({ plan }) => plan.do === 'delete');
    const free = freed.filter(({ plan }) => plan.do === 'move');
    if (dryRun) {
      for (const one of done) this.#tell(one, { outcome: 'deleted' });
      for (const one of free) this.#tell(one, { outcome: 'moved', destinationUrl: this.#destinationOf(one) });
    } else {
      await this.#delete(done, mover);
      await this.#move(free, mover);
    }
  }

  async #delete(done: readonly FreedMessage[], mover: MessageMover): Promise<void> {
    if (done.length === 0) return;
    const deleted = await mover.delete(done.map(({ message }) => message.messageId));
    for (const one of done) {
      if (deleted.has(one.message.messageId)) this.#tell(one, { outcome: 'deleted' });
      else this.#tellLeft(one, { why: 'completed' });
    }
  }

  async #move(free: readonly FreedMessage[], mover: MessageMover): Promise<void> {
    const outgoing = free.map((read) => ({ read, destinationUrl: this.#destinationOf(read) }));
    const outcomes = await mover.move(outgoing);
    outgoing.forEach(({ read, destinationUrl }, index) => {
      const outcome = outcomes[index] as MoveOutcome;
      if (!outcome.moved) return this.#tellLeft(read, outcome);
      const { newMessageId } = outcome;
      if (newMessageId !== undefined) this.#decider.noteSent(newMessageId);
      this.#tell(read, { outcome: 'moved', destinationUrl, ...defined({ newMessageId }) });
    });
  }

  #destinationOf({ message }: FreedMessage): string {
    return this.#destinations.urlOf(message) ?? '';
  }

  #tellLeft(one: FreedMessage, { why, error }: { readonly why: WhyLeft; readonly error?: Error }): void {
    this.#tell(one, { outcome: 'left', why, ...defined({ error }) });
  }

  #tell(
    { message: { messageId }, claims }: FreedMessage,
    ended: Omit<RedrivenMessage, 'messageId' | 'claims'>,
  ): void {
    this.#tally.add({ messageId, claims, ...ended });
  }

  /** Runs `work`, and then shows the remaining messages again. */
  async #withHeld<Result>(work: (held: HeldMessages) => Promise<Result>): Promise<Result> {
    const held = new HeldMessages(this.#queue, HIDDEN_SECONDS);
    try {
      return await work(held);
    } finally {
      this.#stillHidden = await held.close();
    }
  }

  #result(end: Pick<RedriveResult, 'ended'> & Partial<RedriveResult>): RedriveResult {
    return {
      movedBy: 'messages',
      ...this.#tally.result(),
      undeleted: [],
      notFound: [],
      notSeen: 0,
      stillHidden: this.#stillHidden,
      ...defined({ parkedRead: this.#claims.parkedRead }),
      ...end,
    };
  }

  get #isAborted(): boolean {
    return this.#options.signal?.aborted === true;
  }
}
