import type { Lane } from './lanes.ts';

/** Starts lanes in their order, each when it may: a batch of 10,000 does not need 10,000 lanes that wait. */
export interface LaneRunner {
  /** Resolves when all lanes have ended; rejects with the first error of one. */
  run(lanes: readonly Lane[]): Promise<void>;
  /** To be called when another lane may start. */
  admit(): void;
}

export function createLaneRunner(
  runLane: (lane: Lane) => Promise<void>,
  mayStart: (lane: Lane) => boolean,
): LaneRunner {
  let waiting: readonly Lane[] = [];
  let next = 0;
  let running = 0;
  let end: { resolve: () => void; reject: (error: unknown) => void } | undefined;

  function admit(): void {
    for (let lane = waiting[next]; lane !== undefined && mayStart(lane); lane = waiting[next]) {
      next += 1;
      running += 1;
      void runLane(lane).then(noteEnd, end?.reject);
    }
    if (next === waiting.length && running === 0) end?.resolve();
  }

  function noteEnd(): void {
    running -= 1;
    admit();
  }

  return {
    run: (lanes) =>
      new Promise((resolve, reject) => {
        waiting = lanes;
        end = { resolve, reject };
        admit();
      }),
    admit,
  };
}
