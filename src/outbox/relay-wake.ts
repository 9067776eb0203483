import { type Clock, wait, waitAtMost } from '../base/clock.ts';
import { POSTGRES_CONNECTION_MS } from '../base/limits.ts';
import { Stop, type StopSignal, whenAborted } from '../base/stop.ts';
import { borrow, silent } from '../stores/postgres/connection.ts';
import type { PostgresClient } from '../stores/postgres/pool.ts';
import type { PostgresOutboxTable } from './postgres-table.ts';

/** A client of `pg`, which tells of notifications. */
interface ListeningClient {
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
  off(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/**
 * Wakes up a relay. `LISTEN` keeps a connection of the pool; where it is lost, or goes through a pooler that
 * does not support it, the relay's poll finds the rows a little later.
 */
export class RelayWake {
  readonly #table: PostgresOutboxTable;
  #isListening = false;
  #isAwake = false;
  #next = new Stop();

  constructor(table: PostgresOutboxTable) {
    this.#table = table;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  readonly wake = (): void => {
    this.#isAwake = true;
    this.#next.abort();
  };

  /** Resolves when there may be rows, after a time, or at the stop. */
  async sleep(clock: Clock, ms: number, stop: StopSignal): Promise<void> {
    if (!this.#isAwake) await waitAtMost(clock, ms, whenAborted(this.#next), stop);
    this.#isAwake = false;
    this.#next = new Stop();
  }

  /** Listens until the stop, on a new connection where one is lost. */
  async listen(stop: StopSignal): Promise<void> {
    const { clock, random } = this.#table;
    for (let failures = 0; !stop.aborted; failures += 1) {
      const longestMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      try {
        if (!(await this.#listenOnce(stop))) return;
        failures = 0;
      } catch {
        // The relay's own statements tell what is wrong with the database.
      }
      await wait(clock, longestMs * random(), stop);
    }
  }

  /** Resolves with false if the pool's clients have no events. */
  async #listenOnce(stop: StopSignal): Promise<boolean> {
    const { pool, clock, channel } = this.#table;
    const lost = new Stop();
    const limits = { clock, signal: stop, limitMs: POSTGRES_CONNECTION_MS };
    const errorOf = (): Error => silent(POSTGRES_CONNECTION_MS);
    const { client, giveBack } = await borrow(pool, { ...limits, errorOf });
    const onLost = (): void => lost.abort();
    const events = eventsOf(client);
    try {
      if (events === undefined) return false;
      events.on('notification', this.wake);
      events.on('error', onLost);
      events.on('end', onLost);
      await waitForAnswer(client.query({ text: `LISTEN "${channel}"`, values: [] }), clock);
      this.#isListening = true;
      this.wake(); // for what was committed before
      await Promise.race([whenAborted(lost), whenAborted(stop)]);
      return true;
    } finally {
      this.#isListening = false;
      events?.off('notification', this.wake);
      events?.off('end', onLost);
      giveBack(events !== undefined); // closed: the session would go on listening
    }
  }
}

function eventsOf(client: PostgresClient): ListeningClient | undefined {
  const { on, off } = client;
  return typeof on === 'function' && typeof off === 'function' ? (client as ListeningClient) : undefined;
}

async function waitForAnswer(answer: Promise<unknown>, clock: Clock): Promise<void> {
  let isAnswered = false;
  const noted = answer.then(() => (isAnswered = true));
  await waitAtMost(clock, POSTGRES_CONNECTION_MS, noted);
  if (!isAnswered) {
    void answer.catch(() => undefined);
    throw silent(POSTGRES_CONNECTION_MS);
  }
}
