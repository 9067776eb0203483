import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WatchedSignal } from '../../src/attempts/watched-signal.ts';

const STOP = new Error('stop');

describe('a watched signal', () => {
  it('is an ordinary signal, aborted with its reason', () => {
    const watched = new WatchedSignal();
    const { signal } = watched;
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal.aborted).toBe(false);
    expect(() => signal.throwIfAborted()).not.toThrow();
    watched.abort(STOP);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(STOP);
    expect(() => signal.throwIfAborted()).toThrow(STOP);
    expect(watched.signal).toBe(signal);
  });

  it('keeps the first reason', () => {
    const watched = new WatchedSignal();
    watched.abort(STOP);
    watched.abort(new Error('later'));
    expect(watched.signal.reason).toBe(STOP);
    expect(watched.reason).toBe(STOP);
  });

  it('is aborted from the start where it is first looked at after the abort', () => {
    const watched = new WatchedSignal();
    watched.abort(STOP);
    expect(watched.hasSeenAbort).toBe(false);
    expect(watched.signal.aborted).toBe(true);
    expect(watched.hasSeenAbort).toBe(true);
  });

  it.each<[what: string, look: (signal: AbortSignal) => unknown]>([
    ['reads it', (signal) => signal.aborted],
    ['reads its reason', (signal) => signal.reason],
    ['asks it to throw', (signal) => thrownBy(() => signal.throwIfAborted())],
    ['hands it on', (signal) => sleep(1, undefined, { signal }).catch(() => undefined)],
    ['derives a signal', (signal) => AbortSignal.any([signal])],
    ['makes a request', (signal) => new Request('http://localhost', { signal })],
  ])('was seen by who %s after the abort, not by who does so before it', async (_what, look) => {
    const watched = new WatchedSignal();
    void watched.signal;
    watched.abort(STOP);
    expect(watched.hasSeenAbort).toBe(false);
    await look(watched.signal);
    expect(watched.hasSeenAbort).toBe(true);
  });

  it.each<[what: string, look: (signal: AbortSignal) => unknown]>([
    ['a listener', (signal) => signal.addEventListener('abort', () => undefined)],
    [
      'a listener that is told once',
      (signal) => signal.addEventListener('abort', () => undefined, { once: true }),
    ],
    ['onabort', (signal) => Object.assign(signal, { onabort: () => undefined })],
    ['a timer', (signal) => void sleep(60_000, undefined, { signal }).catch(() => undefined)],
    ['a request', (signal) => new Request('http://localhost', { signal })],
    [
      'a listener of a signal made of it by AbortSignal.any',
      (signal) => derived(signal).addEventListener('abort', () => undefined),
    ],
  ])('was seen by %s that was there when it was aborted', (_what, look) => {
    const watched = new WatchedSignal();
    look(watched.signal);
    expect(watched.hasSeenAbort).toBe(false);
    watched.abort(STOP);
    expect(watched.hasSeenAbort).toBe(true);
  });

  // Fails when Node keeps derived signals elsewhere: then `DEPENDENTS` of the source has to follow.
  it.each<[what: string, derive: (signal: AbortSignal) => AbortSignal]>([
    ['a signal made of it by AbortSignal.any', derived],
    ['a signal made of such a signal', (signal) => AbortSignal.any([AbortSignal.any([signal])])],
  ])('was seen by who looks at %s before it was aborted', (_what, derive) => {
    const watched = new WatchedSignal();
    const kept = derive(watched.signal);
    expect(kept.aborted).toBe(false);
    expect(watched.hasSeenAbort).toBe(false);
    watched.abort(STOP);
    expect(kept.aborted).toBe(true);
    expect(kept.reason).toBe(STOP);
    expect(watched.hasSeenAbort).toBe(true);
  });

  it('was seen by who derives a signal of one that was not looked at before the abort', () => {
    const watched = new WatchedSignal();
    watched.abort(STOP);
    const { signal } = watched;
    expect(watched.hasSeenAbort).toBe(false);
    expect(AbortSignal.any([signal]).reason).toBe(STOP);
    expect(watched.hasSeenAbort).toBe(true);
  });

  it('was not seen by who looked only while it was not aborted', async () => {
    const watched = new WatchedSignal();
    const { signal } = watched;
    const listener = (): void => undefined;
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.throwIfAborted();
    await sleep(1, undefined, { signal });
    expect(signal.aborted).toBe(false);
    watched.abort(STOP);
    expect(watched.hasSeenAbort).toBe(false);
  });

  it('is what fetch takes for a signal', async () => {
    const watched = new WatchedSignal();
    const answer = fetch('http://127.0.0.1:9', { signal: watched.signal });
    watched.abort(STOP);
    await expect(answer).rejects.toBe(STOP);
  });
});

function derived(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, new AbortController().signal]);
}

function thrownBy(call: () => void): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}
