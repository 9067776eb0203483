import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { canonicalHash } from '../../src/keys/canonical-json.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('canonicalHash', () => {
  it.each([
    ['null', null, 'null'],
    ['a text', 'a"\\\u0001/é😀', '"a\\"\\\\\\u0001/é😀"'],
    [
      'numbers as JavaScript writes them',
      [333333333.3333333, 4.5, 2e-3, 1e-27, -0],
      '[333333333.3333333,4.5,0.002,1e-27,0]',
    ],
    ['a tree', { b: [1, { d: true, c: null }], a: {} }, '{"a":{},"b":[1,{"c":null,"d":true}]}'],
  ])('is the SHA-256 of canonical JSON: %s', (_what, value, canonical) => {
    expect(canonicalHash(value)).toBe(sha256(canonical));
  });

  it("sorts members by UTF-16 code units, as RFC 8785's example does", () => {
    const given = {
      '\u20AC': 'Euro Sign',
      '\r': 'Carriage Return',
      '\uFB33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1F600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00F6': 'Latin Small Letter O With Diaeresis',
    };
    const values = [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ];
    const nameOf = new Map(Object.entries(given).map(([name, value]) => [value, name]));
    const members = values.map((value) => `${JSON.stringify(nameOf.get(value))}:${JSON.stringify(value)}`);
    expect(canonicalHash(given)).toBe(sha256(`{${members.join(',')}}`));
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => undefined],
    ['NaN', { total: Number.NaN }],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a BigInt', { total: 1n }],
    ['an integer beyond 2^53', { id: 2 ** 53 }],
  ])('refuses %s', (_what, value) => {
    expect(() => canonicalHash(value)).toThrow(expect.objectContaining({ code: 'BATCHLATCH_KEY' }));
  });

  class Secretive {
    readonly #id: number;
    constructor(id: number) {
      this.#id = id;
    }
    get id(): number {
      return this.#id;
    }
  }

  it.each<[string, unknown]>([
    ['FormData', new FormData()],
    ['URLSearchParams', new URLSearchParams('a=1')],
    ['Headers', new Headers({ a: '1' })],
    ['Request', new Request('https://example.com')],
    ['Blob', new Blob(['a'])],
    ['ArrayBuffer', new ArrayBuffer(1)],
    ['Uint8Array', new Uint8Array([1])],
    ['DataView', new DataView(new ArrayBuffer(1))],
    ['Error', new Error('a')],
    ['RegExp', /a/],
    ['Map', new Map([['a', 1]])],
    ['Set', new Set([1])],
    ['WeakMap', new WeakMap()],
    ['Promise', Promise.resolve(1)],
    ['Number', Object(1)],
    ['String', Object('a')],
    ['Secretive', new Secretive(1)],
    [
      'class instance',
      new (class {
        readonly a = 1;
      })(),
    ],
  ])('refuses a %s, whose content canonical JSON would not see, by its class and path', (name, value) => {
    const refused = (where: string): unknown =>
      expect.objectContaining({
        code: 'BATCHLATCH_KEY',
        message: expect.stringContaining(`has a ${name}${where}, whose content JSON does not show`),
      });
    expect(() => canonicalHash(value)).toThrow(refused(''));
    expect(() => canonicalHash({ order: [1, { form: value }] })).toThrow(refused(' at `order.1.form`'));
  });

  it.each<[string, unknown, RegExp]>([
    ['a function', { order: { pay: () => 1 } }, /has a function at `order\.pay`/],
    ['a symbol', { order: Symbol('a') }, /has a symbol at `order`/],
    ['a bigint', { order: 1n }, /has a bigint at `order`/],
    ['NaN', { order: Number.NaN }, /has a NaN at `order`/],
  ])('refuses %s inside a payload', (_what, value, message) => {
    expect(() => canonicalHash(value)).toThrow(message);
  });

  it('takes what has a toJSON for what that gives, which has to be plain itself', () => {
    const date = new Date(0);
    expect(canonicalHash({ at: date })).toBe(canonicalHash({ at: date.toISOString() }));
    expect(canonicalHash(Buffer.from('a'))).toBe(canonicalHash({ type: 'Buffer', data: [97] }));
    expect(() => canonicalHash({ a: { toJSON: () => new Secretive(1) } })).toThrow(/has a Secretive at `a`/);
  });

  it('takes plain objects of every kind: without a prototype, and of another realm', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const foreign: unknown = runInNewContext('({ a: 1, list: [{ b: 2 }] })');
    expect(canonicalHash(bare)).toBe(canonicalHash({ a: 1 }));
    expect(canonicalHash(foreign)).toBe(canonicalHash({ a: 1, list: [{ b: 2 }] }));
    expect(() => canonicalHash(runInNewContext('new Map([[1, 2]])'))).toThrow(/has a Map/);
  });

  it('says of what contains itself that it does', () => {
    const tree: Record<string, unknown> = { name: 'root' };
    tree['child'] = { parents: [tree] };
    const itself = {
      toJSON(): unknown {
        return this;
      },
    };
    for (const cycle of [tree, itself]) {
      expect(() => canonicalHash(cycle)).toThrow(
        expect.objectContaining({
          code: 'BATCHLATCH_KEY',
          message: expect.stringContaining('contains itself'),
        }),
      );
    }
    const shared = { a: 1 };
    expect(canonicalHash([shared, shared])).toBe(canonicalHash([{ a: 1 }, { a: 1 }]));
  });

  it('ends with what is shared so often that it would be written a billion times', () => {
    let value: unknown = 1;
    for (let level = 0; level < 30; level += 1) value = [value, value];
    expect(() => canonicalHash(value)).toThrow(/has more than 1000000 values/);
  });
});
