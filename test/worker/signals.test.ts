import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { type SignalSource, stopAtSignals } from '../../src/worker/signals.ts';

test('the first signal stops the worker, and the second ends the process as shells tell it', () => {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const source = Object.assign(emitter, {
    exit: (status: number) => void exits.push(status),
  }) as SignalSource & EventEmitter;
  let stops = 0;
  const stop = (): Promise<void> => {
    stops += 1;
    return Promise.resolve();
  };
  const forget = stopAtSignals({ stop }, source);
  emitter.emit('SIGTERM', 'SIGTERM');
  expect({ stops, exits }).toEqual({ stops: 1, exits: [] });
  emitter.emit('SIGINT', 'SIGINT');
  expect({ stops, exits }).toEqual({ stops: 1, exits: [130] });
  forget();
  expect(emitter.listenerCount('SIGTERM') + emitter.listenerCount('SIGINT')).toBe(0);
});
