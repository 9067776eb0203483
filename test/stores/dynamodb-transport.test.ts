import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { forever } from '../batch/bench.ts';
import { boundedTransport } from '../../src/stores/dynamodb/bounded-transport.ts';
import { limited } from '../../src/stores/dynamodb/limited.ts';
import type { Transport } from '../../src/stores/dynamodb/transport.ts';

describe('limited', () => {
  it('runs calls in their order as places become free, also after one that fails or throws', async () => {
    const limit = limited(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const call = (name: number) => () => {
      begun.push(name);
      if (name === 3) throw new Error('three');
      return new Promise<number>((resolve, reject) => {
        ends[name] = () => (name === 1 ? reject(new Error('one')) : resolve(name));
      });
    };
    const answers = [1, 2, 3, 4, 5].map((name) => limit(call(name)));
    const settled = Promise.allSettled(answers);
    expect(begun).toEqual([1, 2]);
    ends[1]?.();
    await expect(answers[2]).rejects.toThrow('three');
    expect(begun).toEqual([1, 2, 3, 4]);
    ends[4]?.();
    await answers[3];
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    ends[2]?.();
    ends[5]?.();
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});

describe('A bounded transport', () => {
  const clock = manualClock();

  it('ends a request after ten seconds, and tells the transport so', async () => {
    const signals: unknown[] = [];
    const send: Transport['send'] = (_operation, _input, signal) => {
      signals.push(signal);
      return forever();
    };
    const request = boundedTransport({ send }, clock).send('GetItem', { TableName: 't', Key: {} });
    const outcome = Promise.allSettled([request]);
    await clock.advance(10_000);
    expect(await outcome).toMatchObject([{ reason: { code: 'BATCHLATCH_STORE_SILENT' } }]);
    expect(signals).toMatchObject([{ aborted: true }]);
  });
});
