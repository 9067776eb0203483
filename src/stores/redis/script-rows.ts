import { StoreError } from '../../base/errors.ts';
import { textOf } from './connection.ts';
import { toStoreError } from './failures.ts';
import { notOurs, type Row } from './row.ts';

/** A row in a script call. */
export interface ScriptItem {
  readonly key: string;
  /** The owner whose stored row must be replicated too. Undefined: any owner. */
  readonly owner?: string;
  /** The part of the row's write that other rows may share. Undefined if the script writes no fields. */
  readonly template?: readonly string[];
  /** The arguments of this row alone. */
  readonly args: readonly string[];
}

/** The answer for one row, with the server's time if it is the script's. `refused`: with the stored row. */
export type ScriptAnswer =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row; readonly now: number }
  | { readonly status: 'error'; readonly error: Error; readonly now?: number };

/** Adds the templates, then each item's arguments after its template's number, if there are several. */
export function addItems(args: string[], items: readonly ScriptItem[]): void {
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

const WRITTEN: ScriptAnswer = { status: 'written' };

/**
 * Returns the answer for each row. A script counts the rows that it wrote and names the others, so a row that
 * is in neither is an error and not taken for written. Numbers may come as texts, and texts as buffers: the
 * client decides.
 */
export function answersOf(
  items: readonly ScriptItem[],
  answer: readonly unknown[],
  now: number,
): ScriptAnswer[] {
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
  return { status: 'error', now, error: text.startsWith('WRONGTYPE') ? notOurs(key) : toStoreError(text) };
}

function fieldsOf(flat: readonly unknown[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    fields.set(textOf(flat[index]), textOf(flat[index + 1]));
  }
  return fields;
}

/** Turns answers into errors for rows that must be replicated and are not: own rows, and rows read. */
export function notReplicated(
  items: readonly ScriptItem[],
  answers: readonly ScriptAnswer[],
): ScriptAnswer[] {
  const message =
    'Too few replicas of Redis have the claim after `timeoutMs` of `wait`: raise it, or check them';
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
