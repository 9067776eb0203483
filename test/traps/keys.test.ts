import { describe, expect, it } from '@jest/globals';
import {
  type BatchEvent,
  type BatchProcessorOptions,
  createBatchProcessor,
  type KeySelector,
  messageId,
  payloadHash,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import {
  array,
  assert,
  constantFrom,
  type JsonValue,
  jsonValue,
  letrec,
  oneof,
  property,
  record,
  tuple,
} from 'fast-check';
import { canonicalHash } from '../../src/keys/canonical-json.ts';

const KEY_ERROR = 'BATCHLATCH_KEY';

describe('K1: what is the same JSON has one key, what is not has two', () => {
  it.each([
    ['the order of members', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['white space', '{"a":[1,2]}', ' {\n\t"a" : [ 1 , 2 ]\r\n} '],
    ['1.0 against 1', '{"amount":1.0}', '{"amount":1}'],
    ['1e2 against 100', '{"amount":1e2}', '{"amount":100}'],
    ['-0 against 0', '{"amount":-0}', '{"amount":0}'],
    ['escaping', String.raw`{"name":"\u00e4\/"}`, '{"name":"ä/"}'],
  ])('K1: %s makes no difference', async (_what, one, other) => {
    const [first, second] = await keysOf([one, other], payloadHash());
    expect(first).toMatch(/^shop#v1:[0-9a-f]{64}$/);
    expect(second).toBe(first);
  });

  it.each([
    ['1 against "1"', '{"id":1}', '{"id":"1"}'],
    ['null against a missing member', '{"id":null}', '{}'],
    ['an empty array against an empty object', '{"id":[]}', '{"id":{}}'],
    ['the order of elements', '[1,2]', '[2,1]'],
    ['the case of a member', '{"id":1}', '{"ID":1}'],
    ['two halves of a surrogate pair', String.raw`"\ud800"`, String.raw`"\udc00"`],
    ['composed and decomposed letters', String.raw`"\u00e4"`, String.raw`"a\u0308"`],
  ])('K1: %s makes two', async (_what, one, other) => {
    const [first, second] = await keysOf([one, other], payloadHash());
    expect(first).toMatch(/^shop#v1:/);
    expect(second).toMatch(/^shop#v1:/);
    expect(second).not.toBe(first);
  });

  it('K1: members that differ only in case keep the order of their code units, in every locale', async () => {
    // A locale would put a before B and ä beside a; the code units say B, a, b, ä.
    const [first, second] = await keysOf(
      ['{"a":1,"B":2,"b":3,"ä":4}', '{"ä":4,"b":3,"B":2,"a":1}'],
      payloadHash(),
    );
    expect(first).toBe(`shop#v1:${canonicalHash({ B: 2, a: 1, b: 3, ä: 4 })}`);
    expect(second).toBe(first);
  });

  it('K1: a number and a string of a JMESPath are two keys', async () => {
    const [number, text] = await keysOf(['{"id":1}', '{"id":"1"}'], jmesPath('powertools_json(body).id'));
    expect(text).toBe('shop#v1:1');
    expect(number).toMatch(/^shop#v1:[0-9a-f]{64}$/);
  });

  it('K1: the hash does not see the order of members or white space, in any JSON', () => {
    assert(
      property(array(jsonValue(), { maxLength: 3 }), constantFrom('', ' ', '\n\t'), (values, space) => {
        const given = { values };
        const again: unknown = JSON.parse(JSON.stringify(turned(given), undefined, space));
        expect(hashOrCode(again)).toBe(hashOrCode(JSON.parse(JSON.stringify(given))));
      }),
    );
  });

  it('K1: two hashes are equal exactly when the canonical JSON is', () => {
    assert(
      property(smallJson, smallJson, (one, other) => {
        expect(canonicalHash(one) === canonicalHash(other)).toBe(
          plainCanonical(one) === plainCanonical(other),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('K2: names that mean something to JavaScript', () => {
  it('K2: __proto__ as an own member is part of the hash, and a member of its object like any other', async () => {
    const bodies = ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{}', '{"a":1}'];
    expect(new Set(await keysOf(bodies, payloadHash())).size).toBe(bodies.length);
    // Leaving something else out must not lose it either.
    expect(new Set(await keysOf(bodies, payloadHash({ exclude: ['sentAt'] }))).size).toBe(bodies.length);
  });

  it('K2: __proto__ can be left out of the hash, and be what it is made of', async () => {
    const bodies = ['{"id":1,"__proto__":{"a":1}}', '{"id":1,"__proto__":{"a":2}}'];
    expect(new Set(await keysOf(bodies, payloadHash({ exclude: ['__proto__'] }))).size).toBe(1);
    expect(new Set(await keysOf(bodies, payloadHash({ include: ['__proto__.a'] }))).size).toBe(2);
  });

  it('K2: what every object inherits is no value of a payload', async () => {
    const selectors = ['constructor', '__proto__', 'toString', 'id.length'].map((path) =>
      payloadHash({ include: [path] }),
    );
    for (const select of selectors) expect(await keysOf(['{"id":"a"}'], select)).toEqual([KEY_ERROR]);
  });

  it('K2: toJSON and valueOf as own members are data', async () => {
    const bodies = ['{"toJSON":"a"}', '{"toJSON":"b"}', '{"valueOf":1}'];
    expect(new Set(await keysOf(bodies, payloadHash())).size).toBe(bodies.length);
  });
});

describe('K3: keys of which something is missing', () => {
  const bodies = [
    '{}',
    '{"tenant":"t"}',
    '{"orderId":"o"}',
    '{"tenant":null,"orderId":"o"}',
    '{"tenant":"","orderId":"o"}',
  ];

  it.each([
    ['a list of a JMESPath', jmesPath('powertools_json(body).[tenant, orderId]')],
    ['a hash of a JMESPath', jmesPath('powertools_json(body).{t: tenant, o: orderId}')],
    ['include', payloadHash({ include: ['tenant', 'orderId'] })],
  ])('K3: every part of %s has to be there', async (_what, select) => {
    expect(await keysOf(bodies, select)).toEqual(bodies.map(() => KEY_ERROR));
    const complete = await keysOf(['{"tenant":"t","orderId":"o"}', '{"tenant":"t","orderId":"p"}'], select);
    expect(new Set(complete).size).toBe(2);
    for (const key of complete) expect(key).toMatch(/^shop#v1:[0-9a-f]{64}$/);
  });

  it('K3: parts of a composite key do not run into each other', async () => {
    const shifted = ['{"tenant":"ab","orderId":"c"}', '{"tenant":"a","orderId":"bc"}'];
    for (const select of [
      jmesPath('powertools_json(body).[tenant, orderId]'),
      payloadHash({ include: ['tenant', 'orderId'] }),
    ]) {
      expect(new Set(await keysOf(shifted, select)).size).toBe(2);
    }
  });

  it.each([
    ['a JMESPath that finds nothing', jmesPath('powertools_json(body).nothing')],
    ['a JMESPath that finds an empty list', jmesPath('powertools_json(body).[tenant][?@ == `1`]')],
    ['a JMESPath over a body that is not JSON', jmesPath('powertools_json(attributes.SenderId).id')],
    ['a function that gives an empty string', () => ''],
    ['a function that gives undefined', (() => undefined) as unknown as KeySelector],
    ['a function that gives a promise', (async () => 'late') as unknown as KeySelector],
    [
      'a function that throws',
      () => {
        throw new TypeError('no such field');
      },
    ],
  ])('K3: %s fails its record, and no other', async (_what, select) => {
    const selectOrGood: KeySelector = (record) => (record.rawBody === '"good"' ? 'good' : select(record));
    expect(await keysOf(['{"tenant":"t"}', '"good"', '{"tenant":"t"}'], selectOrGood)).toEqual([
      KEY_ERROR,
      'shop#v1:good',
      KEY_ERROR,
    ]);
  });

  it('K3: false and 0 are values', async () => {
    const falsy = ['{"id":0}', '{"id":false}'];
    const hashed = await keysOf(falsy, payloadHash({ include: ['id'] }));
    const found = await keysOf(falsy, jmesPath('powertools_json(body).id'));
    for (const keys of [hashed, found]) {
      expect(new Set(keys).size).toBe(2);
      expect(keys).not.toContain(KEY_ERROR);
    }
  });

  it('K3: bodies that are not JSON have no payload hash, rather than one for all', async () => {
    expect(await keysOf(['plain', '', '{"id":', 'plain'], payloadHash())).toEqual([
      KEY_ERROR,
      KEY_ERROR,
      KEY_ERROR,
      KEY_ERROR,
    ]);
  });
});

describe('K4: what changes when a message is delivered again', () => {
  it.each([
    ['the messageId', messageId()],
    ['a payload hash', payloadHash()],
    ['the whole record', jmesPath('@')],
    ['its attributes', jmesPath('attributes')],
  ])('K4: %s gives the same key', async (_what, select) => {
    const [first, again] = await Promise.all(
      [delivery(1), delivery(4)].map((event) => keysOfEvent(event, select)),
    );
    expect(first).toEqual([expect.stringMatching(/^shop#v1:./)]);
    expect(again).toEqual(first);
  });

  it('K4: another message has another key, all the same', async () => {
    const other = delivery(1);
    for (const record of other.Records) record.body = '{"orderId":"B"}';
    expect(await keysOfEvent(other, jmesPath('@'))).not.toEqual(
      await keysOfEvent(delivery(1), jmesPath('@')),
    );
  });

  it('K4: what changes cannot be asked for', async () => {
    for (const name of ['receiptHandle', 'attributes.ApproximateReceiveCount', 'attributes.SentTimestamp']) {
      expect(await keysOfEvent(delivery(1), jmesPath(name))).toEqual([KEY_ERROR]);
    }
  });

  function delivery(receiveCount: number): ReturnType<typeof sqsEvent> {
    const sentAt = 1_700_000_000_000 + receiveCount;
    const event = sqsEvent([{ messageId: 'm1', body: { orderId: 'A' }, receiveCount, sentAt }]);
    for (const record of event.Records) record.md5OfBody = 'b54357faf0632cce46e942fa68356b38';
    return event;
  }
});

describe('K5: payloads made to hurt', () => {
  const DEEP = 100_000;

  it.each([
    ['arrays', '['.repeat(DEEP) + ']'.repeat(DEEP), KEY_ERROR],
    // Longer than what is parsed unseen: no key is asked of it.
    ['objects', '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP), 'BATCHLATCH_DECODE'],
  ])('K5: %s nested 100,000 deep are a clear error, and their neighbours run', async (_what, deep, code) => {
    for (const select of [
      payloadHash(),
      payloadHash({ exclude: ['sentAt'] }),
      jmesPath('powertools_json(body)'),
    ]) {
      const errors: unknown[] = [];
      const keys = await keysOf([deep, '{"id":1}'], select, errors);
      expect(keys).toEqual([code, expect.stringMatching(/^shop#v1:/)]);
      expect(String(errors[0])).toMatch(/nested deeper than [25]00 levels/);
    }
  });

  it('K5: a field of a deep payload can still be the key', async () => {
    const deep = `{"id":"A","deep":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`;
    expect(await keysOf([deep], jmesPath('powertools_json(body).id'))).toEqual(['shop#v1:A']);
    expect(await keysOf([deep], payloadHash({ include: ['id'] }))).toEqual(
      await keysOf(['{"id":"A"}'], payloadHash({ include: ['id'] })),
    );
  });

  it('K5: what real messages nest is hashed', async () => {
    const nested = '['.repeat(100) + ']'.repeat(100);
    expect(await keysOf([nested], payloadHash())).toEqual([expect.stringMatching(/^shop#v1:/)]);
  });

  it('K5: a payload of 300,000 values is hashed', async () => {
    const list = JSON.stringify(Array.from({ length: 300_000 }, (_, index) => index));
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1])),
    );
    const keys = await keysOf(
      [list, wide, JSON.stringify('x'.repeat(5_000_000))],
      payloadHash({ exclude: ['x'] }),
    );
    expect(new Set(keys).size).toBe(3);
    expect(keys).not.toContain(KEY_ERROR);
  });

  it.each(['9007199254740993', '-9007199254740993', '1e300', '{"deep":[{"id":12345678901234567890}]}'])(
    'K5: integers that JSON numbers cannot carry exactly are refused, as %s',
    async (body) => {
      const errors: unknown[] = [];
      expect(await keysOf([body], payloadHash(), errors)).toEqual([KEY_ERROR]);
      expect(String(errors[0])).toMatch(/send it as a string/);
      expect(await keysOf([`{"id":${body}}`], jmesPath('powertools_json(body).id'))).toEqual([KEY_ERROR]);
    },
  );

  it('K5: the largest exact integers are fine, and a large one that is left out is not looked at', async () => {
    expect(new Set(await keysOf(['9007199254740991', '9007199254740990'], payloadHash())).size).toBe(2);
    const [one, other] = await keysOf(
      ['{"id":1,"trace":9007199254740993}', '{"id":1,"trace":9007199254740995}'],
      payloadHash({ exclude: ['trace'] }),
    );
    expect(one).toMatch(/^shop#v1:/);
    expect(other).toBe(one);
  });

  it.each(['1e999', '-1e999'])('K5: %s, which is no number any more, is refused', async (body) => {
    expect(await keysOf([body], payloadHash())).toEqual([KEY_ERROR]);
  });

  it('K5: a key longer than DynamoDB takes is a clear error, by its bytes', async () => {
    const longest = 2_048 - 'shop#v1:'.length;
    const errors: unknown[] = [];
    const byBody: KeySelector = ({ rawBody }) => rawBody;
    const keys = await keysOf(
      ['x'.repeat(longest), 'x'.repeat(longest + 1), '€'.repeat(longest / 3), '€'.repeat(longest / 3 + 1)],
      byBody,
      errors,
    );
    expect(keys).toEqual([expect.any(String), KEY_ERROR, expect.any(String), KEY_ERROR].map(keyOrError));
    expect(String(errors[0])).toMatch(/longer than 2048 bytes; hash it/);

    function keyOrError(expected: unknown, index: number): unknown {
      return index % 2 === 0 ? expect.stringMatching(/^shop#v1:/) : expected;
    }
  });

  it('K5: half a surrogate pair, which UTF-8 cannot carry and would make equal to every other, is refused', async () => {
    const bodies = ['{"id":"a\\ud800"}', '{"id":"a\\udfff"}', '{"id":"a\\ud83d\\ude00"}'];
    expect(await keysOf(bodies, jmesPath('powertools_json(body).id'))).toEqual([
      KEY_ERROR,
      KEY_ERROR,
      'shop#v1:a😀',
    ]);
    const perTenant = { namespace: ({ body }: { body: unknown }) => (body as { id: string }).id };
    expect(await keysOf(bodies.slice(0, 2), messageId(), [], perTenant)).toEqual([KEY_ERROR, KEY_ERROR]);
  });
});

describe('K6: how keys are made has a version', () => {
  it('K6: keys of version 1 stay as they are', async () => {
    const body = '{"orderId":"A-1","amountCents":1999,"items":[{"sku":"x","count":2}],"sentAt":"2026-01-01"}';
    const keyOf = async (select: KeySelector): Promise<string | undefined> =>
      (await keysOf([body], select))[0];
    // Made with another program. Whoever changes one of these runs messages in flight twice: that is version 2.
    expect(await keyOf(messageId())).toBe('shop#v1:m0');
    expect(await keyOf(jmesPath('powertools_json(body).orderId'))).toBe('shop#v1:A-1');
    expect(await keyOf(payloadHash())).toBe(
      'shop#v1:05c45092c858abc371d1b20e35f87b3b0cac561eede416b208287ab451a06435',
    );
    expect(await keyOf(payloadHash({ include: ['orderId', 'items.0.sku'] }))).toBe(
      'shop#v1:ba51cb7cb2667837fcbaa0405c7c38e17f85f44f970efb22bd48d76b86e566bc',
    );
    expect(await keyOf(payloadHash({ exclude: ['sentAt', 'items.*.count'] }))).toBe(
      'shop#v1:c987db8d733d655d235131e6f9f108462644989a74788789b5393f545b014a94',
    );
    expect(await keyOf(jmesPath('powertools_json(body).[orderId, amountCents]'))).toBe(
      'shop#v1:7715b959d22eac633aca92b43f0b85215c5c7f1341dc108c17d47008e5cdf52d',
    );
  });

  it('K6: a namespace cannot be made to look like another with a key', async () => {
    for (const namespace of ['shop#v1:a', '#', 'shop#']) {
      expect(await keysOf(['{}'], messageId(), [], { namespace: () => namespace })).toEqual([KEY_ERROR]);
      expect(() => createBatchProcessor(() => undefined, { store: memoryStore(), namespace })).toThrow(
        /without `#`/,
      );
    }
    // In the key itself it does no harm.
    expect(await keysOf(['"b#v1:c"'], ({ body }) => String(body))).toEqual(['shop#v1:b#v1:c']);
  });

  it('K6: a tenant that has no name fails its record instead of sharing the space of others', async () => {
    for (const nameless of ['', undefined, null, 7]) {
      const namespace = (() => nameless) as unknown as () => string;
      expect(await keysOf(['{}'], messageId(), [], { namespace })).toEqual([KEY_ERROR]);
    }
  });
});

/** The key of each message, as the handler would be given it, or the code of the error it failed with. */
async function keysOf(
  bodies: readonly string[],
  key: KeySelector,
  errors: unknown[] = [],
  options: BatchProcessorOptions = {},
): Promise<(string | undefined)[]> {
  const event = sqsEvent(bodies.map((body, index) => ({ messageId: `m${index}`, body })));
  return keysOfEvent(event, key, errors, options);
}

async function keysOfEvent(
  event: ReturnType<typeof sqsEvent>,
  key: KeySelector,
  errors: unknown[] = [],
  options: BatchProcessorOptions = {},
): Promise<(string | undefined)[]> {
  const keys = new Map<string, string>();
  const onEvent = (told: BatchEvent): void => {
    if (told.type === 'claimed' || told.type === 'duplicate') keys.set(told.recordId, told.key);
    if (told.type !== 'invalid') return;
    errors.push(told.error);
    keys.set(told.recordId, (told.error as { code: string }).code);
  };
  const processor = createBatchProcessor(() => undefined, {
    store: memoryStore(),
    namespace: 'shop',
    key,
    observer: { onEvent },
    ...options,
  });
  await processor(event);
  return event.Records.map((record) => keys.get(record.messageId));
}

/** The same value with the members of every object in the other order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, child]) => [name, turned(child)]));
}

function hashOrCode(value: unknown): string {
  try {
    return canonicalHash(value);
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

/** Few names and few values, so that equal ones come up often, and nearly equal ones more often still. */
const { value: smallJson } = letrec<{ value: JsonValue }>((tie) => ({
  value: oneof(
    { maxDepth: 3 },
    constantFrom<JsonValue>(1, '1', 10, '10', true, 'true', null, '', 0.5, 'a', 'A'),
    array(tie('value'), { maxLength: 3 }),
    record({ a: tie('value'), A: tie('value'), '10': tie('value') }, { requiredKeys: [] }),
    tuple(constantFrom('a', 'b', '9', '__proto__'), tie('value')).map(
      ([name, child]) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(child)}}`) as JsonValue,
    ),
  ),
}));

/** Written a second time, as plainly as it goes. */
function plainCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainCanonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${names.map((name) => `${JSON.stringify(name)}:${plainCanonical((value as Record<string, unknown>)[name])}`).join()}}`;
}
