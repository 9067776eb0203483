import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { forever } from '../batch/bench.ts';
import { boundedTransport, type Transport } from '../../src/stores/dynamodb/transport.ts';

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

  it('does not send what was given up while it waited for its turn', async () => {
    let sent = 0;
    const ends: (() => void)[] = [];
    const send: Transport['send'] = () => {
      sent += 1;
      return new Promise((resolve) => ends.push(() => resolve({})));
    };
    const { send: ask } = boundedTransport({ send }, clock);
    const input = { TableName: 't', Key: {} };
    const first = Array.from({ length: 50 }, () => ask('GetItem', input));
    const caller = new AbortController();
    const waiting = Promise.allSettled([ask('GetItem', input, caller.signal)]);
    caller.abort();
    for (const end of ends) end();
    await Promise.all(first);
    expect(await waiting).toMatchObject([{ reason: { code: 'BATCHLATCH_STORE_SILENT' } }]);
    expect(sent).toBe(50);
  });
});
