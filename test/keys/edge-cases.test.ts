import { describe, expect, it } from '@jest/globals';
import { type KeySelector, messageId, payloadHash } from 'batchlatch';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import { canonicalHash } from '../../src/keys/canonical-json.ts';
import { idempotencyKey, type Namespace } from '../../src/keys/key-string.ts';
import { recordOf } from '../support/read-record.ts';

describe('The canonical hash', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  it('takes 200 levels below the payload, and refuses one more', () => {
    expect(canonicalHash(nested(201))).toMatch(/^[0-9a-f]{64}$/);
    expect(() => canonicalHash(nested(202))).toThrow(/nested deeper than 200 levels/);
  });

  it('keeps why there is no canonical form', () => {
    let calls = 0;
    const fickle = {
      toJSON() {
        calls += 1;
        if (calls > 1) throw new Error('not again');
        return {};
      },
    };
    expect(() => canonicalHash(fickle)).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_KEY',
        message: expect.stringContaining('no canonical JSON form'),
        cause: expect.any(Error),
      }),
    );
  });
});

describe('A key', () => {
  const LONGEST = 2_048 - 'shop#v1:'.length;

  it.each([
    ['one byte each', 'x', 1],
    ['two bytes each', 'é', 2],
    ['three bytes each', '€', 3],
  ])('may be as long as DynamoDB takes, and not a character longer: %s', (_what, character, bytes) => {
    const longest = character.repeat(LONGEST / bytes);
    expect(keyOf(sqsEvent([{ body: {} }]), () => longest)).toBe(`shop#v1:${longest}`);
    expect(() => keyOf(sqsEvent([{ body: {} }]), () => longest + character)).toThrow(
      /longer than 2048 bytes/,
    );
  });

  it.each(['\uD800', '\uDFFF', 'a\uDE00\uD83D'])('is well-formed Unicode: %j is not', (text) => {
    expect(() => keyOf(sqsEvent([{ body: {} }]), () => text)).toThrow(/not well-formed Unicode/);
    expect(() => keyOf(sqsEvent([{ body: {} }]), messageId(), () => text)).toThrow(/not well-formed Unicode/);
  });

  it('has a namespace that is a text, whatever its function gives', () => {
    const namespace = (() => ['shop']) as unknown as Namespace;
    expect(() => keyOf(sqsEvent([{ body: {} }]), messageId(), namespace)).toThrow(
      /The namespace of this record is empty/,
    );
  });
});

describe('A JMESPath', () => {
  it.each([
    ['nothing', 'detail.nothing'],
    ['null', 'detail.none'],
    ['an empty text', 'detail.empty'],
    ['an empty list', 'detail.list'],
    ['a list of which one part is null', 'detail.[id, none]'],
    ['a list of which one part is empty', 'detail.[empty, id]'],
    ['an object of which one part is null', 'detail.{a: id, b: none}'],
  ])('that finds %s gives no key', (_what, expression) => {
    const event = eventBridgeEvent({ id: 'A', none: null, empty: '', list: [] });
    expect(() => selected(event, jmesPath(expression))).toThrow(/finds nothing, or not all of its parts/);
  });

  it('takes an object that it finds for one part, whatever that holds', () => {
    const event = eventBridgeEvent({ bare: {}, note: { text: '', author: null } });
    expect(selected(event, jmesPath('detail.bare'))).toBe(canonicalHash({}));
    expect(selected(event, jmesPath('detail.note'))).toBe(canonicalHash({ text: '', author: null }));
  });

  it('takes false and 0 for values', () => {
    const event = eventBridgeEvent({ no: false, zero: 0 });
    expect(selected(event, jmesPath('detail.no'))).toBe(canonicalHash(false));
    expect(selected(event, jmesPath('detail.[no, zero]'))).toBe(canonicalHash([false, 0]));
  });

  it.each(['receiptHandle', 'attributes.ApproximateReceiveCount', 'attributes.SentTimestamp'])(
    'cannot see what changes on redelivery of an SQS message: %s',
    (expression) => {
      expect(() => selected(sqsEvent([{ body: {} }]), jmesPath(expression))).toThrow(/finds nothing/);
    },
  );

  it('sees every member of an EventBridge event, whatever its name', () => {
    const event = { ...eventBridgeEvent({ id: 'A' }), receiptHandle: 'h' };
    expect(selected(event, jmesPath('receiptHandle'))).toBe('h');
    expect(() => selected(event, jmesPath('attributes'))).toThrow(/finds nothing/);
  });

  it('keeps what is wrong with an expression that cannot be read', () => {
    expect(() => jmesPath('detail.[')).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
  });
});

describe('A payload hash', () => {
  const notJson = sqsEvent([{ body: 'not json' }]);

  it('is refused for a body that is not JSON, with and without paths', () => {
    for (const select of [payloadHash(), payloadHash({ exclude: ['a'] }), payloadHash({ include: ['a'] })]) {
      expect(() => selected(notJson, select)).toThrow(/The body is not JSON/);
    }
  });

  it('is had for a JSON text, whose body looks like one that is not JSON', () => {
    expect(selected(sqsEvent([{ body: '"not json"' }]), payloadHash())).toBe(canonicalHash('not json'));
  });

  it.each(['none.deeper', 'id.0', 'count.deeper', 'nothing.deeper'])(
    'is refused when its path goes on where the payload ends: %s',
    (path) => {
      const event = sqsEvent([{ body: { id: 'A', none: null, count: 7 } }]);
      expect(() => selected(event, payloadHash({ include: [path] }))).toThrow(
        expect.objectContaining({ code: 'BATCHLATCH_KEY', message: expect.stringContaining(path) }),
      );
    },
  );

  it('takes one path with `*` among others for a mistake', () => {
    expect(() => payloadHash({ include: ['id', 'items.*.sku'] })).toThrow(/`\*` is for `exclude`/);
  });
});

function selected(event: unknown, select: KeySelector): string {
  return select(recordOf(event));
}

function keyOf(event: unknown, select: KeySelector, namespace: Namespace = 'shop'): string {
  return idempotencyKey(recordOf(event), select, namespace);
}
