import { describe, expect, it } from '@jest/globals';
import { platformSignal, Stop } from '../../src/base/stop.ts';

describe('Stop', () => {
  it('tells its listeners once, in their order, and not those that were removed', () => {
    const stop = new Stop();
    const told: string[] = [];
    const third = (): void => void told.push('third');
    const first = (): void => {
      told.push('first');
      stop.removeEventListener('abort', third);
    };
    stop.addEventListener('abort', first);
    stop.addEventListener('abort', first);
    stop.addEventListener('abort', () => told.push('second'));
    stop.addEventListener('abort', third);
    stop.abort('over');
    stop.abort('again');
    expect(told).toEqual(['first', 'second']);
    expect([stop.aborted, stop.reason]).toEqual([true, 'over']);
  });

  it('calls no listener that comes after it', () => {
    const stop = new Stop();
    const told: string[] = [];
    stop.addEventListener('abort', () => stop.addEventListener('abort', () => told.push('during')));
    stop.abort();
    stop.addEventListener('abort', () => told.push('after'));
    stop.abort();
    expect(told).toEqual([]);
  });

  it('gives a signal of the platform that is aborted with it', () => {
    const stop = new Stop();
    const { signal } = stop;
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(stop.signal).toBe(signal);
    expect(AbortSignal.any([signal]).aborted).toBe(false);
    const error = new Error('over');
    stop.abort(error);
    expect([signal.aborted, signal.reason]).toEqual([true, error]);
  });

  it('gives one that is aborted already', () => {
    const stop = new Stop();
    stop.abort();
    expect(stop.signal.aborted).toBe(true);
    expect(stop.signal.reason).toBeInstanceOf(DOMException);
  });

  it('gives the platform its own signals as they are', () => {
    const stop = new Stop();
    const { signal } = new AbortController();
    expect([platformSignal(stop), platformSignal(signal)]).toEqual([stop.signal, signal]);
  });
});
