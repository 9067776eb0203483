import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import { indexesBy } from '../../base/indexes-by.ts';
import type { StopSignal } from '../../base/stop.ts';
import { givenUp } from '../../claims/store-errors.ts';
import { type Connection, textOf } from './connection.ts';
import { isUnknownScript, toStoreError } from './failures.ts';
import type { KeyNames } from './key-names.ts';
import { type Replication, unreplicated } from './replication.ts';
import { addItems, answersOf, notReplicated, type ScriptAnswer, type ScriptItem } from './script-rows.ts';
import type { Script } from './scripts.ts';
import { ServerClocks } from './server-clocks.ts';

/** The claims of one prefix, and the connection to them. */
export interface RedisRows {
  readonly connection: Connection;
  readonly names: KeyNames;
  /** The clock of this machine. */
  readonly clock: Pick<Clock, 'now'>;
  /** Replaces the server's time in tests. */
  readonly serverNow?: (() => number) | undefined;
  /** How long rows outlive their retention. */
  readonly clockToleranceMs: number;
  readonly replication: Replication;
}

interface ScriptOptions {
  /** Whether the script writes nothing if it arrives after its caller has given up. */
  readonly isFenced: boolean;
  /** The most rows of one script. Redis does nothing else while a script runs. */
  readonly mostRows: number;
  /** Whether rows written or read must be replicated, if the store waits for replicas. Default true. */
  readonly waits?: boolean;
}

/** Returns an answer for each item, in order. Never rejects: a failed call fails its own items. */
export type ScriptCaller = (
  script: Script,
  items: readonly ScriptItem[],
  options: ScriptOptions,
  signal?: StopSignal,
) => Promise<ScriptAnswer[]>;

/** The time after which callers have given up (`engineStore`). A later claim would only block its key. */
const LATEST_MS = 30_000;

/** The most text of arguments in one script, in UTF-16 code units. A single item may be longer. */
const MOST_TEXT = 1_000_000;

/** Creates a function that calls scripts: in parallel for each slot, in chunks that Redis runs quickly. */
export function scriptCaller(rows: RedisRows): ScriptCaller {
  const { connection, names, clock, serverNow, clockToleranceMs, replication } = rows;
  const serverClocks = new ServerClocks();

  async function callChunk(
    script: Script,
    slot: number,
    items: readonly ScriptItem[],
    { isFenced, waits = true }: ScriptOptions,
  ): Promise<ScriptAnswer[]> {
    const askedAt = clock.now();
    const send = waits ? replication : unreplicated;
    const args = items.map(({ key }) => names.nameOf(key));
    args.push('', '', String(clockToleranceMs));
    addItems(args, items);
    for (let isFirst = true; ; isFirst = false) {
      if (serverNow !== undefined) args[items.length] = String(serverNow());
      if (isFenced) args[items.length + 1] = String(askedAt + serverClocks.aheadMs(slot) + LATEST_MS);
      const noteServerTime = serverClocks.send(slot);
      const { answer, isReplicated } = await evaluated(script, items.length, args, send);
      if (!Array.isArray(answer) || answer.length === 0)
        throw new StoreError('Redis gave no answer to a script', { isRetryable: true });
      const now = Number(textOf(answer[0]));
      noteServerTime(now - clock.now());
      if (textOf(answer[1]) !== 'LATE') {
        const answers = answersOf(items, answer, now);
        return isReplicated ? answers : notReplicated(items, answers);
      }
      // The call was not that slow: the server's clock is further ahead than was known.
      if (!isFirst || clock.now() - askedAt >= LATEST_MS) throw arrivedLate();
    }
  }

  async function evaluated(
    { sha, text }: Script,
    count: number,
    args: readonly string[],
    send: Replication,
  ): ReturnType<Replication> {
    const [key = ''] = args;
    try {
      return await send(connection, key, ['evalsha', sha, String(count), ...args]);
    } catch (thrown) {
      if (!isUnknownScript(thrown)) throw thrown;
      return send(connection, key, ['eval', text, String(count), ...args]);
    }
  }

  function answersOrErrors(
    script: Script,
    slot: number,
    items: readonly ScriptItem[],
    options: ScriptOptions,
  ): Promise<ScriptAnswer[]> {
    return callChunk(script, slot, items, options).catch((thrown: unknown) =>
      failedAll(items, toStoreError(thrown)),
    );
  }

  return async (script, items, options, signal) => {
    if (options.isFenced && signal?.aborted === true) return failedAll(items, givenUp());
    if (names.slots === 0 && isOneChunk(items, options.mostRows))
      return answersOrErrors(script, 0, items, options);
    const answers: ScriptAnswer[] = [];
    const ask = async (slot: number, indexes: readonly number[]): Promise<void> => {
      const some = indexes.map((index) => items[index] as ScriptItem);
      const given = await answersOrErrors(script, slot, some, options);
      indexes.forEach((index, position) => (answers[index] = given[position] as ScriptAnswer));
    };
    const asked: Promise<void>[] = [];
    for (const [slot, indexes] of indexesBy(items, ({ key }) => names.slotOf(key))) {
      const storable = indexes.filter((index) => {
        if ((items[index] as ScriptItem).key.isWellFormed()) return true;
        answers[index] = { status: 'error', error: notWellFormed() };
        return false;
      });
      for (const chunk of chunksOf(storable, items, options.mostRows)) asked.push(ask(slot, chunk));
    }
    await Promise.all(asked);
    return answers;
  };
}

/** Returns whether one script can take all items, as for most batches. */
function isOneChunk(items: readonly ScriptItem[], mostRows: number): boolean {
  let length = 0;
  for (const { key, args } of items) {
    if (!key.isWellFormed()) return false;
    length += lengthOf(args);
  }
  return items.length > 0 && items.length <= mostRows && length <= MOST_TEXT;
}

function failedAll(items: readonly ScriptItem[], error: Error): ScriptAnswer[] {
  return items.map(() => ({ status: 'error', error }));
}

function* chunksOf(
  indexes: readonly number[],
  items: readonly ScriptItem[],
  mostRows: number,
): Generator<number[]> {
  let chunk: number[] = [];
  let length = 0;
  for (const index of indexes) {
    const own = lengthOf((items[index] as ScriptItem).args);
    if (chunk.length > 0 && (chunk.length >= mostRows || length + own > MOST_TEXT)) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(index);
    length += own;
  }
  if (chunk.length > 0) yield chunk;
}

function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}

function arrivedLate(): StoreError {
  return new StoreError(
    `The call reached Redis more than ${LATEST_MS / 1_000} seconds after it was made, so nothing was written`,
    { isRetryable: true },
  );
}

function notWellFormed(): StoreError {
  return new StoreError(
    'The key is not well-formed Unicode: Redis would store another. Leave out lone surrogates',
    {
      isRetryable: false,
      code: 'BATCHLATCH_KEY',
    },
  );
}
