import { randomUUID } from 'node:crypto';
import type { Clock } from '../tool-base/clock.ts';
import type { JobJson } from './api.ts';
import { ApiError, messageOf } from './api-error.ts';

/** The handle of a running job. */
export interface JobRun {
  readonly id: string;
  /** Aborted when the job or the console is stopped. */
  readonly signal: AbortSignal;
  progress(done: number, total?: number): void;
}

/** The result that a job returns. */
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
/** The shortest time between two progress events of a job. */
const TELL_EVERY_MS = 200;

/** The jobs that take longer than a request. They run concurrently and report their progress. */
export class Jobs {
  readonly #clock: Clock;
  readonly #tell: (job: JobJson) => void;
  readonly #jobs = new Map<string, Job>();
  #isStopping = false;

  constructor(clock: Clock, tell: (job: JobJson) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Returns the running jobs in the order of their starts. */
  running(): readonly JobJson[] {
    return [...this.#jobs.values()].map(({ state }) => state).filter(({ ended }) => ended === undefined);
  }

  /** Returns the jobs that ended lately, for pages that lost their connection while waiting for the end. */
  endedLately(): readonly JobJson[] {
    const since = this.#clock.now() - LATELY_MS;
    return [...this.#jobs.values()]
      .filter(({ endedAt = -Infinity }) => endedAt > since)
      .map(({ state }) => state);
  }

  /** Finds a running job or one of the last 50. */
  find(id: string): JobJson | undefined {
    return this.#jobs.get(id)?.state;
  }

  /** Starts a job. Throws an `ApiError` if too many run. */
  start(
    what: JobJson['what'],
    run: (job: JobRun) => Promise<JobEnd>,
    total?: number,
  ): { readonly id: string; readonly ended: Promise<void> } {
    if (this.#isStopping) throw new ApiError(503, 'stopping', 'The console is stopping. Start it again.');
    if (this.running().length >= MOST_RUNNING) {
      throw new ApiError(
        409,
        'busy',
        `${MOST_RUNNING} jobs are running, which is the limit. Wait until one ends.`,
      );
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
      await Promise.resolve(); // the job must be in the map before it runs
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

  /** Plans a change in a job, which stops when `signal` is aborted. Resolves with the plan. */
  plan<Plan>(run: (job: JobRun) => Promise<Plan>, signal: AbortSignal): Promise<Plan> {
    return new Promise((resolve, reject) => {
      const { id } = this.start('plan', async (job) => {
        try {
          resolve(await run(job));
          return {};
        } catch (error) {
          reject(error);
          throw error;
        }
      });
      signal.addEventListener('abort', () => this.stop(id), { once: true });
    });
  }

  /** Asks a job to stop. Returns false if it does not run. */
  stop(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || job.state.ended !== undefined) return false;
    job.stop.abort();
    return true;
  }

  /** Asks all jobs to stop, and waits for their end. */
  async stopAll(): Promise<void> {
    this.#isStopping = true;
    for (const { stop } of this.#jobs.values()) stop.abort();
    await this.allEnded();
  }

  /** Waits for the end of all jobs. */
  async allEnded(): Promise<void> {
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
