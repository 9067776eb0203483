import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { bounded } from '../../src/base/bounded.ts';
import { Stop, type StopSignal } from '../../src/base/stop.ts';

interface Given {
  readonly signal?: StopSignal;
  readonly other?: number;
}

class Service {
  readonly #answer = 'answer';
  readonly got: unknown[] = [];
  ask(question: string, options?: Given): Promise<string> {
    this.got.push(question, options);
    return question === 'silence' ? new Promise(() => undefined) : Promise.resolve(this.#answer);
  }
  tell(word: string, stop?: StopSignal): Promise<string> {
    this.got.push(word, stop);
    return new Promise(() => undefined);
  }
  fail(): Promise<string> {
    throw new Error('before there is a promise');
  }
  notLimited?(): Promise<string>;
}

const LIMITS = {
  ask: { ms: 100, signalAt: 1, signalIn: 'signal' },
  tell: { ms: 200, signalAt: 1 },
  fail: { ms: 100 },
  notLimited: { ms: 100 },
} as const;

function benchOf() {
  const clock = manualClock();
  const service = new Service();
  const limited = bounded(service, LIMITS, (why, limitMs) => new Error(`${why} ${limitMs}`), clock);
  return { clock, service, limited };
}

test('gives the answer, to methods that are called on their object', async () => {
  const { service, limited } = benchOf();
  expect(await limited.ask('a', { other: 1 })).toBe('answer');
  expect(service.got).toEqual(['a', { other: 1, signal: expect.any(AbortSignal) }]);
});

test('ends each call after the limit of its method, and aborts its signal', async () => {
  const { clock, service, limited } = benchOf();
  const calls = [limited.ask('silence'), limited.tell('word')];
  const ends: string[] = [];
  for (const call of calls) call.catch((error: Error) => ends.push(error.message));
  await clock.advance(100);
  expect(ends).toEqual(['silent 100']);
  await clock.advance(100);
  expect(ends).toEqual(['silent 100', 'silent 200']);
  const signals = [(service.got[1] as Given).signal, service.got[3]] as StopSignal[];
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test.each(['ask', 'tell'] as const)('ends a call of %s when its caller gives up', async (name) => {
  const { limited } = benchOf();
  const stop = new Stop();
  const call = name === 'ask' ? limited.ask('silence', { signal: stop }) : limited.tell('word', stop);
  stop.abort();
  await expect(call).rejects.toThrow('given-up');
});

test('rejects with what is thrown at once, and leaves out optional methods', async () => {
  const { limited } = benchOf();
  await expect(limited.fail()).rejects.toThrow('before there is a promise');
  expect(Object.keys(limited)).toEqual(['ask', 'tell', 'fail']);
});
