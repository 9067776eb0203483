import { describe, expect, it } from '@jest/globals';
import { Semaphore } from '../../src/base/semaphore.ts';

interface Work {
  readonly end: () => void;
  readonly fail: (error: Error) => void;
  readonly result: Promise<string | undefined>;
}

/** Works that end when they are told to. */
function bench(count: number): { slots: Semaphore; started: string[]; work(name: string): Work } {
  const slots = new Semaphore(count);
  const started: string[] = [];
  async function inSlot(name: string, ended: Promise<string>): Promise<string | undefined> {
    if (!slots.take() && !(await slots.turn())) return undefined;
    try {
      started.push(name);
      return await ended;
    } finally {
      slots.release();
    }
  }
  return {
    slots,
    started,
    work(name) {
      let end = (): void => undefined;
      let fail = (_error: Error): void => undefined;
      const ended = new Promise<string>((resolve, reject) => {
        end = () => resolve(name);
        fail = reject;
      });
      return { end, fail, result: inSlot(name, ended) };
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Semaphore', () => {
  it('are for so many at once, and the others start in their order', async () => {
    const { started, work } = bench(2);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(work) as [Work, Work, Work, Work];
    await settled();
    expect(started).toEqual(['a', 'b']);
    b.end();
    expect(await b.result).toBe('b');
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
    a.end();
    c.end();
    await settled();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    d.end();
    expect(await d.result).toBe('d');
    const e = work('e');
    e.end();
    expect(await e.result).toBe('e');
  });

  it('keep the order where some end while others come', async () => {
    const { started, work } = bench(2);
    const works: Work[] = [];
    for (let index = 0; index < 40; index += 1) {
      works.push(work(`${index}`));
      if (index % 3 === 2) works[(index - 2) / 3]?.end();
      await settled();
    }
    for (const { end } of works) end();
    await settled();
    expect(started).toEqual(works.map((_, index) => `${index}`));
  });

  it('are free again after a work that failed', async () => {
    const { started, work } = bench(1);
    const a = work('a');
    const b = work('b');
    a.fail(new Error('no'));
    await expect(a.result).rejects.toThrow('no');
    b.end();
    expect(await b.result).toBe('b');
    expect(started).toEqual(['a', 'b']);
  });

  it('are not given to what waits when they are cleared', async () => {
    const { slots, started, work } = bench(1);
    const [a, b, c] = ['a', 'b', 'c'].map(work) as [Work, Work, Work];
    slots.clear();
    expect(await Promise.all([b.result, c.result])).toEqual([undefined, undefined]);
    const d = work('d');
    a.end();
    d.end();
    expect(await Promise.all([a.result, d.result])).toEqual(['a', 'd']);
    expect(started).toEqual(['a', 'd']);
  });

  it('without a bound are for all', async () => {
    const { started, work } = bench(Infinity);
    for (let index = 0; index < 1_000; index += 1) work(`${index}`);
    await settled();
    expect(started).toHaveLength(1_000);
  });
});
