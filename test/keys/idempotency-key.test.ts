import { describe, expect, it, jest } from '@jest/globals';
import { eventBridgeEnvelope } from 'batchlatch';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { KeyError } from '../../src/keys/errors.ts';
import { idempotencyKey } from '../../src/keys/key-string.ts';
import { type KeySelector, messageId } from '../../src/keys/key-selector.ts';
import type { BatchRecord } from '../../src/sources/record.ts';
import { recordOf } from '../support/read-record.ts';

const message = recordOf(sqsEvent([{ messageId: 'm-1', body: { tenant: 'acme' } }]));

describe('idempotencyKey', () => {
  it('is the namespace, the version and what the selector gives', () => {
    expect(idempotencyKey(message, messageId(), 'billing')).toBe('billing#v1:m-1');
    expect(idempotencyKey(message, () => 'ключ 🔑 #', 'billing')).toBe('billing#v1:ключ 🔑 #');
  });

  it('asks a namespace function once per record', () => {
    const namespace = jest.fn(({ body }: BatchRecord) => (body as { tenant: string }).tenant);
    expect(idempotencyKey(message, messageId(), namespace)).toBe('acme#v1:m-1');
    expect(namespace).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['an empty key', () => '', /an empty string/],
    ['a key that is no string', (() => 7) as unknown as KeySelector, /number, not a string/],
    ['a selector that throws', throwing, /`key` function failed for this record: TypeError: no tenant/],
  ])('refuses %s', (_what, select, message_) => {
    expect(() => idempotencyKey(message, select, 'billing')).toThrow(message_);
  });

  it.each([
    ['an empty one', () => '', /is empty/],
    ['one with #', () => 'a#b', /contains `#`/],
    ['one that throws', throwing, /`namespace` function failed for this record: TypeError: no tenant/],
  ])('refuses a namespace for the record: %s', (_what, namespace, message_) => {
    expect(() => idempotencyKey(message, messageId(), namespace)).toThrow(message_);
  });

  it.each(['resolves', 'rejects'])(
    'says that a function must not be asynchronous, whose promise %s',
    async (how) => {
      const unheard: unknown[] = [];
      const hear = (reason: unknown): void => void unheard.push(reason);
      process.on('unhandledRejection', hear);
      const late = (async () => {
        if (how === 'rejects') throw new Error('too late');
        return 'late';
      }) as unknown as () => string;
      expect(() => idempotencyKey(message, late, 'billing')).toThrow(
        /`key` function of this record returned a promise/,
      );
      expect(() => idempotencyKey(message, messageId(), late)).toThrow(
        /`namespace` function of this record returned a promise/,
      );
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', hear);
      expect(unheard).toEqual([]);
    },
  );

  it('quotes nothing of a body that the function could not parse', () => {
    const parse = (): string => JSON.parse('{"card": TOPSECRET-4111}') as string;
    for (const derive of [
      () => idempotencyKey(message, parse, 'billing'),
      () => idempotencyKey(message, messageId(), parse),
    ]) {
      expect(derive).toThrow(/function failed for this record: SyntaxError: Unexpected token/);
      expect(derive).not.toThrow(/TOP|"T|'T'/);
    }
  });

  it('keeps what was thrown as the cause, and hands a KeyError on as it is', () => {
    const own = new KeyError('no order in it');
    const rethrow = (): never => {
      throw own;
    };
    expect(() => idempotencyKey(message, rethrow, 'billing')).toThrow(own);
    expect(() => idempotencyKey(message, throwing, 'billing')).toThrow(
      expect.objectContaining({ code: 'BATCHLATCH_KEY', cause: expect.any(TypeError) }),
    );
  });

  function throwing(): never {
    throw new TypeError('no tenant');
  }
});

describe('messageId', () => {
  it('is the id that the service gave', () => {
    expect(messageId()(message)).toBe('m-1');
    expect(messageId()(recordOf(eventBridgeEvent({}, { id: 'e-1' })))).toBe('e-1');
  });

  it('is the inner id where a message wraps an event, so that one event in two messages is one work', () => {
    const wrapped = eventBridgeEvent({}, { id: 'e-1' });
    const record = recordOf(sqsEvent([{ messageId: 'm-2', body: wrapped }]), eventBridgeEnvelope());
    expect(messageId()(record)).toBe('e-1');
    expect(record.id).toBe('m-2');
  });
});
