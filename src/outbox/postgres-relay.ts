import { type Clock, systemClock, wait, waitAtMost } from '../base/clock.ts';
import { isError, mayPass } from '../base/errors.ts';
import { Stop } from '../base/stop.ts';
import { writeToStandardOutput } from '../observe/json-lines.ts';
import { logLine } from '../observe/log-line.ts';
import { harmless } from '../observe/tell-observer.ts';
import { aBoolean, aFunction, anInteger, anObject, aString, type Check } from '../options/check-options.ts';
import { checkOptionsOf, objectWith } from '../options/check-options.ts';
import { aPool, type PostgresPool } from '../stores/postgres/pool.ts';
import { send } from '../stores/postgres/sender.ts';
import { assertSender } from './assert-sender.ts';
import { relayTexts } from './postgres-statements.ts';
import { type PostgresOutboxTable, postgresOutboxTable } from './postgres-table.ts';
import { type RoundReport, sendRound } from './relay-round.ts';
import { RelayWake } from './relay-wake.ts';
import type { RowSender } from './row-sender.ts';

/** Options of `createOutboxRelay()`. */
export interface OutboxRelayOptions {
  /** A `Pool` of `pg`, of which the relay uses one connection, and another one for `LISTEN`. */
  readonly pool: PostgresPool;
  /** The sender of the messages, of `createSender`. */
  readonly sender: RowSender;
  /** The table, or `schema.table`. Default: `batchlatch_outbox`. */
  readonly table?: string;
  /** How long an idle relay waits before it looks for rows again, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
  /** Whether to `LISTEN` for new rows. It needs a session, so not behind a pooler. Default: true. */
  readonly listen?: boolean;
  /** The longest time for sending the rows of a round, in milliseconds. Default 30,000. */
  readonly sendTimeoutMs?: number;
  /** How often a row may fail, while others are sent, before it parks. Default 10. */
  readonly maxTries?: number;
  /** The longest time that `stop()` waits for sends under way, in milliseconds. Default 10,000. */
  readonly shutdownTimeoutMs?: number;
  /**
   * Writes a line of the relay's log, which is JSON. What it throws is ignored. Default: to standard output.
   *
   * @param line The line.
   */
  readonly log?: (line: string) => void;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

/** The state of a relay: plain data. */
export interface OutboxRelayHealth {
  /** Whether it was started and stopped. */
  readonly state: 'new' | 'running' | 'stopping' | 'stopped';
  /** Whether `LISTEN` wakes it up; otherwise it polls. */
  readonly isListening: boolean;
  /** Rounds that failed since the last successful one: the database or the target does not answer. */
  readonly failuresInARow: number;
  /** The error of the last of them; undefined if there is none. */
  readonly lastError: Error | undefined;
  /** When the last round ended well, in epoch milliseconds; undefined before the first. */
  readonly lastRoundAt: number | undefined;
  /** Rows sent since it was created. */
  readonly sent: number;
  /** Rows that are tried again alone, each time. */
  readonly retried: number;
  /** Rows that were parked. */
  readonly parked: number;
}

/** A relay of an outbox in PostgreSQL. */
export interface OutboxRelay {
  /** Starts the relay. Rejects if the table does not exist or may not be used; waits for no message. */
  start(): Promise<void>;
  /** Stops it after the sends under way, or after `shutdownTimeoutMs`. What is not deleted is sent again. */
  stop(): Promise<void>;
  /** Returns its health, for a health endpoint of your own. */
  health(): OutboxRelayHealth;
}

const checks: Readonly<Record<keyof OutboxRelayOptions, Check>> = {
  pool: aPool,
  sender: anObject(),
  table: aString(),
  pollMs: anInteger(10),
  listen: aBoolean(),
  sendTimeoutMs: anInteger(1_000),
  maxTries: anInteger(1),
  shutdownTimeoutMs: anInteger(0),
  log: aFunction(),
  clock: objectWith('now', 'setTimer'),
};

/**
 * Creates the relay of an outbox in PostgreSQL. It sends the rows of each message group in order, and deletes
 * what is sent. Any number of relays may work on one table: a group is sent by one at a time. A row that
 * cannot be sent parks, and holds its group until a person releases or drops it.
 *
 * @param options The pool, the sender, and the limits.
 * @throws `ConfigurationError` for options that cannot work.
 *
 * @example
 * const relay = createOutboxRelay({ pool, sender });
 * await relay.start();
 * process.once('SIGTERM', () => void relay.stop());
 */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  checkOptionsOf('createOutboxRelay', options, checks);
  assertSender('createOutboxRelay', options.sender);
  return new Relay(options);
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const CLEAN_EVERY_MS = 60_000;
const SELECT = ['SELECT'] as const;
const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

class Relay implements OutboxRelay {
  readonly #options: OutboxRelayOptions;
  readonly #clock: Clock;
  readonly #table: PostgresOutboxTable;
  readonly #wake: RelayWake;
  /** No round begins after it. */
  readonly #stop = new Stop();
  /** Ends the sends under way. */
  readonly #end = new Stop();
  #state: OutboxRelayHealth['state'] = 'new';
  #running: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #lastError: Error | undefined;
  #lastRoundAt: number | undefined;
  #cleanedAt = -Infinity;
  #sent = 0;
  #retried = 0;
  #parked = 0;

  constructor(options: OutboxRelayOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#table = postgresOutboxTable(options);
    this.#wake = new RelayWake(this.#table);
  }

  health(): OutboxRelayHealth {
    return {
      state: this.#state,
      isListening: this.#wake.isListening,
      failuresInARow: this.#failures,
      lastError: this.#lastError,
      lastRoundAt: this.#lastRoundAt,
      sent: this.#sent,
      retried: this.#retried,
      parked: this.#parked,
    };
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error(`The relay is ${this.#state}: create another one`);
    this.#state = 'running';
    try {
      const { rows, groups } = this.#table;
      const text = `SELECT EXISTS (SELECT FROM ${rows}), EXISTS (SELECT FROM ${groups})`;
      await send(this.#table, { text, values: [] }, SELECT, this.#stop);
    } catch (error) {
      // A database that is away for now is waited for, as later.
      if (!mayPass(error)) {
        this.#state = 'stopped';
        throw error;
      }
      this.#noteFailure(error);
    }
    const { listen = true } = this.#options;
    this.#running = Promise.all([this.#run(), listen ? this.#wake.listen(this.#stop) : undefined]);
  }

  async stop(): Promise<void> {
    if (this.#state === 'running') this.#state = 'stopping';
    this.#stop.abort();
    const { shutdownTimeoutMs = 10_000 } = this.#options;
    const isSoon = { isOver: false };
    const ended = this.#running.then(() => (isSoon.isOver = true));
    await waitAtMost(this.#clock, shutdownTimeoutMs, ended);
    if (!isSoon.isOver) this.#end.abort();
    await ended;
    this.#state = 'stopped';
  }

  async #run(): Promise<void> {
    const { pollMs = 1_000 } = this.#options;
    let after = '';
    while (!this.#stop.aborted) {
      try {
        const round = await sendRound(this.#roundSetup(), after);
        after = round.after;
        this.#note(round);
        if (round.outage !== undefined) await this.#rest(round.outage);
        else if (round.sent.length === 0 && after === '') {
          await this.#clean();
          await this.#wake.sleep(this.#clock, pollMs, this.#stop);
        }
      } catch (error) {
        await this.#rest(error);
      }
    }
  }

  #roundSetup(): Parameters<typeof sendRound>[0] {
    const { sender, sendTimeoutMs = 30_000, maxTries = 10 } = this.#options;
    return { table: this.#table, sender, sendTimeoutMs, maxTries, stop: this.#end };
  }

  #note({ sent, failures, outage }: RoundReport): void {
    if (outage === undefined) {
      this.#failures = 0;
      this.#lastError = undefined;
      this.#lastRoundAt = this.#clock.now();
    }
    this.#sent += sent.length;
    for (const { row, error, parks } of failures) {
      if (!parks) this.#retried += 1;
      else {
        this.#parked += 1;
        const { outboxId, type } = row;
        this.#log('outboxRowParked', { outboxId, type, error: { name: error.name, message: error.message } });
      }
    }
  }

  /** Waits longer after each failure of the database or the target. New rows end no such wait. */
  async #rest(thrown: unknown): Promise<void> {
    if (this.#stop.aborted) return;
    this.#noteFailure(thrown);
    const longestMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    await wait(this.#clock, longestMs * (0.5 + this.#table.random() / 2), this.#stop);
  }

  #noteFailure(thrown: unknown): void {
    const error = isError(thrown) ? thrown : new Error(String(thrown));
    this.#failures += 1;
    this.#lastError = error;
    // Once for each outage: `health()` tells how long it lasts.
    const { name, message } = error;
    if (this.#failures === 1) this.#log('outboxRelayFailed', { error: { name, message } });
  }

  async #clean(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#cleanedAt < CLEAN_EVERY_MS) return;
    this.#cleanedAt = now;
    const { rows } = await send(
      this.#table,
      { text: relayTexts(this.#table).clean, values: [] },
      ALL,
      this.#stop,
    );
    if (rows[0]?.['more'] === 'true') this.#cleanedAt = -Infinity;
  }

  #log(message: string, fields: object): void {
    const { log = writeToStandardOutput } = this.#options;
    harmless(() => log(logLine(this.#clock.now(), 'error', message, fields)));
  }
}
