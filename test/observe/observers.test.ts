import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from '@jest/globals';
import type { Observer } from 'batchlatch';
import { diagnosticsChannel, emfMetrics, jsonLines, observers } from 'batchlatch/observe';
import { bench } from '../batch/bench.ts';

function broken(): never {
  throw new Error('a broken observer');
}
const breaks: Observer = {
  onEvent: broken,
  onInvocation: broken,
  onOutcome: broken,
  aroundHandler: broken,
};
const rejects = (): Promise<never> => Promise.reject(new Error('a broken observer'));
const rejecting: Observer = {
  onEvent: rejects,
  onInvocation: rejects,
  onOutcome: rejects,
  aroundHandler: rejects,
};

/** What it is told, in order. */
function recorder(told: string[], name = ''): Observer {
  return {
    onInvocation: ({ source }) => void told.push(`${name}invocation ${source}`),
    onEvent: ({ type }) => void told.push(`${name}${type}`),
    onOutcome: (id, outcome) => void told.push(`${name}${id} ${outcome}`),
    aroundHandler(_attempts, _invocation, run) {
      told.push(`${name}before`);
      run();
      told.push(`${name}after`);
    },
  };
}
const ALL = [
  'invocation sqs',
  'claimed',
  'started',
  'before',
  'after',
  'succeeded',
  'settling',
  'a completed',
  'batchFinished',
];

describe('Several observers', () => {
  it('are told everything, in their order, and wrap the handler from the outside in', async () => {
    const told: string[] = [];
    const observer = observers(recorder(told, '1 '), recorder(told, '2 '));
    const work = (): void => void told.push('handler');
    await bench().run(work, ['a'], { observer });
    for (const name of ['1 ', '2 ']) {
      expect(told.filter((one) => one.startsWith(name))).toEqual(ALL.map((one) => name + one));
    }
    const start = told.indexOf('1 before');
    expect(told.slice(start, start + 5)).toEqual(['1 before', '2 before', 'handler', '2 after', '1 after']);
  });

  it.each([
    ['throws', breaks],
    ['rejects', rejecting],
  ])('of which one %s harm neither one another nor a record', async (_how, one) => {
    const told: string[] = [];
    const b = bench();
    let runs = 0;
    const observer = observers(one, recorder(told), one);
    expect(await b.run(() => void (runs += 1), ['a'], { observer })).toEqual([]);
    expect(told).toEqual(ALL);
    expect(runs).toBe(1);
  });

  it('may be nested, or none', async () => {
    const told: string[] = [];
    const observer = observers(observers(), observers(recorder(told)));
    await bench().run(() => 'done', ['a'], { observer });
    expect(told).toEqual(ALL);
  });

  it('ask for nothing that none of them wants', () => {
    expect(Object.keys(observers({ onEvent: () => undefined }))).toEqual(['onEvent']);
  });

  it.each([undefined, {}, () => undefined, { onEvent: 5 }])('must be observers, unlike %p', (wrong) => {
    expect(() => observers({ onEvent: () => undefined }, wrong as never)).toThrow(
      'observers: Expected argument 2 to be an object with onEvent()',
    );
  });
});

describe('A `write` that rejects', () => {
  it.each([
    ['jsonLines', jsonLines({ level: 'debug', write: rejects })],
    ['emfMetrics', emfMetrics({ write: rejects })],
  ])('is no unhandled rejection, which would end the process: %s', async (_name, observer) => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): unknown => rejections.push(reason);
    process.on('unhandledRejection', note);
    try {
      await bench().run(() => 'done', ['a'], { observer });
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('The diagnostics channels', () => {
  const NAMES = ['invocation', 'event', 'outcome', 'handler'].map((name) => `batchlatch:${name}`);

  it('carry what an observer is told', async () => {
    const published: [string, string[]][] = [];
    const listener = (message: unknown, name: string | symbol): void =>
      void published.push([String(name), Object.keys(message as object)]);
    for (const name of NAMES) subscribe(name, listener);
    try {
      await bench().run(() => 'done', ['a'], { observer: diagnosticsChannel() });
    } finally {
      for (const name of NAMES) unsubscribe(name, listener);
    }
    const of = (name: string): string[][] =>
      published.filter(([one]) => one === name).map(([, keys]) => keys);
    expect(of('batchlatch:invocation')).toEqual([['invocation']]);
    expect(of('batchlatch:event')).toHaveLength(5);
    expect(of('batchlatch:event')[0]).toEqual(['event', 'invocation']);
    expect(of('batchlatch:outcome')).toEqual([['recordId', 'outcome', 'invocation']]);
    expect(of('batchlatch:handler')).toEqual([['attempts', 'invocation']]);
  });

  it('bind stores around the handler', async () => {
    const storage = new AsyncLocalStorage<string>();
    const handlers = channel('batchlatch:handler');
    handlers.bindStore(
      storage,
      ((message: { attempts: { recordId: string }[] }) => message.attempts[0]?.recordId) as never,
    );
    const seen: unknown[] = [];
    try {
      const work = async (): Promise<void> => {
        await Promise.resolve();
        seen.push(storage.getStore());
      };
      await bench().run(work, ['a', 'b'], { observer: diagnosticsChannel() });
    } finally {
      handlers.unbindStore(storage);
    }
    expect(seen).toEqual(['a', 'b']);
  });

  it('cost nothing but a look where nobody subscribes', async () => {
    const b = bench();
    expect(await b.run(() => 'done', ['a'], { observer: diagnosticsChannel() })).toEqual([]);
  });
});
