import type { StopSignal } from '../../../src/base/stop.ts';
import type { Random } from '../virtual-world/random.ts';
import { never, type SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';

/** One request to a store. Its items are independent of each other: each is done at its own moment. */
export interface Exchange<Result, Answer> {
  /** What the trace calls it. */
  readonly name: string;
  readonly items: number;
  /** Does one item at the store. */
  apply(item: number): Result | Promise<Result>;
  /** Makes the answer of the results, which came to the sending of this number, or throws what the caller gets instead. */
  answer(results: Result[], sending: number): Answer;
}

/** How a client reports that there is no answer. */
export interface NetworkErrors {
  /** Every sending went unanswered. */
  unanswered(): Error;
  /** The store refused the request: nothing of it was done. */
  refused(): Error;
  /** The store failed on the way: some of it may be done. */
  failed(): Error;
  aborted(): Error;
}

/** As the DynamoDB store's own client has it. */
const REQUEST_TIMEOUT_MS = 3_000;
/** Within how much time the items of one request are done. */
const SPREAD_MS = 3;

export interface NetworkSetup {
  /** Whether a request that was given up may still arrive, after its second sending or after a later one. */
  readonly arrivesLate: boolean;
  /** How often a request is sent at most. */
  readonly mostSendings: number;
}

/**
 * The way from a process to a store, and the client that knows its troubles: requests and answers get lost
 * and are sent again, as AWS's SDK does it; they are slow; a request given up as lost may still arrive, after
 * its second sending or later. What a process had under way when it died may or may not be done.
 */
export class Network {
  readonly #world: World;
  readonly #random: Random;
  readonly #errors: NetworkErrors;
  readonly #arrivesLate: boolean;
  readonly #mostSendings: number;

  constructor(world: World, { arrivesLate, mostSendings }: NetworkSetup, errors: NetworkErrors) {
    this.#world = world;
    this.#random = world.random.fork('network');
    this.#arrivesLate = arrivesLate;
    this.#mostSendings = mostSendings;
    this.#errors = errors;
  }

  exchange<Result, Answer>(
    process: SimProcess,
    exchange: Exchange<Result, Answer>,
    signal: StopSignal | undefined,
  ): Promise<Answer> {
    if (process.isDead) return never();
    if (signal?.aborted === true) return Promise.reject(this.#errors.aborted());
    return new Promise((resolve, reject) => {
      const call: Call<Result, Answer> = {
        process,
        exchange,
        isOver: false,
        isGivenUp: () => call.isOver || signal?.aborted === true,
        isUnheard: exchange.items > 1 && this.#chance(this.#world.scenario.faults.requestUnheard),
        finish: (answer, sending) => {
          if (call.isOver) return;
          call.isOver = true;
          signal?.removeEventListener('abort', abort);
          if (answer instanceof Error) {
            this.#world.log(process.name, () => `✕ ${exchange.name}: ${answer.message}`);
            reject(answer);
          } else {
            this.#world.log(process.name, () => `← ${exchange.name}`);
            resolve(answerOf(exchange, answer, sending));
          }
        },
      };
      const abort = (): void => call.finish(this.#errors.aborted(), 1);
      const { hangs, heedsAbort } = this.#world.scenario.faults;
      if (heedsAbort) signal?.addEventListener('abort', abort, { once: true });
      if (this.#world.isSilent || this.#chance(hangs)) this.#hang(call);
      else this.#send(call, 1);
    });
  }

  /** A client without time limits, and a connection that is silent for ever. */
  #hang<Result, Answer>(call: Call<Result, Answer>): void {
    this.#world.count('calls that hang');
    this.#world.log(call.process.name, () => `→ ${call.exchange.name}, which is never answered`);
    if (this.#random.chance(0.5)) void this.#transmit(call, this.#latencyMs());
  }

  #send<Result, Answer>(call: Call<Result, Answer>, sending: number): void {
    const { process, exchange } = call;
    const { faults } = this.#world.scenario;
    this.#world.log(process.name, () => `→ ${exchange.name}${sending === 1 ? '' : ` (sent again)`}`);
    const thereMs = this.#latencyMs();
    const backMs = this.#latencyMs() + SPREAD_MS + 1;

    if (!call.isUnheard && this.#chance(faults.refused)) {
      this.#world.count('requests refused');
      const isClean = this.#random.chance(0.6);
      if (!isClean && this.#random.chance(0.5)) void this.#transmit(call, thereMs);
      // As AWS's SDK tells it: how often it was sent before this answer came.
      const error = Object.assign(isClean ? this.#errors.refused() : this.#errors.failed(), {
        $metadata: { attempts: sending },
      });
      process.deliver(thereMs + backMs, () => call.finish(error, sending));
    } else {
      const isRequestLost = !call.isUnheard && this.#chance(faults.requestLost);
      const isAnswerLost = call.isUnheard || this.#chance(faults.answerLost);
      const results = isRequestLost ? undefined : this.#transmit(call, thereMs);
      if (results !== undefined && !isAnswerLost && thereMs + backMs < REQUEST_TIMEOUT_MS) {
        process.deliver(thereMs + backMs, () => call.finish(results, sending));
      } else {
        this.#world.count(isRequestLost ? 'requests lost' : isAnswerLost ? 'answers lost' : 'answers late');
        this.#giveUpSending(call, sending, this.#arrivesLate || isRequestLost ? 0 : thereMs + SPREAD_MS + 1);
      }
    }
    process.mayDie('while it sends');
  }

  #giveUpSending<Result, Answer>(call: Call<Result, Answer>, sending: number, leastMs: number): void {
    // A connection that breaks is noticed at once, one that is silent after the time limit.
    const afterMs = this.#random.chance(0.5) ? REQUEST_TIMEOUT_MS : this.#random.magnitude(20, 1_000);
    call.process.deliver(Math.max(afterMs, leastMs), () => {
      if (call.isOver) return;
      if (sending < this.#mostSendings) this.#send(call, sending + 1);
      else call.finish(this.#errors.unanswered(), sending);
    });
  }

  /** Lets a request arrive, in a few parts that the store does at different moments. */
  #transmit<Result, Answer>(call: Call<Result, Answer>, afterMs: number): (Result | Promise<Result>)[] {
    const { process, exchange } = call;
    const results: (Result | Promise<Result>)[] = [];
    const diesWithProcess = this.#random.chance(0.5);
    const parts: number[][] = Array.from({ length: this.#random.integer(1, 3) }, () => []);
    for (let item = 0; item < exchange.items; item += 1) this.#random.pick(parts).push(item);
    for (const items of parts) {
      if (items.length === 0) continue;
      this.#world.scheduler.after(afterMs + this.#random.integer(0, SPREAD_MS), () => {
        if (process.isDead && diesWithProcess) return;
        if (!this.#arrivesLate && call.isGivenUp()) {
          call.isOver = true;
          return;
        }
        for (const item of items) results[item] = exchange.apply(item);
      });
    }
    return results;
  }

  #latencyMs(): number {
    const isSlow = this.#chance(this.#world.scenario.faults.slow);
    return isSlow ? this.#random.magnitude(20, 20_000) : this.#random.integer(0, 8);
  }

  #chance(probability: number): boolean {
    return !this.#world.isCalm && this.#random.chance(probability);
  }
}

interface Call<Result, Answer> {
  readonly process: SimProcess;
  readonly exchange: Exchange<Result, Answer>;
  isOver: boolean;
  /** Nobody waits for its answer any more. */
  readonly isGivenUp: () => boolean;
  /** None of its answers arrives. */
  readonly isUnheard: boolean;
  readonly finish: (answer: Error | readonly (Result | Promise<Result>)[], sending: number) => void;
}

/** Rejects where making the answer throws. */
async function answerOf<Result, Answer>(
  exchange: Exchange<Result, Answer>,
  results: readonly (Result | Promise<Result>)[],
  sending: number,
): Promise<Answer> {
  return exchange.answer(await Promise.all(results), sending);
}
