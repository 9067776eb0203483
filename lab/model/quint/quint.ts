import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { State } from '../state.ts';
import type {
  AnsweredQuint,
  AskedQuint,
  QuintAnswers,
  QuintRequest,
  Simulation,
  SimulationOptions,
} from './requests-to-quint.ts';

const PROCESSES = 2;
const PROGRAM = path.join(import.meta.dirname, 'quint-process.ts');

interface Waiting {
  readonly resolve: (answer: QuintAnswers) => void;
  readonly reject: (error: Error) => void;
}

interface QuintProcess {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
}

/** Quint, in processes that read the specification once each: it takes them seconds. */
export class Quint {
  readonly #processes: QuintProcess[] = [];
  #asked = 0;

  /** Checks the types of the specification. Rejects with what is wrong. */
  async typecheck(): Promise<void> {
    await this.#ask({ typecheck: true });
  }

  /** Runs the specification at random, and gives the traces that it kept. */
  async simulate(options: SimulationOptions): Promise<Simulation> {
    const { simulation } = await this.#ask({ simulate: options });
    if (simulation === undefined) throw new Error('Quint gave no simulation');
    return simulation;
  }

  /** For each state of a walked instance, every state that the specification lets follow. */
  async stepsFrom(instance: string, states: readonly State[]): Promise<readonly (readonly State[])[]> {
    const { following } = await this.#ask({ instance, stepsFrom: states });
    if (following === undefined) throw new Error('Quint gave no steps');
    return following;
  }

  stop(): void {
    for (const { child } of this.#processes.splice(0)) child.disconnect();
  }

  #ask(request: QuintRequest): Promise<QuintAnswers> {
    const id = (this.#asked += 1);
    const { child, waiting } = this.#leastBusy();
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.send({ id, request } satisfies AskedQuint);
    });
  }

  #leastBusy(): QuintProcess {
    const [idlest] = this.#processes.toSorted((a, b) => a.waiting.size - b.waiting.size);
    if (idlest !== undefined && (idlest.waiting.size === 0 || this.#processes.length === PROCESSES))
      return idlest;
    const started = startProcess();
    this.#processes.push(started);
    return started;
  }
}

function startProcess(): QuintProcess {
  const child = fork(PROGRAM, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const waiting: QuintProcess['waiting'] = new Map();
  let said = '';
  child.stderr?.on('data', (chunk: unknown) => (said += String(chunk)));
  child.on('message', (message: AnsweredQuint) => {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) one?.reject(new Error(message.error));
    else one?.resolve(message.answer);
  });
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error(`Quint has ended: ${said}`));
  });
  return { child, waiting };
}
