import { describe, expect, it } from '@jest/globals';
import { Lanes } from '../../src/cli/send/lanes.ts';

function recorded() {
  const log: string[] = [];
  const work =
    (name: string, ms: number): (() => Promise<void>) =>
    async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      log.push(`${name} ends`);
    };
  return { log, work };
}

describe('Lanes', () => {
  it('do one thing of a lane after the other, in their order, also where several wait', async () => {
    const { log, work } = recorded();
    const lanes = new Lanes(2);
    await lanes.start(0, work('a', 20));
    await Promise.all([
      lanes.start(0, work('b', 20)),
      lanes.start(0, work('c', 1)),
      lanes.start(1, work('d', 1)),
    ]);
    await lanes.idle();
    expect(log.filter((entry) => !entry.startsWith('d'))).toEqual(
      ['a', 'b', 'c'].flatMap((name) => [`${name} starts`, `${name} ends`]),
    );
  });

  it('wait for all that runs, and let no more run than there are', async () => {
    const { log, work } = recorded();
    const lanes = new Lanes(2);
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name, index) => lanes.start(undefined, work(name, 30 - index * 5))),
    );
    await lanes.idle();
    let running = 0;
    const most = log.map((entry) => (running += entry.endsWith('starts') ? 1 : -1));
    expect(Math.max(...most)).toBe(2);
    expect(running).toBe(0);
  });
});
