import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import type { Random } from '../virtual-world/random.ts';
import { never, type SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Message } from './message.ts';

/** The calls of processes to SQS: they get lost, are slow, or do their work unheard. */
export class SqsCalls {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async call<Answer>(
    process: SimProcess,
    signal: AbortSignal | undefined,
    run: () => Answer,
  ): Promise<Answer> {
    if (process.isDead) return never();
    const { requestLost, answerLost, slow, hangs, heedsAbort } = this.#world.scenario.faults;
    if (this.#world.isSilent || this.#chance(hangs)) {
      this.#world.count('calls to SQS that hang');
      this.#world.log(process.name, () => '→ SQS, which never answers');
      return heedsAbort ? aborted(signal) : never();
    }
    const latencyMs = this.#chance(slow) ? this.#random.magnitude(20, 5_000) : this.#random.integer(0, 8);
    const isRequestLost = this.#chance(requestLost);
    const isAnswerLost = this.#chance(answerLost);
    let answer: Answer | undefined;
    if (!isRequestLost) this.#world.scheduler.after(latencyMs, () => (answer = run()));
    process.mayDie('while it calls SQS');
    await process.sleep(latencyMs + 1 + this.#random.integer(0, 8));
    if (isRequestLost || isAnswerLost) throw new Error('no answer from SQS');
    return answer as Answer;
  }

  /** A processor's dead letter: a copy of one of these messages. */
  sendDeadLetter(
    process: SimProcess,
    { MessageAttributes }: Parameters<SqsClient['sendMessage']>[0],
    messages: readonly Message[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    return this.call(process, signal, () => {
      const id = MessageAttributes['RecordId']?.StringValue;
      const message = messages.find(({ recordId }) => recordId === id);
      if (message === undefined) throw new Error('a dead letter of a message that was never sent');
      message.isSentToDeadLetters = true;
      this.#world.count('sent to dead letters');
      this.#world.log('queue', () => `${message.id} is sent to the dead-letter queue by ${process.name}`);
    });
  }

  #chance(probability: number): boolean {
    return !this.#world.isCalm && this.#random.chance(probability);
  }
}

/** Rejects when the signal is aborted; never ends without. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
