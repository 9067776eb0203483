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

/** One row of a script call. */
export interface ScriptItem {
  readonly key: string;
  /** A stored row of this owner must be replicated too. Undefined: a row of any owner. */
  readonly owner?: string;
  /** The part of the row's write that other rows may share. Undefined if the script writes no fields. */
  readonly template?: readonly string[];
  /** The arguments of this row alone. */
  readonly args: readonly string[];
}

/**
 * The answer of a script for one row. `refused` has the stored row, if there is one, and the server's time.
 */
export type ScriptAnswer =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row; readonly now: number }
  | { readonly status: 'error'; readonly error: Error };

interface ScriptOptions {
  /** Whether the script writes nothing if it arrives after its caller has given up. */
  readonly isFenced: boolean;
  /** The most rows of one script. Redis does nothing else while a script runs. */
  readonly mostRows: number;
  /**
   * Whether rows that are written or read must be replicated, if the store waits for replicas. Default true.
   */
  readonly waits?: boolean;
}

/**
 * Returns an answer for each item, in order. Never rejects: a call that fails is an error of its own items.
 */
export type ScriptCaller = (
  script: Script,
  items: readonly ScriptItem[],
  options: ScriptOptions,
  signal?: StopSignal,
) => Promise<ScriptAnswer[]>;

/**
 * Callers wait for at most 30 seconds (`engineStore`): nobody would use a claim that is made later, until its
 * lease ends.
 */
const LATEST_MS = 30_000;

/** The most text of arguments in one script, in UTF-16 code units. A single item may be longer. */
const MOST_TEXT = 1_000_000;

/**
 * Creates a function that calls scripts: in parallel for each slot, and in chunks that do not hold Redis for
 * long.
 */
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

/** Whether one script can take all items, as in most batches. */
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

/**
 * Adds the templates, and then the arguments of each item, after its template's number if there are several.
 */
function addItems(args: string[], items: readonly ScriptItem[]): void {
  const templates = templatesOf(items);
  args.push(String(templates.size));
  for (const { template } of templates.values()) for (const arg of template) args.push(arg);
  let last: readonly string[] | undefined;
  let number = '';
  for (const { template, args: own } of items) {
    if (templates.size > 1 && template !== undefined) {
      if (template !== last) number = String(templates.get(template.join('\0'))?.number);
      last = template;
      args.push(number);
    }
    for (const arg of own) args.push(arg);
  }
}

/** Returns the templates of items by their text, each once, with its number, from 1. */
function templatesOf(
  items: readonly ScriptItem[],
): Map<string, { readonly template: readonly string[]; readonly number: number }> {
  const templates = new Map<string, { readonly template: readonly string[]; readonly number: number }>();
  let last: readonly string[] | undefined;
  for (const { template } of items) {
    if (template === undefined || template === last) continue;
    last = template;
    const text = template.join('\0');
    if (!templates.has(text)) templates.set(text, { template, number: templates.size + 1 });
  }
  return templates;
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

const WRITTEN: ScriptAnswer = { status: 'written' };

/**
 * Returns the answer for each row. A script counts the rows that it wrote and names the others, so a row that
 * is in neither is an error and not taken for written. Numbers may come as texts, and texts as buffers: the
 * client decides.
 */
function answersOf(items: readonly ScriptItem[], answer: readonly unknown[], now: number): ScriptAnswer[] {
  const answers: ScriptAnswer[] = items.map(() => WRITTEN);
  let told = Number(textOf(answer[1]));
  for (let at = 2; at < answer.length; at += 2) {
    const index = Number(textOf(answer[at])) - 1;
    if (answers[index] !== WRITTEN) throw unaccounted();
    answers[index] = answerOf(items[index] as ScriptItem, answer[at + 1], now);
    told += 1;
  }
  if (told !== items.length) throw unaccounted();
  return answers;
}

function unaccounted(): StoreError {
  return new StoreError('Redis gave no answer for a row, or two', { isRetryable: true });
}

function answerOf({ key }: ScriptItem, answer: unknown, now: number): ScriptAnswer {
  if (Array.isArray(answer)) return { status: 'refused', now, row: { key, now, fields: fieldsOf(answer) } };
  const text = textOf(answer);
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

/**
 * Turns the answers for rows that must be replicated, and are not, into errors: rows of this call's owners,
 * and rows read.
 */
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
