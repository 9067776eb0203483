import { expect, it } from '@jest/globals';
import { screenOf } from '../../src/cli/print/screen.ts';
import { watch } from '../../src/cli/watch.ts';

it('Watching goes on when a reading fails, but not when the first does', async () => {
  const stopping = new AbortController();
  const texts = { out: '', err: '' };
  const surroundings = {
    stdin: process.stdin,
    stdout: { write: (text: string) => void (texts.out += text) },
    stderr: { write: (text: string) => void (texts.err += text) },
    env: {},
    now: () => 0,
    signal: stopping.signal,
    sleep: async () => {},
    endSoon: () => undefined,
    operator: () => '',
  };
  const context = { ...surroundings, screen: screenOf(surroundings, {}) };
  const readings = [1, new Error('Throttled'), 2];
  const watched = {
    title: '',
    read: async (): Promise<number> => {
      const reading = readings.shift();
      if (readings.length === 0) stopping.abort();
      if (typeof reading === 'number') return reading;
      throw reading;
    },
    show: () => {},
    toJson: (value: number) => value,
    changes: (before: number | undefined, after: number) => [`${before ?? 'none'} to ${after}`],
  };
  await watch(context, 1, watched);
  expect(texts).toEqual({
    out: '1970-01-01T00:00:00Z none to 1\n1970-01-01T00:00:00Z 1 to 2\n',
    err: 'Error: Throttled Trying again.\n',
  });

  readings.push(new Error('Refused'), 1);
  await expect(watch({ ...context, signal: new AbortController().signal }, 1, watched)).rejects.toThrow(
    'Refused',
  );
});
