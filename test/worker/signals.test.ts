import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { createWorker, type WorkerEvents, type WorkerOptions } from 'batchlatch/worker';
import { type SignalSource, stopAtSignals } from '../../src/worker/signals.ts';

function fakeProcess() {
  const exits: number[] = [];
  const emitter = new EventEmitter();
  const source = Object.assign(emitter, { exit: (status: number) => void exits.push(status) });
  return { source: source as EventEmitter & SignalSource, exits };
}

function fakeWorker() {
  const emitter = new EventEmitter<WorkerEvents>();
  const stops: number[] = [];
  return Object.assign(emitter, {
    stops,
    stop: () => {
      stops.push(stops.length);
      return Promise.resolve();
    },
  });
}

test('the first signal stops the worker, and the second ends the process as shells tell it', () => {
  const { source, exits } = fakeProcess();
  const worker = fakeWorker();
  stopAtSignals(worker, ['SIGTERM', 'SIGINT', 'SIGTERM'], source);
  worker.emit('state', 'running');
  expect(source.eventNames()).toEqual(['SIGTERM', 'SIGINT']);
  source.emit('SIGTERM', 'SIGTERM');
  expect([worker.stops.length, exits]).toEqual([1, []]);
  worker.emit('state', 'stopping');
  source.emit('SIGINT', 'SIGINT');
  expect([worker.stops.length, exits]).toEqual([1, [130]]);
  source.emit('SIGTERM', 'SIGTERM');
  expect(exits).toEqual([130, 143]);
});

test('signals are their own before the worker starts and when it has stopped', () => {
  const { source } = fakeProcess();
  const worker = fakeWorker();
  stopAtSignals(worker, ['SIGTERM'], source);
  expect(source.listenerCount('SIGTERM')).toBe(0);
  for (const state of ['running', 'paused', 'running', 'stopping'] as const) {
    worker.emit('state', state);
    expect(source.listenerCount('SIGTERM')).toBe(1);
  }
  worker.emit('state', 'stopped');
  expect(source.listenerCount('SIGTERM')).toBe(0);
});

test('a worker takes no signal unless it is told to, and no name that is none', () => {
  const options: WorkerOptions = { queueUrl: 'http://127.0.0.1:1/q', handler: async () => undefined };
  createWorker(options);
  createWorker({ ...options, stopOn: ['SIGTERM'] });
  expect(process.listenerCount('SIGTERM')).toBe(0);
  expect(() => createWorker({ ...options, stopOn: ['SIGKILL' as never] })).toThrow(
    "createWorker: Expected `stopOn` to be a list of 'SIGTERM', 'SIGINT', 'SIGHUP'",
  );
});
