import type { ChildProcess } from 'node:child_process';
import type { WorkerCounters, WorkerHealth } from 'batchlatch/worker';
import { CliError, UsageError } from '../cli-error.ts';
import type { ExitStatus } from '../process-io.ts';
import { addCounters, joinedHealth, NOTHING_DONE } from './joined-health.ts';
import type { ProcessPlace } from './process-count.ts';
import { TELL_EVERY_MS } from './process-messages.ts';
import { type ProcessEnd, processOf, SupervisedProcess } from './supervised-process.ts';
import type { Tell } from './worker-log.ts';

export interface SupervisorSetup {
  readonly count: number;
  /** The resident memory above which a process is replaced, in bytes. */
  readonly memoryLimit: number | undefined;
  /** The time that a process has to stop before it is killed. */
  readonly stopMs: number;
  readonly start: (place: ProcessPlace) => ChildProcess;
  readonly random: () => number;
  readonly tell: Tell;
}

/** A place whose number stays when its process is replaced. */
interface Place {
  readonly number: number;
  process: SupervisedProcess | undefined;
  /** The last replacement for its memory, by `performance.now()`. */
  memoryAt: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ends later than this did not crash because of its start. */
const STEADY_MS = 60_000;
/** Failed starts in a row after which the supervisor gives up. */
const MOST_FAILED_STARTS = 5;
const SILENT_SECONDS = 10;
const HUNG_SECONDS = 60;
/** A module may load for long, but one that hangs must not hold up replacements for ever. */
const STARTING_SECONDS = 300;
/** The least time between two replacements for memory: the new process may soon have as much. */
const MEMORY_PAUSE_MS = 10_000;

/** Keeps `count` processes running: restarts those that end, replaces one at a time, and stops all. */
export class Supervisor {
  readonly #setup: SupervisorSetup;
  readonly #places: readonly Place[];
  readonly #alive = new Set<SupervisedProcess>();
  readonly #stopping = new AbortController();
  readonly #toReplace = new Set<Place>();
  readonly #firstStarted: Promise<void>;
  #onFirstStarted = (): void => undefined;
  #replacing: Place | undefined;
  #hasStarted = false;
  #restarts = 0;
  #past: WorkerCounters = NOTHING_DONE;
  #status: ExitStatus = 0;
  #error: ProcessEnd['error'];

  constructor(setup: SupervisorSetup) {
    this.#setup = setup;
    this.#places = Array.from({ length: setup.count }, (_, index) => ({
      number: index + 1,
      process: undefined,
      memoryAt: -Infinity,
    }));
    this.#firstStarted = new Promise((resolve) => (this.#onFirstStarted = resolve));
  }

  /** Runs until `stop()`. Resolves to the exit status; rejects if the processes do not start. */
  async run(): Promise<ExitStatus> {
    const watching = setInterval(() => this.#watch(), TELL_EVERY_MS);
    try {
      const [first, ...others] = this.#places;
      const working = [this.#keepWorking(first as Place)];
      await this.#firstStarted; // alone, so that an error in the module is reported once
      working.push(...others.map((place) => this.#keepWorking(place)));
      await Promise.all(working);
      await Promise.all([...this.#alive].map(({ ended }) => ended));
    } finally {
      clearInterval(watching);
    }
    if (this.#error !== undefined) throw errorOf(this.#error);
    return this.#status;
  }

  /** Tells all processes to stop, and kills those that do not end in time. */
  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#onFirstStarted();
    for (const process of this.#alive) this.#end(process);
  }

  /** Replaces one process after another, which loads the module anew. */
  replaceAll(): void {
    this.#setup.tell('replacing', {}, 'Replacing one process after another');
    this.#requestReplacement(this.#places);
  }

  /** Returns the health of all processes together. */
  health(): WorkerHealth {
    const current = new Set(this.#places.map(({ process }) => process));
    const all = [...this.#alive].filter(({ health }) => health !== undefined);
    const healthOf = (process: SupervisedProcess | undefined): WorkerHealth | undefined =>
      process === undefined || !this.#alive.has(process) || process.silentSeconds >= SILENT_SECONDS
        ? undefined
        : process.health;
    return joinedHealth({
      places: this.#places.map(({ process }) => healthOf(process)),
      finishing: all.filter((process) => !current.has(process)).flatMap(({ health = [] }) => health),
      past: this.#past,
      processes: all.map(({ number, pid, memoryBytes, health }) => {
        return { number, pid, state: health?.state ?? 'new', memoryBytes };
      }),
      restarts: this.#restarts,
      isStopping: this.#stopping.signal.aborted,
    });
  }

  /** Starts the process of a place, and restarts it whenever it ends. */
  async #keepWorking(place: Place): Promise<void> {
    const { random, tell } = this.#setup;
    let failedStarts = 0;
    let crashes = 0;
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      place.process = this.#start(place);
      failedStarts = (await place.process.started) ? 0 : failedStarts + 1;
      const end = await endOf(place);
      if (this.#stopping.signal.aborted) return;
      if (this.#isFinal(end, failedStarts)) {
        this.#fail(place, end);
        return;
      }
      crashes = performance.now() - startedAt < STEADY_MS ? crashes + 1 : 1;
      const pauseMs = random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (crashes - 1));
      const told = { number: place.number, ...end, nextInMs: Math.round(pauseMs) };
      tell('processEnded', told, `Process ${place.number} ${described(end)}, and is started again`);
      await this.#pause(pauseMs);
      this.#restarts += 1;
    }
  }

  /** Resolves after this time, or when the supervisor stops. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const isOver = setTimeout(() => {
        this.#stopping.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      const stop = (): void => {
        clearTimeout(isOver);
        resolve();
      };
      this.#stopping.signal.addEventListener('abort', stop);
    });
  }

  #start(place: Place): SupervisedProcess {
    const { start, count } = this.#setup;
    const { number } = place;
    const child = processOf(() => start({ number, count }));
    const process = new SupervisedProcess(number, child, () => this.#onTold(place, process));
    this.#alive.add(process);
    void process.ended.then(({ status }) => {
      this.#alive.delete(process);
      if (process.health !== undefined) this.#past = addCounters(this.#past, process.health.counters);
      if (this.#stopping.signal.aborted && status !== 0) this.#status = 1;
    });
    return process;
  }

  #onTold(place: Place, process: SupervisedProcess): void {
    const { memoryLimit = Infinity } = this.#setup;
    if (process.memoryBytes > memoryLimit && !this.#stopping.signal.aborted) {
      if (!this.#hasStarted) this.#fail(place, { error: tooLow(process) });
      else if (place.process === process) this.#replaceForMemory(place, process);
    }
    this.#hasStarted = true;
    this.#onFirstStarted();
  }

  /** Returns whether a restart would fail too. */
  #isFinal({ error }: ProcessEnd, failedStarts: number): boolean {
    const isMisconfigured = error?.status === 2;
    const isFirst = error !== undefined && !this.#hasStarted;
    return isMisconfigured || isFirst || failedStarts >= MOST_FAILED_STARTS;
  }

  #fail({ number }: Place, end: ProcessEnd): void {
    const times = `${MOST_FAILED_STARTS} times in a row`;
    const line = `Process ${number} does not start: it ${described(end)}, ${times}.`;
    this.#error ??= end.error ?? { line, status: 1 };
    this.stop();
  }

  /** Stops a process, and kills it if it does not end in time. */
  #end(process: SupervisedProcess): void {
    process.stop();
    const killing = setTimeout(() => process.kill(), this.#setup.stopMs);
    void process.ended.then(() => clearTimeout(killing));
  }

  /** Runs every second. Kills processes that have not reported for a minute, or do not start. */
  #watch(): void {
    for (const process of this.#alive) {
      const most = process.health === undefined ? STARTING_SECONDS : HUNG_SECONDS;
      if (process.tick() < most) continue;
      const { number } = process;
      this.#setup.tell('processHung', { number }, `Process ${number} is unresponsive, and is killed`);
      process.kill();
    }
  }

  #replaceForMemory(place: Place, { number, memoryBytes }: SupervisedProcess): void {
    if (performance.now() - place.memoryAt < MEMORY_PAUSE_MS || this.#replacing === place) return;
    place.memoryAt = performance.now();
    const text = `Process ${number} has ${megabytes(memoryBytes)}, and is replaced`;
    this.#setup.tell('memoryLimit', { number, memoryBytes }, text);
    this.#requestReplacement([place]);
  }

  #requestReplacement(places: readonly Place[]): void {
    for (const place of places) this.#toReplace.add(place);
    if (this.#replacing === undefined) void this.#replaceRequested();
  }

  /** Works in rounds. If a successor does not start, the others of its round would not either. */
  async #replaceRequested(): Promise<void> {
    while (this.#toReplace.size > 0) {
      const round = [...this.#toReplace];
      this.#toReplace.clear();
      for (const place of round) {
        this.#replacing = place;
        if (!(await this.#replace(place))) break;
      }
    }
    this.#replacing = undefined;
  }

  /** Replaces a process when its successor receives. Returns false if the successor did not start. */
  async #replace(place: Place): Promise<boolean> {
    const old = place.process;
    // A process that has not started is restarted anyway.
    if (old === undefined || !(await old.started) || this.#stopping.signal.aborted) return true;
    const next = this.#start(place);
    const hasStarted = await next.started;
    if (this.#stopping.signal.aborted) return true;
    place.memoryAt = performance.now();
    if (!hasStarted) {
      const end = await next.ended;
      const { number } = place;
      const why = end.error?.line ?? `its successor ${described(end)}`;
      this.#setup.tell('notReplaced', { number, ...end }, `Process ${number} is not replaced: ${why}`);
      return false;
    }
    if (!this.#alive.has(old)) {
      this.#end(next); // the old process ended, and its restart has the place
      return true;
    }
    place.process = next;
    this.#restarts += 1;
    this.#end(old);
    await old.ended;
    return true;
  }
}

/** Resolves when the process of a place has ended without a successor. */
async function endOf(place: Place): Promise<ProcessEnd> {
  for (;;) {
    const { process } = place;
    const end = await process?.ended;
    if (end !== undefined && place.process === process) return end;
  }
}

function described({ status, signal }: ProcessEnd): string {
  return (signal ?? null) === null ? `ended with status ${status}` : `was ended by ${signal}`;
}

function tooLow({ memoryBytes }: SupervisedProcess): NonNullable<ProcessEnd['error']> {
  const line = `--memory-limit is too low: a process has ${megabytes(memoryBytes)} when it starts.`;
  return { line, status: 2 };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

function errorOf({ line, status }: NonNullable<ProcessEnd['error']>): CliError {
  return status === 2 ? new UsageError(line) : new CliError(line);
}
