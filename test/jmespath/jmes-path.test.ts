import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import { powertoolsKey } from 'batchlatch/powertools';
import { canonicalHash } from '../../src/keys/canonical-json.ts';
import { recordOf } from '../support/read-record.ts';

describe('jmesPath', () => {
  it('reads an EventBridge event as Lambda gave it', () => {
    const event = eventBridgeEvent({ orderId: 'A' }, { 'detail-type': 'OrderPlaced' });
    expect(keyOf(event, 'detail.orderId')).toBe('A');
    expect(keyOf(event, '"detail-type"')).toBe('OrderPlaced');
  });

  it("knows Powertools' functions for what a body carries", () => {
    const json = JSON.stringify({ orderId: 'A' });
    const base64 = Buffer.from(json).toString('base64');
    const zipped = gzipSync(json).toString('base64');
    expect(keyOf(sqsEvent([{ body: json }]), 'powertools_json(body).orderId')).toBe('A');
    expect(keyOf(sqsEvent([{ body: base64 }]), 'powertools_json(powertools_base64(body)).orderId')).toBe('A');
    expect(keyOf(sqsEvent([{ body: zipped }]), 'powertools_json(powertools_base64_gzip(body)).orderId')).toBe(
      'A',
    );
  });

  it('reads message attributes and what else stays the same of an SQS record', () => {
    const messageAttributes = { tenant: { stringValue: 'acme', dataType: 'String' as const } };
    const event = sqsEvent([{ messageId: 'm', body: {}, messageAttributes, messageGroupId: 'g' }], {
      fifo: true,
    });
    expect(keyOf(event, 'messageAttributes.tenant.stringValue')).toBe('acme');
    expect(keyOf(event, 'attributes.MessageGroupId')).toBe('g');
    expect(keyOf(event, 'messageId')).toBe('m');
  });

  it('hashes what is not a string', () => {
    const event = eventBridgeEvent({ tenant: 't', order: { id: 7 } });
    expect(keyOf(event, 'detail.order.id')).toBe(canonicalHash(7));
    expect(keyOf(event, 'detail.order')).toBe(canonicalHash({ id: 7 }));
    expect(keyOf(event, 'detail.[tenant, order.id]')).toBe(canonicalHash(['t', 7]));
    expect(keyOf(event, 'detail.{o: order.id, t: tenant}')).toBe(canonicalHash({ t: 't', o: 7 }));
  });

  it.each(['detail.', 'detail.[', 'no_such_function(detail)', 'length()', 'length(a, b)', 'a ||', "'"])(
    'finds at start that `%s` cannot be read',
    (expression) => {
      expect(() => jmesPath(expression)).toThrow(
        expect.objectContaining({
          code: 'BATCHLATCH_CONFIGURATION',
          message: expect.stringContaining(`Cannot read the JMESPath expression \`${expression}\``),
        }),
      );
    },
  );

  it.each(['', '  ', undefined, 7])('refuses %p at start', (expression) => {
    expect(() => jmesPath(expression as string)).toThrow(/Expected `jmesPath` to get an expression/);
  });

  it.each(['powertools_json(body).orderId', 'powertools_base64(body)', 'length(detail)'])(
    'does not take an expression that an empty record cannot satisfy (`%s`) for one that cannot be read',
    (expression) => {
      expect(() => jmesPath(expression)).not.toThrow();
    },
  );

  it('inflates gzip up to a bound, and says so, whatever the expression falls back to', () => {
    const bomb = gzipSync(`{"orderId":"A","pad":"${' '.repeat(11_000_000)}"}`).toString('base64');
    expect(bomb.length).toBeLessThan(20_000);
    const event = sqsEvent([{ body: bomb }]);
    for (const expression of [
      'powertools_json(powertools_base64_gzip(body)).orderId',
      'powertools_json(powertools_base64_gzip(body)).orderId || messageId',
    ]) {
      expect(() => keyOf(event, expression)).toThrow(
        /powertools_base64_gzip inflates to more than 10485760 bytes/,
      );
    }
    const key = powertoolsKey({ eventKeyJmesPath: 'powertools_json(powertools_base64_gzip(body)).orderId' });
    expect(() => key(recordOf(event))).toThrow(/inflates to more than 10485760 bytes/);
  });

  it('falls back, as Powertools does, for what is no gzip', () => {
    const event = sqsEvent([{ messageId: 'm', body: 'e30=' }]);
    expect(keyOf(event, 'powertools_base64_gzip(body) || messageId')).toBe('m');
  });

  it('leaves the lists of the record as they are', () => {
    const event = eventBridgeEvent({ list: ['b', 'a'], sorted: ['b', 'a'] });
    expect(keyOf(event, 'reverse(detail.list)')).toBe(canonicalHash(['a', 'b']));
    expect(keyOf(event, 'sort(detail.sorted)')).toBe(canonicalHash(['a', 'b']));
    const key = powertoolsKey({ eventKeyJmesPath: 'sort(detail.sorted)' });
    expect(key(recordOf(event))).not.toBe('');
    expect(event.detail).toEqual({ list: ['b', 'a'], sorted: ['b', 'a'] });
  });

  it('sorts texts by their code units, the same in every locale', () => {
    const event = eventBridgeEvent({ list: ['b', 'ä', 'B', 'a'] });
    expect(keyOf(event, 'sort(detail.list)')).toBe(canonicalHash(['B', 'a', 'b', 'ä']));
    expect(keyOf(eventBridgeEvent({ list: [10, 9, 1] }), 'sort(detail.list)')).toBe(
      canonicalHash([1, 9, 10]),
    );
  });

  it('fails the record when the expression cannot be evaluated for it, and keeps the cause', () => {
    const event = sqsEvent([{ body: 'not json' }]);
    expect(() => keyOf(event, 'keys(body)')).toThrow(
      expect.objectContaining({ code: 'BATCHLATCH_KEY', cause: expect.any(Error) }),
    );
  });
});

function keyOf(event: unknown, expression: string): string {
  return jmesPath(expression)(recordOf(event));
}
