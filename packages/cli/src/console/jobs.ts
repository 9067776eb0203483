import { randomUUID } from 'node:crypto';
import type { Clock } from '../tool-base/clock.ts';
import type { JobJson } from './api.ts';
import { ApiError, messageOf } from './api-error.ts';

/** What a job is handed. */
export interface JobRun {
  readonly id: string;
  /** Aborted when somebody stops it, or the console. */
  readonly signal: AbortSignal;
  /** Tells how far it is. */
  progress(done: number, total?: number): void;
}

/** How a job ended by itself. */
export interface JobEnd {
  readonly ended?: 'aborted' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

interface Job {
  state: JobJson;
  endedAt?: number;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const MOST_RUNNING = 8;
const MOST_KEPT = 50;
const LATELY_MS = 600_000;
/** Pages need no more often than this. */
const TELL_EVERY_MS = 200;

/** What goes on for longer than a request: several at a time, each told of as it goes on. */
export class Jobs {
  readonly #clock: Clock;
  readonly #tell: (job: JobJson) => void;
  readonly #jobs = new Map<string, Job>();
  #isStopping = false;

  constructor(clock: Clock, tell: (job: JobJson) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Those that run, in the order of their starts. */
  running(): readonly JobJson[] {
    return [...this.#jobs.values()].map(({ state }) => state).filter(({ ended }) => ended === undefined);
  }

  /** Those that ended lately: a page that lost its connection waits for the end of its change. */
  endedLately(): readonly JobJson[] {
    const since = this.#clock.now() - LATELY_MS;
    return [...this.#jobs.values()]
      .filter(({ endedAt = -Infinity }) => endedAt > since)
      .map(({ state }) => state);
  }

  /** One of the last 50. */
  find(id: string): JobJson | undefined {
    return this.#jobs.get(id)?.state;
  }

  /** Starts one. Throws an `ApiError` where too many run. */
  start(
    what: JobJson['what'],
    run: (job: JobRun) => Promise<JobEnd>,
    total?: number,
  ): { readonly id: string; readonly ended: Promise<void> } {
    if (this.#isStopping) throw new ApiError(503, 'stopping', 'The console is being stopped.');
    if (this.running().length >= MOST_RUNNING) {
      throw new ApiError(409, 'busy', `${MOST_RUNNING} jobs run already. Wait for one of them.`);
    }
    const id = randomUUID();
    const stop = new AbortController();
    let toldAt = -Infinity;
    const update = (change: Partial<JobJson>): void => {
      const job = this.#jobs.get(id);
      if (job === undefined) return;
      job.state = { ...job.state, ...change };
      const now = this.#clock.now();
      if (job.state.ended === undefined && Math.abs(now - toldAt) < TELL_EVERY_MS) return;
      toldAt = now;
      this.#tell(job.state);
    };
    const work = async (): Promise<void> => {
      await Promise.resolve(); // it is in the list before it runs
      update({});
      const end = await ended(
        run({
          id,
          signal: stop.signal,
          progress: (done, of) => update({ done, ...(of !== undefined && { total: of }) }),
        }),
        stop.signal,
      );
      const job = this.#jobs.get(id);
      if (job !== undefined) job.endedAt = this.#clock.now();
      update({ ...end, ended: end.ended ?? 'whole' });
      this.#forgetOld();
    };
    const state: JobJson = { id, what, done: 0, ...(total !== undefined && { total }) };
    const job: Job = { state, stop, ended: work() };
    this.#jobs.set(id, job);
    return { id, ended: job.ended };
  }

  /** Asks one to stop; false where there is none that runs. */
  stop(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || job.state.ended !== undefined) return false;
    job.stop.abort();
    return true;
  }

  /** Asks all to stop, and waits for what they have sent. */
  async stopAll(): Promise<void> {
    this.#isStopping = true;
    for (const { stop } of this.#jobs.values()) stop.abort();
    await Promise.all([...this.#jobs.values()].map((job) => job.ended));
  }

  #forgetOld(): void {
    const over = [...this.#jobs.values()].filter(({ state }) => state.ended !== undefined);
    for (const { state } of over.slice(0, -MOST_KEPT)) this.#jobs.delete(state.id);
  }
}

async function ended(run: Promise<JobEnd>, signal: AbortSignal): Promise<JobEnd> {
  try {
    return await run;
  } catch (error) {
    return signal.aborted ? { ended: 'aborted' } : { ended: 'failed', error: messageOf(error) };
  }
}
