import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import { indexesBy } from '../../base/indexes-by.ts';
import type { StopSignal } from '../../base/stop.ts';
import { givenUp } from '../../claims/store-errors.ts';
import { type Connection, textOf } from './connection.ts';
import { isUnknownScript, toStoreError } from './failures.ts';
import type { KeyNames } from './key-names.ts';
import { type Replication, unreplicated } from './replication.ts';
import { notOurs, type Row } from './row.ts';
import type { Script } from './scripts.ts';
import { ServerClocks } from './server-clocks.ts';

/** The claims of one prefix, and how they are reached. */
export interface RedisRows {
  readonly connection: Connection;
  readonly names: KeyNames;
  /** Of this machine. */
  readonly clock: Pick<Clock, 'now'>;
  /** In place of the server's time, for tests. */
  readonly serverNow?: (() => number) | undefined;
  /** How long rows outlive their retention. */
  readonly clockToleranceMs: number;
  readonly replication: Replication;
}

/** One row, and what a script is told of it. */
export interface ScriptItem {
  readonly key: string;
  /** Whose row counts as written already. Undefined: anybody's. */
  readonly owner?: string;
  readonly args: readonly string[];
  /** What it writes: what other rows may have alike, which is sent once, and what is its own. */
  readonly write?: { readonly template: readonly string[]; readonly own: readonly string[] };
}

/** What a script says of one row. `refused` has the row where there is one, and the time of the server. */
export type ScriptAnswer =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row; readonly now: number }
  | { readonly status: 'error'; readonly error: Error };

interface ScriptOptions {
  /** The script does nothing if it arrives when nobody waits for it any more. */
  readonly isFenced: boolean;
  /** The most rows of one script: while it runs, Redis does nothing else. */
  readonly mostRows: number;
  /** Whether what is written or read has to be replicated, where the store waits for it. Default true. */
  readonly waits?: boolean;
}

/** Answers one for each item, in order, and never rejects: what fails for some is the answer of these alone. */
export type ScriptCaller = (
  script: Script,
  items: readonly ScriptItem[],
  options: ScriptOptions,
  signal?: StopSignal,
) => Promise<ScriptAnswer[]>;

/** Callers wait for 30 seconds at most (`engineStore`): a claim that is made later would be nobody's, until its lease ends. */
const LATEST_MS = 30_000;

/** So much of arguments goes into one script, in UTF-16 code units; one item may be longer. */
const MOST_TEXT = 1_000_000;

/** Calls scripts with the rows of each slot, in parallel, in chunks that do not keep Redis busy for long. */
export function scriptCaller(rows: RedisRows): ScriptCaller {
  const { connection, names, clock, serverNow, clockToleranceMs, replication } = rows;
  const serverClocks = new ServerClocks();

  async function callChunk(
    script: Script,
    slot: number,
    items: readonly ScriptItem[],
    { isFenced, waits = true }: ScriptOptions,
  ): Promise<ScriptAnswer[]> {
    const keys = items.map(({ key }) => names.nameOf(key));
    const send = waits ? replication : unreplicated;
    const askedAt = clock.now();
    for (let isFirst = true; ; isFirst = false) {
      const latest = isFenced ? String(askedAt + serverClocks.aheadMs(slot) + LATEST_MS) : '';
      const args = [
        String(keys.length),
        ...keys,
        serverNow === undefined ? '' : String(serverNow()),
        latest,
        String(clockToleranceMs),
      ];
      addItems(args, items);
      const noteServerTime = serverClocks.send(slot);
      const { answer, isReplicated } = await evaluated(script, keys[0] as string, args, send);
      if (!Array.isArray(answer) || answer.length === 0)
        throw new StoreError('Redis gave no answer to a script', { isRetryable: true });
      const [time, ...answers] = answer as unknown[];
      const now = Number(textOf(time));
      noteServerTime(now - clock.now());
      const isLate = !Array.isArray(answers[0]) && textOf(answers[0]) === 'LATE';
      if (!isLate) {
        const outcomes = items.map((item, index) => answerOf(item, answers[index], now));
        return isReplicated ? outcomes : notReplicated(items, outcomes);
      }
      // It did not take so long: the clocks differ by more than was thought.
      if (!isFirst || clock.now() - askedAt >= LATEST_MS) throw arrivedLate();
    }
  }

  async function evaluated(
    { sha, text }: Script,
    key: string,
    args: readonly string[],
    send: Replication,
  ): ReturnType<Replication> {
    try {
      return await send(connection, key, ['evalsha', sha, ...args]);
    } catch (thrown) {
      if (!isUnknownScript(thrown)) throw thrown;
      return send(connection, key, ['eval', text, ...args]);
    }
  }

  return async (script, items, options, signal) => {
    if (options.isFenced && signal?.aborted === true) return failedAll(items, givenUp());
    const answers: ScriptAnswer[] = [];
    const ask = async (slot: number, indexes: readonly number[]): Promise<void> => {
      const some = indexes.map((index) => items[index] as ScriptItem);
      const given = await callChunk(script, slot, some, options).catch((thrown: unknown) =>
        failedAll(some, toStoreError(thrown)),
      );
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

function failedAll(items: readonly ScriptItem[], error: Error): ScriptAnswer[] {
  return items.map(() => ({ status: 'error', error }));
}

/** The templates of the items, each once, and then the items. */
function addItems(args: string[], items: readonly ScriptItem[]): void {
  const numbers = new Map<string, string>();
  const templates: (readonly string[])[] = [];
  const rows: string[] = [];
  for (const item of items) {
    for (const arg of item.args) rows.push(arg);
    if (item.write === undefined) continue;
    const { template, own } = item.write;
    const name = template.join('\0');
    let number = numbers.get(name);
    if (number === undefined) {
      number = String(templates.push(template));
      numbers.set(name, number);
    }
    rows.push(number, String(own.length / 2));
    for (const arg of own) rows.push(arg);
  }
  args.push(String(templates.length));
  for (const template of templates) for (const arg of template) args.push(arg);
  for (const arg of rows) args.push(arg);
}

function* chunksOf(
  indexes: readonly number[],
  items: readonly ScriptItem[],
  mostRows: number,
): Generator<number[]> {
  let chunk: number[] = [];
  let length = 0;
  for (const index of indexes) {
    const { args, write } = items[index] as ScriptItem;
    const own = lengthOf(args) + lengthOf(write?.own ?? []);
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

/** Numbers may come as texts, and texts as buffers: the client decides. */
function answerOf({ key }: ScriptItem, answer: unknown, now: number): ScriptAnswer {
  if (Array.isArray(answer)) return { status: 'refused', now, row: { key, now, fields: fieldsOf(answer) } };
  if (answer === undefined) return { status: 'error', error: toStoreError('Redis gave no answer for a row') };
  const text = textOf(answer);
  if (text === '1') return { status: 'written' };
  if (text === '0') return { status: 'refused', now };
  return { status: 'error', error: text.startsWith('WRONGTYPE') ? notOurs(key) : toStoreError(text) };
}

function fieldsOf(flat: readonly unknown[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    fields.set(textOf(flat[index]), textOf(flat[index + 1]));
  }
  return fields;
}

/** What was written, now or by an earlier sending, and what was read, is not where it has to be. */
function notReplicated(items: readonly ScriptItem[], answers: readonly ScriptAnswer[]): ScriptAnswer[] {
  const message = 'Too few replicas of Redis have the claim after the time that `wait` gives them';
  const error = new StoreError(message, { isRetryable: true, code: 'BATCHLATCH_NOT_REPLICATED' });
  return answers.map((answer, index) => {
    const { owner } = items[index] as ScriptItem;
    const isMine =
      answer.status === 'written' ||
      (answer.status === 'refused' &&
        answer.row !== undefined &&
        (owner === undefined || answer.row.fields.get('owner') === owner));
    return isMine ? { status: 'error', error } : answer;
  });
}

function arrivedLate(): StoreError {
  return new StoreError(
    `The call reached Redis more than ${LATEST_MS / 1_000} seconds after it was made, so nothing was written`,
    { isRetryable: true },
  );
}

function notWellFormed(): StoreError {
  return new StoreError('The key is not well-formed Unicode: Redis would store another', {
    isRetryable: false,
    code: 'BATCHLATCH_KEY',
  });
}
