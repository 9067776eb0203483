import { Buffer } from 'node:buffer';
import type { CompletedMessages, OperationKind } from 'batchlatch/operations';
import type { OutboxState } from 'batchlatch/outbox';
import { ConfigurationError } from '../tool-base/errors.ts';
import {
  aBoolean,
  anObject,
  aString,
  type Check,
  checkOptionsOf,
  either,
  oneOf,
  required,
  words,
} from '../tool-base/check-options.ts';
import type { FilterJson } from './api.ts';
import { badRequest } from './api-error.ts';
import { PARKED_KINDS, STATES } from './claim-filter.ts';

/** The checks of a request's members, in a POST body or a GET query. */
export type Input = Readonly<Record<string, Check>>;

/** Throws an `ApiError` that names the unknown or invalid member. */
export function checkInput(of: string, given: unknown, input: Input): void {
  try {
    checkOptionsOf(of, given, input);
  } catch (error) {
    throw error instanceof ConfigurationError ? badRequest(error.message) : error;
  }
}

/** DynamoDB's longest partition key; batchlatch uses this limit on every store. */
const LONGEST_KEY_BYTES = 2_048;
/** The most claims of one change. */
export const MOST_PLANNED = 10_000;
const MOST_CHOSEN_MESSAGES = 1_000;
/** The most messages of one look into a dead-letter queue. */
export const MOST_PEEKED = 500;

const aText = required({
  expected: 'a text of 1 to 2,048 characters',
  accepts: (value) => typeof value === 'string' && value !== '' && value.length <= 2_048,
});
const aKey = required({
  expected: `a key of 1 to ${LONGEST_KEY_BYTES} bytes`,
  accepts: (value) => value !== '' && isShortText(value),
});
const STATE = oneOf(...STATES);
const FILTER: Input = {
  state: STATE,
  parked: oneOf(...PARKED_KINDS),
  released: oneOf('yes', 'no'),
  by: oneOf(...(['any', 'key', 'prefix', 'record', 'hash'] satisfies FilterJson['by'][])),
  q: { expected: `a text of ${LONGEST_KEY_BYTES} bytes at most`, accepts: isShortText },
  error: aShortText(),
  type: aShortText(),
  holder: aShortText(),
  past: oneOf(...(['ran-twice', 'changed'] satisfies FilterJson['past'][])),
  endedFrom: aTime(),
  endedBefore: aTime(),
  ranMs: aTime(),
  waitedMs: aTime(),
  ageMs: aTime(),
};

/** The checks of a claim as the person saw it. */
export const SEEN: Input = {
  key: aKey,
  status: required(oneOf('IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED')),
  owner: required(aString()),
  attempt: required({
    expected: 'an integer, or its digits as a text',
    accepts: (value) => Number.isInteger(value) || (typeof value === 'string' && /^\d{1,20}$/.test(value)),
  }),
};

const OUTBOX_STATES = ['waiting', 'parked', 'dropped'] as const satisfies readonly OutboxState[];

/** The checks of a row of an outbox as the person saw it. */
export const SEEN_ROW: Input = {
  outboxId: aText,
  state: required(oneOf(...OUTBOX_STATES)),
  version: aText,
};

const PLAN: Input = {
  operation: required(oneOf(...(['release', 'resolve', 'park', 'forget'] satisfies OperationKind[]))),
  force: aBoolean(),
  filter: { ...anObject(), expected: 'an object { state?, parked?, released?, by?, q?, … }', parts: FILTER },
  claims: aList(`a list of 1 to ${MOST_PLANNED} claims`, MOST_PLANNED, () => true),
};

const MESSAGE_ID: Check = {
  expected: 'a text of 1 to 128 letters, digits and punctuation',
  accepts: (value) => typeof value === 'string' && /^[!-~]{1,128}$/.test(value),
};

const REASON = required(words(256));
/** The id of a plan, which may be the plan itself. */
const PLAN_ID = required({
  expected: 'a text that is the id of a plan',
  accepts: (value) => typeof value === 'string' && value !== '',
});

/** The checks of every API request. */
export const INPUTS = {
  'GET /api/session': {},
  'GET /api/events': {},
  'GET /api/claims': { ...FILTER, limit: digits(1, 1_000), cursor: aString() },
  'GET /api/claim': { key: aKey, result: oneOf('0', '1') },
  'GET /api/waterfall': { key: aKey },
  'GET /api/export': { ...FILTER, format: oneOf('csv', 'json'), ticket: aString() },
  'GET /api/job': { id: aText },
  'GET /api/actions': {},
  'POST /api/sign-in': { token: aText },
  'POST /api/export': {},
  'POST /api/read': {},
  'POST /api/jobs/stop': { job: aText },
  'POST /api/plan': PLAN,
  'POST /api/changes': {
    plan: PLAN_ID,
    reason: REASON,
    result: { expected: 'a JSON text, which duplicates get parsed', accepts: isJsonText },
    confirmed: aBoolean(),
  },
  'POST /api/dead-letters/peek': {
    queue: aText,
    limit: {
      expected: `an integer from 1 to ${MOST_PEEKED}`,
      accepts: (value) =>
        Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_PEEKED,
    },
    scan: aBoolean(),
  },
  'POST /api/dead-letters/of-claim': { key: aKey },
  'POST /api/dead-letters/body': { queue: aText, messageId: aText },
  'POST /api/dead-letters/plan': {
    queue: aText,
    which: required(
      either(
        oneOf('all'),
        aList(
          `a list of 1 to ${MOST_CHOSEN_MESSAGES} ids of messages`,
          MOST_CHOSEN_MESSAGES,
          (id) => typeof id === 'string' && id !== '',
        ),
      ),
    ),
    completed: oneOf(...(['skip', 'move', 'delete'] satisfies CompletedMessages[])),
  },
  'POST /api/dead-letters/redrive': { plan: PLAN_ID, reason: REASON },
  'GET /api/outbox': {
    state: oneOf(...OUTBOX_STATES),
    type: aShortText(),
    limit: digits(1, 1_000),
    cursor: aString(),
  },
  'POST /api/outbox/body': { outboxId: aText },
  'POST /api/outbox/plan': {
    operation: required(oneOf('release', 'drop')),
    filter: {
      ...anObject(),
      expected: 'an object { state, type? }',
      parts: { state: required(oneOf('parked')), type: aShortText() },
    },
    rows: aList(`a list of 1 to ${MOST_PLANNED} rows`, MOST_PLANNED, () => true),
  },
  'POST /api/outbox/change': { plan: PLAN_ID, reason: REASON },
  'POST /api/send/plan': {
    queue: aText,
    body: required({
      expected: 'a text of at least 1 character',
      accepts: (value) => typeof value === 'string' && value !== '',
    }),
    groupId: MESSAGE_ID,
    dedupId: MESSAGE_ID,
    release: aBoolean(),
  },
  'POST /api/send': { plan: PLAN_ID, reason: REASON },
} as const satisfies Readonly<Record<string, Input>>;

/** A method and path of the API. */
export type RequestName = keyof typeof INPUTS;

function aShortText(): Check {
  return { expected: 'a text of 1 to 2,048 bytes', accepts: (value) => value !== '' && isShortText(value) };
}

/** Accepts milliseconds as digits. */
function aTime(): Check {
  return {
    expected: 'milliseconds as a text of digits',
    accepts: (value) => typeof value === 'string' && /^\d{1,15}$/.test(value),
  };
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && Buffer.byteLength(value) <= LONGEST_KEY_BYTES;
}

function isJsonText(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function aList(expected: string, most: number, isItem: (item: unknown) => boolean): Check {
  return {
    expected,
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isItem),
  };
}

/** Accepts a number in a query. */
function digits(from: number, to: number): Check {
  return {
    expected: `a whole number from ${from} to ${to}`,
    accepts: (value) => /^\d{1,9}$/.test(String(value)) && Number(value) >= from && Number(value) <= to,
  };
}
