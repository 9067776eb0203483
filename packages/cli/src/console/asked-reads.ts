import type { ClaimAdmin } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import { type FullRead, readAll } from './full-read.ts';
import type { Jobs } from './jobs.ts';

/** The reads of all claims that people request, one at a time. */
export class AskedReads {
  readonly #ports: {
    readonly store: ClaimAdmin;
    readonly clock: Clock;
    readonly jobs: Jobs;
    readonly onRead: (read: FullRead) => void;
  };
  #running: string | undefined;

  constructor(ports: {
    readonly store: ClaimAdmin;
    readonly clock: Clock;
    readonly jobs: Jobs;
    readonly onRead: (read: FullRead) => void;
  }) {
    this.#ports = ports;
  }

  /** Starts a read, or returns the running one. */
  start(): { readonly job: string } {
    if (this.#running !== undefined) return { job: this.#running };
    const { store, clock, jobs, onRead } = this.#ports;
    const { id, ended } = jobs.start('read', async ({ signal, progress }) => {
      const read = await readAll(store, clock, { signal, onProgress: (rows) => progress(rows) });
      onRead(read);
      const { rowsRead, isWhole } = read.statistics;
      return { result: { rowsRead, isWhole } };
    });
    this.#running = id;
    void ended.then(() => {
      this.#running = undefined;
    });
    return { job: id };
  }
}
