import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type DecodeStep,
  eventBridgeEnvelope,
  payloadHash,
  type PayloadHashOptions,
  snsEnvelope,
} from 'batchlatch';
import { dynamoDBStreamEvent, eventBridgeEvent, kinesisEvent, sqsEvent } from 'batchlatch/testing';
import { canonicalHash } from '../../src/keys/canonical-json.ts';
import { recordOf } from '../support/read-record.ts';

describe('payloadHash', () => {
  const order = {
    id: 'A',
    items: [
      { sku: 'x', trace: 1 },
      { sku: 'y', trace: 2 },
    ],
    sentAt: 'now',
  };

  it('is the hash of the whole body', () => {
    expect(hashOf(order)).toBe(canonicalHash(order));
    expect(hashOf('text')).toBe(canonicalHash('text'));
    expect(hashOf([])).toBe(canonicalHash([]));
  });

  it('looks at the body alone, so that redeliveries and sources make no difference', () => {
    const direct = hashOfEvent(eventBridgeEvent(order));
    const wrapped = hashOfEvent(
      sqsEvent([{ body: eventBridgeEvent(order) }]),
      undefined,
      eventBridgeEnvelope(),
    );
    expect([direct, wrapped]).toEqual([hashOf(order), hashOf(order)]);
  });

  it('takes the text of an SNS notification that is not JSON as it is', () => {
    const notification = { Type: 'Notification', MessageId: 'n', Message: 'plain' };
    expect(hashOfEvent(sqsEvent([{ body: notification }]), undefined, snsEnvelope())).toBe(
      canonicalHash('plain'),
    );
  });

  describe('include', () => {
    it('takes the values at the paths, with their paths, and nothing else', () => {
      const select = { include: ['id', 'items.1.sku'] };
      expect(hashOf(order, select)).toBe(canonicalHash({ id: 'A', 'items.1.sku': 'y' }));
      expect(hashOf({ ...order, sentAt: 'later' }, select)).toBe(hashOf(order, select));
      expect(hashOf(order, { include: ['items.1.sku', 'id', 'id'] })).toBe(hashOf(order, select));
    });

    it('makes two keys of one value under two names: an order is not its refund', () => {
      const one = hashOf({ orderId: 'o1' }, { include: ['orderId'] });
      expect(hashOf({ refundOf: 'o1' }, { include: ['refundOf'] })).not.toBe(one);
      expect(hashOf({ order: { Id: 'o1' } }, { include: ['order.Id'] })).not.toBe(one);
    });

    it.each(['__proto__.id', 'ä', 'a"b', 'Z', 'z'])('has paths of any name: `%s`', (path) => {
      const [head = '', tail] = path.split('.');
      const value: unknown = JSON.parse(
        `{"id":1,${JSON.stringify(head)}:${tail === undefined ? '2' : '{"id":2}'}}`,
      );
      const entries: [string, unknown][] = [
        ['id', 1],
        [path, 2],
      ];
      expect(hashOf(value, { include: [path, 'id'] })).toBe(canonicalHash(Object.fromEntries(entries)));
    });

    describe('with a path that no payload has', () => {
      const warn = jest.spyOn(process, 'emitWarning');
      afterEach(() => void warn.mockReset());
      afterAll(() => warn.mockRestore());
      beforeEach(() => void warn.mockImplementation(() => undefined));
      const hash = (select: ReturnType<typeof payloadHash>, body: unknown): void => {
        try {
          select(recordOf(sqsEvent([{ body }])));
        } catch {
          // what has no value at the path has no key
        }
      };
      it('warns once, after ten payloads, and names it: it is likely misspelt', () => {
        const select = payloadHash({ include: ['id', 'custmer.id'] });
        for (let n = 0; n < 9; n += 1) hash(select, { id: n, customer: { id: 'c' } });
        expect(warn).not.toHaveBeenCalled();
        for (let n = 0; n < 20; n += 1) hash(select, { id: n, customer: { id: 'c' } });
        expect(warn.mock.calls).toEqual([
          [
            expect.stringMatching(/first 10 payloads .* `custmer\.id`, which `include` of payloadHash/),
            { type: 'BatchlatchWarning', code: 'BATCHLATCH_KEY_PATH_NEVER_SEEN' },
          ],
        ]);
      });

      it('says nothing where one payload had it', () => {
        const select = payloadHash({ include: ['id', 'coupon'] });
        hash(select, { id: 1, coupon: 'x' });
        for (let n = 0; n < 20; n += 1) hash(select, { id: n });
        expect(warn).not.toHaveBeenCalled();
      });
    });

    it.each(['nothing', 'id.length', 'items.7', 'items.length', 'items.0.price', 'empty', 'none'])(
      'refuses a record without a value at `%s`, and names it',
      (path) => {
        const body = { ...order, empty: '', none: null };
        expect(() => hashOf(body, { include: ['id', path] })).toThrow(
          expect.objectContaining({
            code: 'BATCHLATCH_KEY',
            message: expect.stringContaining(`\`${path}\``),
          }),
        );
      },
    );
  });

  describe('exclude', () => {
    it('leaves out what the paths name', () => {
      expect(hashOf(order, { exclude: ['sentAt', 'items.0.trace'] })).toBe(
        canonicalHash({ id: 'A', items: [{ sku: 'x' }, { sku: 'y', trace: 2 }] }),
      );
    });

    it('leaves it out of every element and every member where a path says *', () => {
      expect(hashOf(order, { exclude: ['sentAt', 'items.*.trace'] })).toBe(
        canonicalHash({ id: 'A', items: [{ sku: 'x' }, { sku: 'y' }] }),
      );
      expect(hashOf({ a: { t: 1, v: 1 }, b: { t: 2 } }, { exclude: ['*.t'] })).toBe(
        canonicalHash({ a: { v: 1 }, b: {} }),
      );
      expect(hashOf(order, { exclude: ['items.*'] })).toBe(
        canonicalHash({ id: 'A', items: [], sentAt: 'now' }),
      );
      expect(hashOf(order, { exclude: ['*'] })).toBe(canonicalHash({}));
    });

    it('does not miss what is not there', () => {
      expect(hashOf(order, { exclude: ['nothing', 'id.of.nothing', 'items.9.trace', '*.*.*.*'] })).toBe(
        canonicalHash(order),
      );
      expect(hashOf('text', { exclude: ['a'] })).toBe(canonicalHash('text'));
      expect(hashOf(null, { exclude: ['a'] })).toBe(canonicalHash(null));
    });

    it('leaves the body itself as it is', () => {
      const event = eventBridgeEvent(structuredClone(order));
      hashOfEvent(event, { exclude: ['sentAt', 'items.*.trace'] });
      expect(event.detail).toEqual(order);
    });
  });

  it('is refused for bytes of Kinesis that are no UTF-8, whose text others share', () => {
    const bytes = (last: number): unknown =>
      kinesisEvent([{ body: Buffer.from([...Buffer.from('{"id":"'), last, ...Buffer.from('"}')]) }]);
    expect(recordOf(bytes(0xfe)).rawBody).toBe(recordOf(bytes(0xff)).rawBody);
    for (const event of [bytes(0xfe), bytes(0xff)]) {
      expect(() => hashOfEvent(event)).toThrow(/not UTF-8/);
    }
    expect(hashOfEvent(kinesisEvent([{ body: '{"id":"\uFFFD"}' }]))).toBe(canonicalHash({ id: '\uFFFD' }));
  });

  describe('of a DynamoDB stream record', () => {
    const change = (tags: string[], orderId = 'A'): unknown =>
      dynamoDBStreamEvent([{ keys: { orderId }, newImage: { orderId, tags: new Set(tags) } }]);

    it.each([undefined, { exclude: ['newImage.orderId'] }, { exclude: ['newImage.*.trace'] }])(
      'refuses a set, whose members JSON does not see: with %j',
      (options) => {
        expect(() => hashOfEvent(change(['x']), options)).toThrow('has a Set at `newImage.tags`');
      },
    );

    it('is of the values that are named', () => {
      const options = { include: ['newImage.orderId'] };
      expect(hashOfEvent(change(['x']), options)).toBe(hashOfEvent(change(['y']), options));
      expect(hashOfEvent(change(['x']), options)).not.toBe(hashOfEvent(change(['x'], 'B'), options));
    });
  });

  it.each<[unknown, RegExp]>([
    [{ include: ['a'], exclude: ['b'] }, /`include` or `exclude`, not both/],
    ['orderId', /payloadHash: Expected the options to be an object/],
    [null, /payloadHash: Expected the options to be an object/],
    [['orderId'], /payloadHash: Expected the options to be an object/],
    [
      { include: 'orderId' },
      /Expected `include` to be a list of paths such as \['orderId'\], got `'orderId'` \(string\)/,
    ],
    [{ exclude: 'sentAt' }, /Expected `exclude` to be a list of paths/],
    [{ include: [] }, /Expected `include` to have at least one path/],
    [{ include: ['items.*.sku'] }, /`\*` is for `exclude`/],
    [{ include: [''] }, /Expected `include` to hold paths/],
    [{ include: ['a..b'] }, /got `a\.\.b`/],
    [{ exclude: ['a.'] }, /got `a\.`/],
    [{ exclude: [7] }, /got `7`/],
    [{ excludes: ['a'] }, /payloadHash: Unknown option `excludes`; known options are include, exclude/],
  ])('refuses the options %j at start', (options, message) => {
    const start = (): unknown => payloadHash(options as PayloadHashOptions);
    expect(start).toThrow(message);
    expect(start).toThrow(expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION' }));
  });
});

function hashOf(body: unknown, options?: PayloadHashOptions): string {
  return hashOfEvent(sqsEvent([{ body: JSON.stringify(body) }]), options);
}

function hashOfEvent(event: unknown, options?: PayloadHashOptions, ...steps: DecodeStep[]): string {
  return payloadHash(options)(recordOf(event, ...steps));
}
