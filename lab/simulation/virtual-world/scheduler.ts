import type { Random } from './random.ts';

interface Due {
  readonly at: number;
  /** Orders what is due at the same millisecond: at random, or not at all. */
  readonly tie: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Virtual time: a queue of things that happen at a time, run one after the other. Time jumps from one to the
 * next, so hours pass in milliseconds. Things due at the same millisecond happen in a random order, which is
 * where most interleavings come from.
 */
export class Scheduler {
  /** True time, in milliseconds since the epoch; every process has its own idea of it. */
  now: number;
  /** How many things have happened. */
  steps = 0;
  readonly #random: Random;
  readonly #heap: Due[] = [];
  #order = 0;

  constructor(startAt: number, random: Random) {
    this.now = startAt;
    this.#random = random;
  }

  /** Runs `run` after `delayMs`. `inOrder`: what is due at the same time keeps its order, as timers do. */
  after(delayMs: number, run: () => void, { inOrder = false } = {}): () => void {
    this.#order += 1;
    const due: Due = {
      at: this.now + Math.max(0, Math.round(delayMs)),
      tie: inOrder ? 0.5 : this.#random.next(),
      order: this.#order,
      run,
      isCancelled: false,
    };
    this.#push(due);
    return () => {
      due.isCancelled = true;
    };
  }

  /** Runs what is due, in order, until `isOver` or until nothing is left. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          const due = isOver() ? undefined : this.#pop();
          if (due === undefined) {
            resolve();
            return;
          }
          this.now = due.at;
          this.steps += 1;
          due.run();
        } catch (thrown) {
          reject(thrown);
          return;
        }
        // Every promise reaction that is due runs before the next callback of setImmediate: the code under
        // test has gone as far as it can when the next thing happens. About a microsecond per step.
        setImmediate(step);
      };
      setImmediate(step);
    });
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let index = heap.push(due) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(due, heap[parent] as Due)) break;
      heap[index] = heap[parent] as Due;
      index = parent;
    }
    heap[index] = due;
  }

  #pop(): Due | undefined {
    for (;;) {
      const first = this.#popHeap();
      if (first === undefined || !first.isCancelled) return first;
    }
  }

  #popHeap(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child += 1;
      if (!isBefore(heap[child] as Due, last)) break;
      heap[index] = heap[child] as Due;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.tie === b.tie ? a.order < b.order : a.tie < b.tie;
}
