import { type ChildProcess, fork } from 'node:child_process';

/** Where a process is killed: before a step is carried out, or after it and before its answer. */
export interface Point<Step extends string> {
  readonly step: Step;
  readonly moment: 'before' | 'after';
}

/** A program that is killed at the points that a test names, and started again. */
export class KilledWorker<Step extends string> {
  /** How often it was killed, by point. */
  readonly killed = new Map<string, number>();
  /** Where the running process is killed next. */
  point: Point<Step> | undefined;
  readonly #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(program: string, environment: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#environment = environment;
  }

  start(setup: object): void {
    const started = fork(this.#program, [JSON.stringify(setup)], {
      execArgv: [],
      env: { PATH: process.env['PATH'], ...this.#environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process = started;
    this.#ended = new Promise((resolve) => started.once('exit', resolve));
  }

  /** Carries a step out, and kills the process if this is its point. */
  async at<Answer>(step: Step | undefined, carryOut: () => Promise<Answer>): Promise<Answer> {
    await this.#killIf(step, 'before');
    const answer = await carryOut(); // a refused request is not carried out: the next one is
    await this.#killIf(step, 'after');
    return answer;
  }

  /** Sends a message to the process, and resolves to its answer; undefined if it ended before. */
  async ask<Answer>(message: object): Promise<Answer | undefined> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return undefined;
    const answered = new Promise<Answer | undefined>((resolve) => {
      running.once('message', (answer) => resolve(answer as Answer));
      void this.#ended.then(() => resolve(undefined));
    });
    running.send(message, () => undefined); // its end is awaited above
    return answered;
  }

  /** Whether it was killed. Throws if it ended by itself. */
  get isKilled(): boolean {
    if (this.#process?.exitCode !== null) throw new Error('The process ended by itself');
    return this.#process.signalCode === 'SIGKILL';
  }

  /** Kills it at no point. */
  async end(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#ended;
  }

  async #killIf(step: Step | undefined, moment: Point<Step>['moment']): Promise<void> {
    if (step === undefined || this.point?.step !== step || this.point.moment !== moment) return;
    this.point = undefined;
    await this.end();
    const name = nameOf({ step, moment });
    this.killed.set(name, (this.killed.get(name) ?? 0) + 1);
    throw new Error('The process was killed');
  }
}

export function nameOf({ step, moment }: Point<string>): string {
  return `${moment}: ${step}`;
}
