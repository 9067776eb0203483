import { describe, expect, it } from '@jest/globals';
import { type HttpIdempotencyOptions, type KeyFormat, withFetchIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { keyRules, readKeyHeader } from '../../src/http/idempotency-key-header.ts';
import { processorMs } from '../support/processor-time.ts';

const UUID = '8e03978e-40d5-43dd-bc93-6894a57f9324';

describe('readKeyHeader', () => {
  it.each([
    ['a quoted string', [`"${UUID}"`], UUID],
    ['a bare token', [UUID], UUID],
    ['white space around it', [`  "${UUID}" `], UUID],
    ['escapes', ['"a\\"b\\\\c"'], 'a"b\\c'],
    ['a comma inside quotes', ['"a,b"'], 'a,b'],
    ['spaces inside quotes', ['"a b"'], 'a b'],
    ['parameters, which mean nothing', ['"a";v=1;b'], 'a'],
    ['parameters with a comma in quotes', ['"a";v="1,2" , a'], 'a'],
    ['characters that clients put into keys', ['order_1:2/3+4=.~|'], 'order_1:2/3+4=.~|'],
    ['the same value on two lines', ['a', '"a"'], 'a'],
    ['the same value joined by a proxy', ['a, "a",a'], 'a'],
    ['255 characters', ['k'.repeat(255)], 'k'.repeat(255)],
  ])('takes %s', (_what, values, key) => {
    expect(readKeyHeader(values)).toEqual({ kind: 'key', key });
  });

  it('misses what is not there', () => {
    expect(readKeyHeader([])).toEqual({ kind: 'missing' });
  });

  it.each([
    ['nothing', [''], /empty/],
    ['blanks', ['  '], /empty/],
    ['an empty string', ['""'], /empty/],
    ['an empty member', ['a,'], /empty/],
    ['256 characters', ['k'.repeat(256)], /longer than 255/],
    ['two values', ['a', 'b'], /several times/],
    ['two values joined by a proxy', ['"a", "b"'], /several times/],
    ['half a string', ['"a'], /neither/],
    ['words behind a string', ['"a" b'], /neither/],
    ['a space', ['a b'], /neither/],
    ['letters beyond ASCII', ['schlüssel'], /neither/],
    ['letters beyond ASCII in quotes', ['"schlüssel"'], /neither/],
    ['a control character', ['"a\u0001"'], /neither/],
    ['an escape of something else', ['"a\\n"'], /neither/],
  ])('refuses %s', (_what, values, reason) => {
    expect(readKeyHeader(values)).toEqual({ kind: 'malformed', reason: expect.stringMatching(reason) });
  });

  it('takes no time to speak of over long and ugly values', () => {
    const uglies = [
      '"\\'.repeat(32_000),
      ','.repeat(64_000),
      '"a" '.repeat(16_000),
      `"${'\\"'.repeat(32_000)}`,
      `"${'\\"'.repeat(32_000)}"`,
      `"a";${' '.repeat(64_000)}"`,
      `"a"${' '.repeat(64_000)}b`,
      `"a"${';a="'.repeat(16_000)}`,
    ];
    const tookMs = processorMs(() => {
      for (const ugly of uglies) {
        expect(readKeyHeader([ugly]).kind).toBe('malformed');
        expect(readKeyHeader(ugly.match(/.{1,100}/g) ?? []).kind).toBe('malformed');
      }
    });
    expect(tookMs).toBeLessThan(200);
  });
});

describe('keyFormat', () => {
  it.each<[what: string, format: KeyFormat, good: string, bad: string, reason: RegExp]>([
    ['a UUID', 'uuid', UUID, 'order-1', /not a UUID/],
    ['a UUID in capitals', 'uuid', UUID.toUpperCase(), `${UUID}0`, /not a UUID/],
    ['a UUID of version 7', 'uuid', '018f4f3e-7b1c-7c3a-9d2e-3f4a5b6c7d8e', `x${UUID}`, /not a UUID/],
    ['a UUID, which is not nil', 'uuid', UUID, '00000000-0000-0000-0000-000000000000', /not a UUID/],
    ['a pattern', /[a-z]+-\d{2}/, 'order-12', 'order-123', /format/],
    ['the whole of a pattern', /a|ab/, 'ab', 'abc', /format/],
    ['a pattern that is asked again and again', /a+/gy, 'aa', 'b', /format/],
    ['a function', (key) => key.startsWith('k'), 'k1', '1k', /format/],
  ])('takes %s, and nothing else', (_what, format, good, bad, reason) => {
    const rules = keyRules(format, 255);
    for (let time = 0; time < 3; time += 1) {
      expect(readKeyHeader([good], rules)).toEqual({ kind: 'key', key: good });
      expect(readKeyHeader([`"${good}"`], rules)).toEqual({ kind: 'key', key: good });
      expect(readKeyHeader([bad], rules)).toEqual({
        kind: 'malformed',
        reason: expect.stringMatching(reason),
      });
    }
  });

  it('takes keys of a length of its own', () => {
    const rules = keyRules('any', 10);
    expect(readKeyHeader(['k'.repeat(10)], rules).kind).toBe('key');
    expect(readKeyHeader([`"${'\\"'.repeat(10)}"`], rules).kind).toBe('key');
    expect(readKeyHeader(['k'.repeat(11)], rules)).toEqual({
      kind: 'malformed',
      reason: 'it is longer than 10 characters',
    });
  });

  it('is an option, whose refusals are 400', async () => {
    let runs = 0;
    const handler = idempotent({ keyFormat: 'uuid' }, () => (runs += 1));
    expect((await handler(post('order-1'))).status).toBe(400);
    expect((await handler(post(`"${UUID}"`))).headers.get('idempotency-replayed')).toBeNull();
    expect((await handler(post(UUID))).headers.get('idempotency-replayed')).toBe('true');
    expect(runs).toBe(1);
  });

  it('refuses every key when its function fails, and tells whoever listens', async () => {
    const errors: unknown[] = [];
    for (const keyFormat of [
      () => {
        throw new Error('broken');
      },
      (() => Promise.reject(new Error('broken'))) as unknown as () => boolean,
    ]) {
      const handler = idempotent({ keyFormat, onError: (error) => errors.push(error) }, () => undefined);
      expect((await handler(post('a'))).status).toBe(400);
    }
    expect(errors).toMatchObject([{ message: 'broken' }]);
  });

  it.each([
    [{ keyFormat: 'guid' }, /`keyFormat` to be 'any' or 'uuid', or a RegExp, or a function/],
    [{ maxKeyLength: 0 }, /`maxKeyLength` to be an integer from 1 to 1024/],
    [{ maxKeyLength: 1_025 }, /`maxKeyLength`/],
  ])('refuses %j at start', (options, message) => {
    expect(() => idempotent(options as never, () => undefined)).toThrow(message);
  });
});

function idempotent(options: Partial<HttpIdempotencyOptions<Request>>, onRun: () => void) {
  return withFetchIdempotency(
    () => {
      onRun();
      return new Response('done');
    },
    { namespace: 'n', scope: () => 'acme', store: memoryStore(), ...options },
  );
}

function post(key: string): Request {
  return new Request('https://api.example.com/', { method: 'POST', headers: { 'idempotency-key': key } });
}
