import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { AnswerMessage, JobMessage, JobName, Jobs } from '../worker/jobs.ts';
import { BUILD, CERTIFICATE } from './paths.ts';

/** The environment of everything that is measured: production, as a function called `orders` has it. */
export const MEASURED_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  AWS_LAMBDA_FUNCTION_NAME: 'orders',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

interface WorkerOptions {
  readonly nodeOptions?: readonly string[];
  readonly build?: string;
}

/** A process of its own for what is measured: no library's garbage or compiled code is in another's way. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  #errors = '';

  /** `build`: the folder of another build than that of this run. */
  constructor({ nodeOptions = [], build = BUILD }: WorkerOptions = {}) {
    this.#child = fork(path.join(build, 'worker.mjs'), [], {
      execArgv: [...nodeOptions],
      env: { PATH: process.env['PATH'], ...MEASURED_ENVIRONMENT, NODE_EXTRA_CA_CERTS: CERTIFICATE },
      // Log lines go to the null device: written, and read by nobody.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-4_096);
    });
  }

  /** Does one job. Rejects with the worker's own error, or with what it printed before it died. */
  async run<Name extends JobName>(name: Name, ask: Jobs[Name]['ask']): Promise<Jobs[Name]['answer']> {
    const ended = new AbortController();
    const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`The worker process ended: ${this.#errors}`);
    });
    exit.catch(() => undefined);
    const answered = once(this.#child, 'message', { signal: ended.signal });
    answered.catch(() => undefined);
    this.#child.send({ name, ask } satisfies JobMessage);
    try {
      const [message] = (await Promise.race([answered, exit])) as [AnswerMessage];
      if ('error' in message) throw new Error(`In the worker process: ${message.error}`);
      return message.answer as Jobs[Name]['answer'];
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
